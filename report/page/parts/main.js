// ---- the page ----

function showTotals() {
  const cycles = total("cycles");
  const macs = allLayers.reduce((sum, layer) => sum + layer.macs, 0);
  // Cycles and counters are of the whole program; time and energy are of one of its inferences.
  const { inferences } = data.origin;
  const each = inferences > 1 ? " an inference" : "";
  const several = inferences > 1 ? [["inferences", count(inferences)]] : [];
  const time = data.origin.clock_mhz === undefined ? [] : [
    [`ms${each} at ${data.origin.clock_mhz} MHz`, data.origin.milliseconds.toPrecision(4)],
    ["inferences a second", data.origin.inferences_per_second.toPrecision(4)],
  ];
  const spent = data.origin.energy;
  const parts = spent === undefined ? [] : Object.entries(spent).filter(([name]) => name !== "technology" && name !== "total");
  const energy = spent === undefined ? [] : [[`µJ${each}, ${spent.technology}`, (spent.total / inferences).toPrecision(4)],
    ...parts.filter(([, value]) => value > 0).map(([name, value]) => [`of it ${name}`, percent(value, spent.total)])];
  const taken = data.origin.area;
  const area = taken === undefined ? [] : [[`${taken.unit}, ${taken.target}`, count(Math.round(taken.total))],
    ...Object.entries(taken.resources).filter(([name]) => name !== taken.unit).map(([name, value]) => [name, count(Math.round(value))])];
  const figures = [
    ["cycles", count(cycles)],
    ...several,
    ...time,
    ...energy,
    ...area,
    ["of peak", percent(macs, data.config.block ** 2 * cycles)],
    ["MAC", short(macs)],
    ["bytes read", bytes(total("fetch_bytes") + total("load_bytes"))],
    ["bytes written", bytes(total("store_bytes"))],
    ["instructions", count(total("instructions"))],
    ["layers", count(allLayers.length)],
    ["segments", count(data.segments.length)],
    ["operators on the host", count(data.hostOperators.length)],
    ["of MAC on the host", percent(data.host.macs_share, 1)],
    ["of elements on the host", percent(data.host.elements_share, 1)],
  ];
  document.title = `${data.model} on ${data.config.name} – Weft report`;
  document.getElementById("title").textContent = data.model;
  document.getElementById("subtitle").textContent = `Configuration ${data.config.name}: ${data.config.block} × ${data.config.block} multipliers, ` +
    `${data.config.width} bytes a cycle of external memory, latency ${data.config.latency} cycles` +
    (data.config.interval > 1 ? `, a beat every ${data.config.interval} cycles.` : ".");
  document.getElementById("totals").append(...figures.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

let timeline = null;

function showTimeline() {
  if (data.segments.length === 0) {
    document.getElementById("hover").textContent = "The machine carries out no operator.";
    return;
  }
  timeline = new Timeline(document.getElementById("timeline"), document.getElementById("overlay"), document.getElementById("hover"));
  const select = document.getElementById("select");
  timeline.onSelect = selection => showRange(document.getElementById("range"), selection);
  select.addEventListener("click", () => {
    timeline.selecting = !timeline.selecting;
    select.setAttribute("aria-pressed", String(timeline.selecting));
  });
  document.getElementById("select-view").addEventListener("click", () => timeline.select(timeline.from, timeline.to));
  document.getElementById("select-none").addEventListener("click", () => timeline.select(null));
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const actions = { in: () => timeline.zoom(0.5), out: () => timeline.zoom(2), fit: () => timeline.fit() };
    button.addEventListener("click", actions[button.dataset.zoom]);
  }
  document.getElementById("banks").addEventListener("change", event => {
    timeline.banks = event.target.checked;
    timeline.draw();
  });
  new ResizeObserver(() => timeline.draw()).observe(document.getElementById("timeline").parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.draw());
  document.getElementById("timeline-legend").replaceWith(legend([["matrix", "matrix, or waits for it"], ["vector", "vector"],
    ["load", "load"], ["store", "store"], ["fetch", "fetch"], ["latency", "latency"], ["fence", "FENCE or HALT waits"], ["empty", "no instruction"],
    ["host", "on the host"], ["path", "critical path"], ["arrow", "from what was waited for"], ["layer", "layers: shades of blue"]]));
}

// What the figures are figures of.
function showOrigin() {
  const { origin } = data;
  const overrides = Object.entries(origin.overrides).map(([name, value]) => `${name} ${value}`).join(", ");
  document.getElementById("origin").append(element("table", {}, element("tbody", {}, ...[
    ["Weft", origin.version], ["command", origin.command.join(" ")], ["model", `${origin.model}, fingerprint ${origin.model_fingerprint}`],
    ["configuration", `${origin.config}, fingerprint ${origin.config_fingerprint}`],
    ["parameters", Object.entries(origin.parameters).map(([name, value]) => `${name} ${count(value)}`).join(", ")],
    ["overrides", overrides === "" ? "none" : overrides],
  ].map(([name, text]) => element("tr", {}, element("td", { class: "text" }, name), element("td", { class: "text wrap" }, text))))));
}

try {
  showTotals();
  showTimeline();
  showCycles(document.getElementById("cycles"));
  showRoofline(document.getElementById("roofline"));
  showMemory(document.getElementById("memory"));
  showLayers(document.getElementById("layers"));
  showHost(document.getElementById("host"));
  showOrigin();
  document.documentElement.dataset.ready = "true";
} catch (error) {
  fail(error);
}
