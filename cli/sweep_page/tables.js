// ---- the report of a point, what parameters buy, and the table ----

function describe(point) {
  const words = data.axes.map((name, i) => `${name} ${axisText(name)(point.axes[i])}`).join(", ");
  return [element("b", {}, `${point.model}`), ` on ${words || point.config}: ${count(point.cycles)} cycles` +
    (point.milliseconds === null ? "" : ` (${point.milliseconds.toPrecision(4)} ms)`) +
    `, ${percent(point.peak)} of peak, ${count(point.moved)} bytes moved` +
    (point.energy === null ? "" : `, ${point.energy.toPrecision(4)} µJ`) + (point.area === null ? "" : `, ${count(Math.round(point.area))} ${data.area_unit}`)];
}

// What each unit did in all cycles, as in weft report.
function unitParts(point, unit) {
  const work = { matrix: ["matrix_stream", "streaming"], vector: ["vector_slots", "taking slots"] }[unit];
  const busy = counter(point, `${unit}_busy`);
  const parts = work === undefined ? [{ color: "busy", text: "busy", cycles: busy }] : [
    { color: "busy", text: work[1], cycles: counter(point, work[0]) },
    { color: "drain", text: "filling and draining", cycles: busy - counter(point, work[0]) },
  ];
  for (const other of UNITS.filter(name => name !== unit)) {
    parts.push({ color: other, text: `waits for ${other}`, cycles: counter(point, `${unit}_wait_${other}`) });
  }
  return [...parts, { color: "empty", text: "no instruction", cycles: counter(point, `${unit}_empty`) }];
}

function unitBars(point) {
  const stack = element("div", { class: "stack" });
  for (const unit of UNITS) {
    const bar = element("div", { class: "bar" });
    for (const part of unitParts(point, unit).filter(p => p.cycles > 0)) {
      const share = 100 * part.cycles / point.allCycles;
      const span = element("span", { style: `width:${share}%;background:var(--${part.color})`, title: `${unit} ${part.text}: ${count(part.cycles)} cycles` });
      span.textContent = share > 12 ? `${part.text} ${share.toFixed(0)} %` : "";
      bar.append(span);
    }
    stack.append(element("span", { class: "name" }, unit), bar);
  }
  return stack;
}

function facts(list) {
  const body = element("tbody");
  for (const [name, value] of list) {
    body.append(element("tr", {}, element("td", { class: "text" }, name), element("td", {}, value)));
  }
  return element("table", {}, body);
}

function showPoint(point) {
  const target = byId("point");
  target.hidden = false;
  const quoted = text => /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const command = `weft sweep show ${quoted(data.file)} --point ${point.id} --report report.html`;
  const settings = data.axes.map((name, i) => [name, axisText(name)(point.axes[i])]);
  if (point.error !== null) {
    target.replaceChildren(element("h3", {}, `Row ${point.id}: ${point.model}`), element("p", {}, point.error), facts(settings));
    return;
  }
  const figures = quantities.filter(q => !q.axis && Number.isFinite(q.of(point))).map(q => [q.name, q.text(q.of(point))]);
  figures.push(["MAC", count(point.macs)], ["bytes read", count(counter(point, "fetch_bytes") + counter(point, "load_bytes"))],
    ["bytes written", count(counter(point, "store_bytes"))], ["instructions", count(counter(point, "instructions"))],
    ["operators on the host", count(point.hostOperators)]);
  if (point.inferences > 1) figures.unshift(["inferences of the program", count(point.inferences)]);
  const all = element("details", {}, element("summary", {}, "All counters"), facts(data.counters.map((name, i) => [name, count(point.counters[i])])));
  target.replaceChildren(element("h3", {}, `Row ${point.id}: ${point.model}`), unitBars(point),
    element("div", { class: "columns", style: "margin-top:12px" }, facts(settings.concat([["began as", point.config]])), facts(figures)),
    element("p", { class: "note" }, "The whole report, with its timeline and layers: ", element("code", {}, command)), all);
}

// ---- what a step buys ----

