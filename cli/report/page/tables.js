// ---- tables ----

function onUnit(layer, part) {
  return layer.onUnit === null ? null : layer.onUnit[part];
}
function onUnitTotal(layer) {
  return layer.onUnit === null ? null : Object.values(layer.onUnit).reduce((sum, part) => sum + part, 0);
}

// The value of a cell, by which rows are sorted, and its text. `other` is vector for a layer of
// matrix and matrix for one of vector.
const COLUMNS = [
  { name: "#", value: layer => layer.number },
  { name: "operator", text: true, value: layer => layer.op },
  { name: "tensor", text: true, tensor: true, value: layer => layer.tensor },
  { name: "shape", text: true, value: layer => layer.shape.reduce((a, b) => a * b, 1), show: layer => shapeText(layer.shape) },
  { name: "MAC", value: layer => layer.macs, sum: true },
  { name: "unit", text: true, value: layer => layer.unit },
  { name: "cycles", value: layer => layer.cycles, sum: true },
  { name: "of peak", value: layer => layer.utilisation, show: layer => layer.macs > 0 && layer.utilisation !== null ? `${(100 * layer.utilisation).toFixed(1)} %` : "–" },
  { name: "on its unit", value: onUnitTotal, sum: true },
  { name: "busy", value: layer => onUnit(layer, "busy"), sum: true },
  { name: "waits for load", value: layer => onUnit(layer, "load"), sum: true },
  { name: "for matrix or vector", value: layer => onUnit(layer, "other"), sum: true },
  { name: "for store", value: layer => onUnit(layer, "store"), sum: true },
  { name: "no instr.", value: layer => onUnit(layer, "empty"), sum: true },
  { name: "external bytes", value: layer => layer.bytes, sum: true },
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
      attributes.title = text;
    }
    const cell = element("td", attributes, text);
    if (column.name === "#") {
      cell.prepend(element("span", { class: "swatch", style: `background:${layerColor(layer.position)}` }));
    }
    return cell;
  }));
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
  const body = element("tbody", {}, ...allRows.map(layerRow));
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
    body.replaceChildren(...sorted.map(layerRow));
  }
  table.append(element("caption", {}, `${count(allLayers.length)} layers on the machine, ${count(data.hostOperators.length)} operators on the host`),
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
