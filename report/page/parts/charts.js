// ---- where every cycle went ----

// Parts of a unit's cycles: the counters of every segment, added up.
function unitParts(unit) {
  const work = { matrix: ["matrix_stream", "streaming"], vector: ["vector_slots", "taking slots"] }[unit];
  const busy = total(`${unit}_busy`);
  const parts = [];
  if (work === undefined) {
    parts.push({ color: "busy", text: "busy", cycles: busy });
  } else {
    parts.push({ color: "busy", text: work[1], cycles: total(work[0]) });
    parts.push({ color: "drain", text: "filling and draining", cycles: busy - total(work[0]) });
  }
  for (const other of UNITS.filter(name => name !== unit)) {
    parts.push({ color: other, text: `waits for ${other}`, cycles: total(`${unit}_wait_${other}`) });
  }
  parts.push({ color: "empty", text: "no instruction", cycles: total(`${unit}_empty`) });
  return parts;
}

function dispatchParts(cycles) {
  const parts = UNITS.map(unit => ({ color: unit, text: `queue of ${unit} full`, cycles: total(`dispatch_full_${unit}`) }));
  parts.push({ color: "fence", text: "FENCE or HALT waits", cycles: total("dispatch_fence") });
  parts.push({ color: "empty", text: "waits for fetch", cycles: total("dispatch_empty") });
  const waits = parts.reduce((sum, part) => sum + part.cycles, 0);
  return [{ color: "busy", text: "at work", cycles: cycles - waits }, ...parts];
}

function portParts(cycles) {
  const parts = MASTERS.map(master => ({ color: master, text: `${master} beats`, cycles: total(`${master}_beats`) * data.config.interval }));
  const beats = parts.reduce((sum, part) => sum + part.cycles, 0);
  return [...parts, { color: "idle", text: "idle", cycles: cycles - beats }];
}

// What the cycles of the run are spent on, those of all layers added up.
function runParts() {
  const words = { matrix: "matrix streams", vector: "waits for vector", load: "waits for beats of load, or FILL", store: "waits for beats of store",
    fetch: "waits for beats of fetch", latency: "latency" };
  return data.uses.map(use => ({ color: use, text: words[use], cycles: allLayers.reduce((sum, layer) => sum + layer.uses[use], 0) }));
}

function showCycles(target) {
  const cycles = total("cycles");
  const bars = [
    ["run", runParts()],
    ...UNITS.map(unit => [unit, unitParts(unit)]),
    ["dispatch", dispatchParts(cycles)],
    ["memory port", portParts(cycles)],
  ];
  const stack = element("div", { class: "stack" });
  const body = element("tbody");
  for (const [name, parts] of bars) {
    const sum = parts.reduce((all, part) => all + part.cycles, 0);
    if (sum !== cycles || parts.some(part => part.cycles < 0)) {
      throw new Error(`${name}: ${sum} of ${cycles} cycles are accounted for`);
    }
    const bar = element("div", { class: "bar", role: "img", "aria-label": `${name}: ` +
      parts.map(part => `${part.text} ${percent(part.cycles, cycles)}`).join(", ") });
    for (const part of parts.filter(p => p.cycles > 0)) {
      const share = 100 * part.cycles / cycles;
      bar.append(element("span", { class: part.color === "busy" ? "dark" : "", style: `width:${share}%;background:var(--${part.color})`,
        title: `${name}: ${part.text}, ${count(part.cycles)} cycles, ${percent(part.cycles, cycles)}` },
      share >= 5 ? `${share.toFixed(share >= 10 ? 0 : 1)} %` : ""));
      body.append(element("tr", {}, element("td", { class: "text" }, name), element("td", { class: "text" }, part.text),
        element("td", {}, count(part.cycles)), element("td", {}, percent(part.cycles, cycles))));
    }
    stack.append(element("div", { class: "name" }, name), bar);
  }
  target.append(stack, legend([["busy", "at work"], ["drain", "filling and draining"], ["load", "load"], ["matrix", "matrix"],
    ["vector", "vector"], ["store", "store"], ["fetch", "fetch"], ["latency", "latency"], ["fence", "FENCE or HALT"], ["empty", "no instruction"]]),
  element("details", {}, element("summary", {}, "The same as a table"),
    element("table", { id: "cycle-table" }, element("thead", {}, element("tr", {}, element("th", { class: "text" }, "unit"),
      element("th", { class: "text" }, "what"), element("th", {}, "cycles"), element("th", {}, "share"))), body)));
}

function legend(entries) {
  return element("ul", { class: "legend" }, ...entries.map(([name, text]) =>
    element("li", {}, element("i", { style: `background:var(--${name})` }), text)));
}

// ---- roofline ----

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Layers that multiply, with cycles of their own. Those without bytes of external memory have no
// intensity: they stand in a column beside the chart.
function rooflinePoints() {
  return allLayers.filter(layer => layer.macs > 0 && layer.cycles > 0).map(layer =>
    ({ layer, rate: layer.macs / layer.cycles, intensity: layer.external_bytes > 0 ? layer.macs / layer.external_bytes : null }));
}

// The scales of the chart: pixels for MAC a byte and MAC a cycle.
function rooflineScales(points, peak, width) {
  const box = { W: 1180, H: 430, left: 64, right: 140, top: 16, bottom: 48 };
  const known = points.filter(p => p.intensity !== null).map(p => p.intensity);
  const low = Math.min(peak / width / 8, ...known) / 1.4, high = Math.max(peak / width * 8, ...known) * 1.4;
  const least = Math.min(peak / 30, ...points.map(p => p.rate)) / 1.4;
  return { ...box, low, high, least, peak, width, beside: box.W - 62,
    x: v => box.left + (box.W - box.left - box.right) * Math.log(v / low) / Math.log(high / low),
    y: v => box.H - box.bottom - (box.H - box.top - box.bottom) * Math.log(v / least) / Math.log(peak * 1.6 / least) };
}