function effectBar(ratio) {
  const part = Math.min(Math.abs(Math.log2(ratio)) / 2, 1) * 50; // half or double: half way
  const better = ratio < 1;
  return element("div", { class: "effect" }, element("i", {
    style: `background:var(--${better ? "matrix" : "store"});width:${part}%;${better ? `right:50%` : `left:50%`}` }));
}
function change(ratio) {
  return ratio === null ? "–" : `${ratio >= 1 ? "+" : "−"}${(100 * Math.abs(ratio - 1)).toFixed(1)} %`;
}

function showEffects() {
  if (data.effects.length === 0) {
    byId("effects").replaceChildren(element("p", {}, "Nothing varies."));
    return;
  }
  const body = element("tbody");
  for (const e of data.effects) {
    const text = axisText(e.axis);
    body.append(element("tr", {}, element("td", { class: "text" }, e.axis), element("td", {}, text(e.from)), element("td", {}, text(e.to)),
      element("td", {}, change(e.fitted)), element("td", { class: "bar-cell" }, effectBar(e.fitted ?? e.cycles ?? 1)), element("td", {}, count(e.pairs)), element("td", {}, change(e.cycles)),
      element("td", {}, change(e.energy)), element("td", {}, change(e.area))));
  }
  const names = ["from", "to", "cycles, fitted", "fewer or more", "pairs", "cycles", "energy", "area"];
  byId("effects").replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, element("th", { class: "text" }, "parameter"), ...names.map(name => element("th", {}, name)))), body));
}

// ---- the table: a page of rows at a time ----

const ROWS = 50;
const table = { sort: null, down: false, first: 0 };

function tableColumns() {
  const shown = quantities.filter(q => !q.name.startsWith("memory on"));
  return [{ name: "row", of: p => p.id, text: String }, { name: "model", of: p => p.model, text: v => v, isText: true },
    ...shown.filter(q => q.axis), ...shown.filter(q => !q.axis)];
}

function tableRows() {
  const withRefused = byId("refused").checked, frontOnly = byId("front-only").checked;
  const refused = withRefused ? points.filter(p => p.error !== null && (state.model === null || p.model === state.model)) : [];
  const list = [...(frontOnly ? kept.filter(p => p.front) : kept), ...refused];
  if (table.sort !== null) {
    const of = table.sort.of, sign = table.down ? -1 : 1;
    list.sort((a, b) => {
      const [x, y] = [of(a) ?? Infinity, of(b) ?? Infinity];
      return (x < y ? -1 : x > y ? 1 : 0) * sign || a.id - b.id;
    });
  }
  return list;
}

function heading(column) {
  const button = element("button", { type: "button" }, column.name);
  button.addEventListener("click", () => {
    table.down = table.sort?.name === column.name && !table.down;
    table.sort = column;
    table.first = 0;
    showTable();
  });
  const sorted = table.sort?.name === column.name ? { "aria-sort": table.down ? "descending" : "ascending" } : {};
  return element("th", { class: column.isText ? "text" : "", ...sorted }, button);
}

function tableRow(point, columns) {
  const row = element("tr", { class: point === state.chosen ? "chosen" : "" });
  for (const column of columns) {
    const value = column.of(point);
    row.append(element("td", { class: column.isText ? "text" : "" }, value === undefined || value === null ? "–" : column.text(value)));
  }
  if (point.error !== null) {
    row.title = point.error;
    row.append(element("td", { class: "text" }, point.error));
  }
  row.addEventListener("click", () => choose(point));
  return row;
}

function showTable() {
  const rows = tableRows(), columns = tableColumns();
  table.first = Math.min(table.first, Math.max(Math.ceil(rows.length / ROWS) - 1, 0) * ROWS);
  const last = Math.min(table.first + ROWS, rows.length);
  byId("place").textContent = rows.length === 0 ? "none" : `${table.first + 1} to ${last} of ${count(rows.length)}`;
  byId("before").disabled = table.first === 0;
  byId("after").disabled = last === rows.length;
  byId("points").replaceChildren(element("thead", {}, element("tr", {}, ...columns.map(heading))),
    element("tbody", {}, ...rows.slice(table.first, last).map(point => tableRow(point, columns))));
}
