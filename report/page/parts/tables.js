// ---- tables ----

function onUnit(row, part) {
  return row.on_unit === null ? null : part === "busy" || part === "empty" ? row.on_unit[part] : row.on_unit.waits[part] ?? 0;
}
function onUnitTotal(row) {
  return row.on_unit === null ? null : row.on_unit.busy + row.on_unit.empty + Object.values(row.on_unit.waits).reduce((sum, part) => sum + part, 0);
}

// The value of a cell, by which rows are sorted, and its text.
const COLUMNS = [
  { name: "#", value: row => row.number },
  { name: "operator", text: true, value: row => row.op },
  { name: "tensor", text: true, tensor: true, value: row => row.tensor, show: row => tensorText(row.tensor) },
  { name: "shape", text: true, value: row => row.shape.reduce((a, b) => a * b, 1), show: row => shapeText(row.shape) },
  { name: "MAC", value: row => row.macs, sum: true },
  { name: "unit", text: true, value: row => row.unit },
  { name: "cycles", value: row => row.cycles, sum: true },
  { name: "of peak", value: row => row.utilisation, show: row => row.macs > 0 && row.cycles > 0 ? `${(100 * row.utilisation).toFixed(1)} %` : "–" },
  { name: "bound by", text: true, value: row => verdictText(row) },
  { name: "external bytes", value: row => row.external_bytes, sum: true },
  { name: "on its unit", value: onUnitTotal, sum: true },
  { name: "busy", value: row => onUnit(row, "busy"), sum: true },
  ...UNITS.map((unit, i) => ({ name: i === 0 ? "waits for load" : `for ${unit}`, value: row => onUnit(row, unit), sum: true })),
  { name: "no instr.", value: row => onUnit(row, "empty"), sum: true },
];

function cellText(column, layer) {
  if (column.show !== undefined) {
    return column.show(layer);
  }
  const value = column.value(layer);
  return value === null ? "–" : typeof value === "number" ? count(value) : value;
}

function cellAttributes(column) {
  return column.text ? { class: column.tensor ? "text tensor" : "text" } : {};
}

function layerRow(layer) {
  return element("tr", {}, ...COLUMNS.map(column => {
    const text = cellText(column, layer);
    const attributes = cellAttributes(column);
    if (column.tensor) {
      attributes.title = layer.tensor;
    }
    const cell = element("td", attributes, text);
    if (column.name === "#") {
      cell.prepend(element("span", { class: "swatch", style: `background:${layerColor(layer.index)}` }));
    }
    return cell;
  }));
}

// A chain, ahead of its layers.
function chainRow(chain) {
  const last = chain.first + chain.members.length - 1;
  const cells = { "#": "", operator: `chain of ${chain.first} to ${last}`, MAC: count(chain.macs), cycles: count(chain.cycles),
    "of peak": chain.macs > 0 ? `${(100 * chain.utilisation).toFixed(1)} %` : "–", "bound by": verdictText(chain),
    "external bytes": count(chain.external_bytes) };
  return element("tr", { class: "chain" }, ...COLUMNS.map(column => element("td", cellAttributes(column), cells[column.name] ?? "")));
}

// In the order in which they are carried out, layers of a chain under it.
function orderedRows() {
  return allRows.flatMap(row => {
    const chain = chains.find(c => c.members[0].number === row.number);
    const inside = chains.some(c => c.members.some(layer => layer.number === row.number));
    const made = layerRow(row);
    made.children[1].classList.toggle("inside", inside);
    return chain === undefined ? [made] : [chainRow(chain), made];
  });
}

function sumRow() {
  return element("tr", {}, ...COLUMNS.map((column, i) => {
    const sum = column.sum ? count(allRows.reduce((all, layer) => all + (column.value(layer) ?? 0), 0)) : i === 1 ? "sum" : "";
    return element("td", cellAttributes(column), sum);
  }));
}

function compareCells(a, b) {
  if (a === null || b === null) {
    return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  }
  return typeof a === "number" ? a - b : a.localeCompare(b);
}

function showLayers(table) {
  const body = element("tbody", {}, ...orderedRows());
  const heads = COLUMNS.map((column, index) => {
    const button = element("button", { type: "button" }, column.name);
    const head = element("th", { scope: "col", ...cellAttributes(column) }, button);
    button.addEventListener("click", () => sortBy(index, head));
    return head;
  });
  function sortBy(index, head) {
    const first = COLUMNS[index].text || index === 0 ? "ascending" : "descending";
    const order = head.getAttribute("aria-sort") === null ? first
      : head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sorted = [...allRows].sort((a, b) =>
      compareCells(COLUMNS[index].value(a), COLUMNS[index].value(b)) * (order === "ascending" ? 1 : -1));
    body.replaceChildren(...(index === 0 && order === "ascending" ? orderedRows() : sorted.map(layerRow)));
  }
  table.append(element("caption", {}, `${count(allLayers.length)} layers on the machine, ` +
    `${count(chains.length)} chains of layers, ${count(data.hostOperators.length)} operators on the host`),
    element("thead", {}, element("tr", {}, ...heads)), body, element("tfoot", {}, sumRow()));
}

function showHost(target) {
  if (data.hostOperators.length === 0) {
    target.append(element("p", {}, "None: the machine carries out every operator."));
    return;
  }
  target.append(element("p", { id: "host-work" }, `${count(data.host.macs)} multiplications, ${percent(data.host.macs_share, 1)} of all, and ` +
    `${count(data.host.elements)} elements of results, ${percent(data.host.elements_share, 1)} of all, are the host's. No cycle of them is in the figures above.`));
  target.append(element("table", { id: "host-table" }, element("thead", {}, element("tr", {},
    element("th", { class: "text" }, "operator"), element("th", {}, "in the model"), element("th", { class: "text" }, "reason"),
    element("th", {}, "MAC"), element("th", {}, "elements"))),
  element("tbody", {}, ...data.hostOperators.map(host => element("tr", {}, element("td", { class: "text" }, host.op),
    element("td", {}, host.operator < 0 ? "–" : count(host.operator)), element("td", { class: "text wrap" }, host.reason),
    element("td", {}, count(host.macs)), element("td", {}, count(host.elements)))))));
}
