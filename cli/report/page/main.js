// ---- the page ----

function showTotals() {
  const cycles = total("cycles");
  const macs = allLayers.reduce((sum, layer) => sum + layer.macs, 0);
  const figures = [
    ["cycles", count(cycles)],
    ["of peak", percent(macs, data.config.block ** 2 * cycles)],
    ["MAC", short(macs)],
    ["bytes read", bytes(total("fetch_bytes") + total("load_bytes"))],
    ["bytes written", bytes(total("store_bytes"))],
    ["instructions", count(total("instructions"))],
    ["layers", count(allLayers.length)],
    ["operators on the host", count(data.hostOperators.length)],
    ["of MAC on the host", percent(data.host.macs_share, 1)],
    ["of elements on the host", percent(data.host.elements_share, 1)],
  ];
  document.title = `${data.model} on ${data.config.name} – Weft report`;
  document.getElementById("model").textContent = data.model;
  document.getElementById("subtitle").textContent = `Configuration ${data.config.name}: ${data.config.block} × ${data.config.block} multipliers, ` +
    `${data.config.width} bytes a cycle of external memory, latency ${data.config.latency} cycles` +
    (data.config.interval > 1 ? `, a beat every ${data.config.interval} cycles.` : ".");
  document.getElementById("totals").append(...figures.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function showTimeline() {
  if (data.segments.length === 0) {
    document.getElementById("hover").textContent = "The machine carries out no operator.";
    return;
  }
  const timeline = new Timeline(document.getElementById("timeline"), document.getElementById("hover"));
  const choice = document.getElementById("segment");
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const actions = { in: () => timeline.zoom(0.5), out: () => timeline.zoom(2), fit: () => timeline.fit() };
    button.addEventListener("click", actions[button.dataset.zoom]);
  }
  document.getElementById("banks").addEventListener("change", event => {
    timeline.banks = event.target.checked;
    timeline.draw();
  });
  data.segments.forEach((segment, index) => choice.append(element("option", { value: String(index) }, String(index))));
  document.getElementById("segment-choice").hidden = data.segments.length < 2;
  choice.addEventListener("change", () => timeline.show(Number(choice.value)));
  new ResizeObserver(() => timeline.draw()).observe(document.getElementById("timeline").parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.draw());
  document.getElementById("timeline-legend").replaceWith(legend([["load", "waits for load"], ["matrix", "for matrix"],
    ["vector", "for vector"], ["store", "for store"], ["fence", "FENCE or HALT waits"], ["empty", "no instruction"],
    ["fetch", "fetch on the port"]]));
}

function fail(error) {
  const place = document.getElementById("error");
  place.textContent = `This report could not be drawn: ${error.message ?? error}`;
  place.hidden = false;
  document.documentElement.dataset.failed = "true";
}

window.addEventListener("error", event => fail(event.error ?? event.message));
try {
  showTotals();
  showTimeline();
  showCycles(document.getElementById("cycles"));
  showRoofline(document.getElementById("roofline"));
  showMemory(document.getElementById("memory"));
  showLayers(document.getElementById("layers"));
  showHost(document.getElementById("host"));
  document.documentElement.dataset.ready = "true";
} catch (error) {
  fail(error);
}