function rooflineGrid(chart, s) {
  for (const [from, to, along] of [[s.low, s.high, s.x], [s.least, s.peak * 1.6, s.y]]) {
    for (let power = Math.ceil(Math.log10(from)); 10 ** power < to; power++) {
      const at = along(10 ** power), text = 10 ** power < 1 ? String(10 ** power) : count(10 ** power);
      const line = along === s.x ? { x1: at, x2: at, y1: s.top, y2: s.H - s.bottom } : { x1: s.left, x2: s.W - s.right, y1: at, y2: at };
      const label = along === s.x ? { x: at, y: s.H - s.bottom + 18, "text-anchor": "middle" } : { x: s.left - 8, y: at + 4, "text-anchor": "end" };
      chart.append(svg("line", { class: "grid", ...line }), svg("text", { class: "soft", ...label }, text));
    }
  }
}

function rooflineRoof(chart, s, hasBeside) {
  const start = Math.max(s.low, s.least / s.width), middle = Math.sqrt(start * s.peak / s.width);
  chart.append(svg("path", { class: "roof", d: `M${s.x(start)} ${s.y(start * s.width)}L${s.x(s.peak / s.width)} ${s.y(s.peak)}L${s.x(s.high)} ${s.y(s.peak)}` }),
    svg("text", { x: s.W - s.right - 6, y: s.y(s.peak) - 18, "text-anchor": "end" }, `${s.peak} MAC a cycle`),
    svg("text", { x: s.x(middle) - 10, y: s.y(middle * s.width) - 6, "text-anchor": "end" }, `${s.width} bytes a cycle`),
    svg("text", { class: "soft", x: (s.left + s.W - s.right) / 2, y: s.H - 8, "text-anchor": "middle" }, "MAC for each byte of external memory"),
    svg("text", { class: "soft", x: 16, y: s.H / 2, transform: `rotate(-90 16 ${s.H / 2})`, "text-anchor": "middle" }, "MAC a cycle"));
  if (hasBeside) {
    chart.append(svg("rect", { class: "beside", x: s.beside - 48, y: s.top, width: 96, height: s.H - s.top - s.bottom }),
      svg("text", { class: "soft", x: s.beside, y: s.H - s.bottom + 18, "text-anchor": "middle" }, "no bytes"));
  }
}

function showRoofline(target) {
  const points = rooflinePoints();
  const peak = data.config.block ** 2, width = data.config.width / data.config.interval;
  if (points.length === 0) {
    target.append(element("p", {}, "No layer multiplies."));
    return;
  }
  const s = rooflineScales(points, peak, width);
  const chart = svg("svg", { viewBox: `0 0 ${s.W} ${s.H}`, role: "img", "aria-label":
    `Roofline: ${points.length} layers under ${peak} MAC a cycle and ${width} bytes a cycle; the layer table has the figures.` });
  rooflineGrid(chart, s);
  rooflineRoof(chart, s, points.some(p => p.intensity === null));
  const most = Math.max(...points.map(p => p.layer.macs));
  let beside = 0;
  for (const point of [...points].sort((a, b) => b.layer.macs - a.layer.macs)) {
    const { layer } = point, radius = 5 + 7 * Math.sqrt(layer.macs / most);
    const cx = point.intensity === null ? s.beside + 16 * (beside++ % 5 - 2) : s.x(point.intensity), cy = s.y(point.rate);
    chart.append(svg("g", {},
      svg("title", {}, `${layer.number} ${layer.op} ${shapeText(layer.shape)}: ${point.rate.toFixed(1)} MAC a cycle, ` +
        (point.intensity === null ? "no bytes of external memory" : `${point.intensity.toFixed(1)} MAC for each byte`)),
      svg("circle", { cx, cy, r: radius, fill: layerColor(layer.index), "data-bytes": layer.external_bytes }),
      svg("text", { x: cx, y: cy + 3.5, "text-anchor": "middle",
        style: "font-size:10px;fill:#10151a;pointer-events:none" }, String(layer.number))));
  }
  target.append(chart);
}

// ---- memory map ----

function sizeBar(part, whole) {
  return element("span", { class: "meter", "aria-hidden": "true" }, element("i", { style: `width:${whole > 0 ? 100 * part / whole : 0}%` }));
}

function memoryTable(caption, headings, rows) {
  return element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...headings.map((text, i) => element("th", i === 0 ? { class: "text" } : {}, text)))),
    element("tbody", {}, ...rows.map(cells => element("tr", {}, ...cells.map((cell, i) =>
      element("td", i === 0 ? { class: "text" } : {}, cell))))));
}

function showMemory(target) {
  data.segments.forEach((segment, index) => {
    const where = data.segments.length > 1 ? ` of segment ${index}` : "";
    const all = segment.regions.reduce((sum, region) => sum + region.bytes, 0);
    target.append(
      memoryTable(`External memory${where}: ${bytes(all)}`, ["region", "bytes", "share", ""],
        segment.regions.map(region => [region.name, count(region.bytes), percent(region.bytes, all), sizeBar(region.bytes, all)])),
      memoryTable(`On-chip memories${where}`, ["memory", "bytes", "banks", "most in use", ""],
        data.config.memories.map(memory => {
          const { peak } = segment.inUse[memory.name];
          return [memory.name.toUpperCase(), count(memory.bytes), count(memory.banks),
            `${count(peak)} (${percent(peak, memory.bytes)})`, sizeBar(peak, memory.bytes)];
        })));
  });
}
