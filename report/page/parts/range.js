// ---- totals of a range of cycles ----

// Cycles of spans inside [from, to), added up by kind.
function cyclesBetween(spans, from, to, kindOf) {
  const sums = new Map();
  visible(spans, { from, to }, i => {
    const kind = kindOf(i);
    const cycles = Math.min(spans.end[i], to) - Math.max(spans.start[i], from);
    sums.set(kind, (sums.get(kind) ?? 0) + cycles);
  });
  return sums;
}

function totalsOf(from, to) {
  let cycles = 0;
  for (const part of parts.filter(p => p.kind === "segment")) {
    cycles += Math.max(Math.min(part.end, to) - Math.max(part.first, from), 0);
  }
  return {
    cycles,
    uses: cyclesBetween(run.owned, from, to, i => run.owned.kind[i]),
    layers: cyclesBetween(run.owned, from, to, i => run.owned.layer[i]),
    units: Object.fromEntries(UNITS.map(unit => [unit, cyclesBetween(run.lanes[unit], from, to, i => meaning(run.lanes[unit].kind[i]).color)])),
    port: Object.fromEntries(MASTERS.map(master => [master, cyclesBetween(run.port[master], from, to, () => 0).get(0) ?? 0])),
    hosts: parts.filter(part => part.kind === "host" && part.first < to && part.end > from).length,
  };
}

function rangeTable(caption, headings, rows) {
  return element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...headings.map((text, i) => element("th", i === 0 ? { class: "text" } : {}, text)))),
    element("tbody", {}, ...rows.map(cells => element("tr", {}, ...cells.map((cell, i) => element("td", i === 0 ? { class: "text" } : {}, cell))))));
}

function showRange(target, selection) {
  target.replaceChildren();
  target.hidden = selection === null;
  if (selection === null) {
    return;
  }
  const from = Math.floor(selection[0]), to = Math.max(Math.ceil(selection[1]), from + 1);
  const totals = totalsOf(from, to);
  const clock = data.origin.clock_mhz;
  const layers = [...totals.layers].sort((a, b) => b[1] - a[1]);
  const kinds = ["busy", ...UNITS, "empty"];
  target.append(
    element("h3", {}, `Selected: ${cycleText(from)} to ${cycleText(to - 1)}`),
    element("p", { id: "range-cycles" }, `${count(totals.cycles)} cycles, ${percent(totals.cycles, runCycles)} of the run` +
      (clock === undefined ? "" : `, ${(totals.cycles / clock / 1e3).toPrecision(4)} ms`) +
      (totals.hosts > 0 ? `; ${count(totals.hosts)} operators on the host` : "")),
    element("div", { class: "columns" },
      rangeTable("Bound by", ["what", "cycles", "share"], data.uses.map((use, i) =>
        [use, count(totals.uses.get(i) ?? 0), percent(totals.uses.get(i) ?? 0, totals.cycles)])),
      rangeTable(layers.length > 8 ? `The 8 layers of ${count(layers.length)} with most cycles` : "Layers", ["layer", "cycles", "share"],
        layers.slice(0, 8).map(([index, cycles]) => [`${allLayers[index].number} ${allLayers[index].op}`, count(cycles), percent(cycles, totals.cycles)])),
      rangeTable("Units", ["unit", "busy", ...UNITS.map(unit => `waits for ${unit}`), "no instr."], UNITS.map(unit =>
        [unit, ...kinds.map(kind => count(totals.units[unit].get(kind) ?? 0))])),
      rangeTable("Memory port", ["of", "cycles", "share"], MASTERS.map(master => [master, count(totals.port[master]), percent(totals.port[master], totals.cycles)]))));
}
