// ---- the timeline: what is where, zoom, what is under the pointer ----

const LABELS = 118; // pixels left of the rows
const BANK_HEIGHT = 5;
const ARROW_WIDTH = 8; // pixels of the view for each arrow, at least: with less none are drawn

// Puts spans into as many rows as they need not to overlap.
function rowsFor(spans) {
  const ends = [];
  const row = spans.start.map((start, i) => {
    const free = ends.findIndex(end => end <= start);
    const chosen = free >= 0 ? free : ends.length;
    ends[chosen] = spans.end[i];
    return chosen;
  });
  return { row, count: Math.max(ends.length, 1) };
}

// Spans of things that have a `span`, in the order of their starts, with rows.
function spansOf(things, spanOf) {
  const sorted = things.map(thing => ({ thing, span: spanOf(thing) })).filter(entry => entry.span !== null)
    .sort((a, b) => a.span[0] - b.span[0]);
  const spans = { start: sorted.map(e => e.span[0]), end: sorted.map(e => e.span[1]), thing: sorted.map(e => e.thing) };
  spans.rows = rowsFor(spans);
  return spans;
}

function spanOfChain(chain) {
  const spans = chain.members.map(layer => layer.span).filter(span => span !== null);
  return spans.length === 0 ? null : [Math.min(...spans.map(s => s[0])), Math.max(...spans.map(s => s[1]))];
}

const LAYER_SPANS = spansOf(allLayers, layer => layer.span);
const CHAIN_SPANS = spansOf(chains, spanOfChain);
const PART_SPANS = { start: parts.map(p => p.first), end: parts.map(p => p.end) };

function rowHeight(rows) {
  return rows.count * (rows.count > 12 ? 9 : rows.count > 4 ? 15 : 17);
}
const ROWS = [
  ...(parts.length > 1 ? [{ name: "segments", kind: "parts", height: 18 }] : []),
  ...(chains.length > 0 ? [{ name: "chains", kind: "chains", height: rowHeight(CHAIN_SPANS.rows) }] : []),
  { name: "layers", kind: "layers", height: rowHeight(LAYER_SPANS.rows) },
  { name: "bound by", kind: "owned", height: 18 },
  { name: "critical path", kind: "path", height: 14 },
  { name: "dispatch", kind: "lane", lane: "dispatch", height: 14, path: "dispatch" },
  ...UNITS.flatMap(unit => [
    { name: unit, kind: "unit", unit, height: 36, path: unit },
    { name: "waits", kind: "lane", lane: unit, height: 14, soft: true },
  ]),
  { name: "memory port", kind: "port", height: 30 },
  { name: "ACT in use", kind: "curve", memory: "act", height: 42 },
  { name: "WGT in use", kind: "curve", memory: "wgt", height: 42 },
];

class Timeline {
  constructor(canvas, overlay, hover) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.hover = hover;
    this.banks = false;
    this.selecting = false;
    this.selection = null; // [from, to), positions
    this.pointed = []; // arrows of what is under the pointer
    this.onSelect = () => {};
    this.from = 1;
    this.to = wholeEnd;
    this.canvas.setAttribute("aria-label", `Timeline of ${count(runCycles)} cycles with ${allLayers.length} layers and ` +
      `${data.hostOperators.length} operators of the host; the tables below have the same figures as text.`);
    this.fit();
    listenTo(this);
  }

  setView(from, to) {
    const whole = wholeEnd - 1;
    const width = Math.min(Math.max(to - from, 20), whole);
    this.from = Math.min(Math.max(from, 1), wholeEnd - width);
    this.to = this.from + width;
    this.draw();
  }

  zoom(factor, center = (this.from + this.to) / 2) {
    this.setView(center - (center - this.from) * factor, center + (this.to - center) * factor);
  }

  move(part) {
    const cycles = (this.to - this.from) * part;
    this.setView(this.from + cycles, this.to + cycles);
  }

  fit() {
    this.setView(1, wholeEnd);
  }

  select(from, to) {
    this.selection = from === null ? null : [Math.max(Math.min(from, to), 1), Math.min(Math.max(from, to), wholeEnd)];
    this.drawOverlay();
    this.onSelect(this.selection);
  }

  view() {
    const left = LABELS, right = this.canvas.clientWidth - 1;
    const scale = (right - left) / (this.to - this.from);
    return {
      from: this.from, to: this.to, left, right, edge: color("card"),
      x: cycle => left + (cycle - this.from) * scale,
      cycle: x => this.from + (x - left) / scale,
    };
  }

  // Rows with their places, those of banks last.
  rows() {
    let top = 24;
    const rows = ROWS.map(row => {
      const placed = { ...row, top };
      top += row.height + (row.kind === "unit" ? 4 : 7);
      return placed;
    });
    for (const memory of this.banks ? data.config.memories : []) {
      const height = memory.banks * BANK_HEIGHT;
      rows.push({ name: `${memory.name.toUpperCase()} banks`, kind: "banks", memory: memory.name, top, height: Math.max(height, 14) });
      top += Math.max(height, 14) + 7;
    }
    return { rows, height: top };
  }

  prepare(canvas, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(this.canvas.clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.textBaseline = "middle";
    context.font = "12px system-ui, 'Liberation Sans', sans-serif";
    return context;
  }

  draw() {
    const { rows, height } = this.rows();
    const context = this.prepare(this.canvas, height);
    const view = this.view();
    this.drawAxis(context, view, height);
    for (const row of rows) {
      context.fillStyle = color(row.soft ? "soft" : "text");
      context.textAlign = "right";
      context.fillText(row.name, LABELS - 10, row.top + row.height / 2);
      context.textAlign = "left";
      context.fillStyle = color("idle");
      context.globalAlpha = 0.45;
      context.fillRect(view.left, row.top, view.right - view.left, row.height);
      context.globalAlpha = 1;
      this.drawRow(context, view, row);
      if (row.path !== undefined) {
        drawShares(context, view, run.pathOf[row.path], row.top + row.height - 1, 3, () => 0, [color("path")]);
      }
    }
    this.drawHosts(context, view, height);
    this.drawOverlay();
  }

  drawAxis(context, view, height) {
    const from = runCycleAt(this.from), to = runCycleAt(this.to);
    const rough = Math.max(to - from, 1) / (view.right - view.left > 600 ? 8 : 4);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].map(k => k * power).find(s => s >= rough), 1);
    context.strokeStyle = color("line");
    context.textAlign = "center";
    for (let cycle = Math.ceil(from / step) * step; cycle < to; cycle += step) {
      const x = Math.round(view.x(positionOf(cycle))) + 0.5;
      if (x < view.left || x > view.right) {
        continue;
      }
      context.beginPath();
      context.moveTo(x, 18);
      context.lineTo(x, height);
      context.stroke();
      context.fillStyle = color("soft");
      context.fillText(count(cycle), Math.min(Math.max(x, view.left + 20), view.right - 30), 9);
    }
    context.textAlign = "right";
    context.fillText("cycle", LABELS - 10, 9);
  }

  // Where the host is at work the machine rests: a hatched band over all rows.
  drawHosts(context, view, height) {
    visible(PART_SPANS, view, i => {
      if (parts[i].kind !== "host") {
        return;
      }
      const from = Math.max(view.x(parts[i].first), view.left), to = Math.min(view.x(parts[i].end), view.right);
      context.save();
      context.beginPath();
      context.rect(from, 20, to - from, height - 20);
      context.clip();
      context.strokeStyle = color("host");
      context.globalAlpha = 0.5;
      for (let x = from - height; x < to; x += 9) {
        context.beginPath();
        context.moveTo(x, height);
        context.lineTo(x + height, 0);
        context.stroke();
      }
      context.restore();
    });
  }

  drawRow(context, view, row) {
    if (row.kind === "parts") {
      drawBoxes(context, view, PART_SPANS, row.top, row.height, 1, () => 0, i => color(parts[i].kind === "host" ? "host" : "idle"),
        i => parts[i].kind === "host" ? [`host: ${parts[i].host.op}`, "host"] : [`segment ${parts[i].index}`, String(parts[i].index)], "text");
    } else if (row.kind === "chains") {
      drawBoxes(context, view, CHAIN_SPANS, row.top, row.height, CHAIN_SPANS.rows.count, i => CHAIN_SPANS.rows.row[i],
        i => layerColor(CHAIN_SPANS.thing[i].members[0].index), i => [this.chainLabel(CHAIN_SPANS.thing[i]), `${CHAIN_SPANS.thing[i].first}…`]);
    } else if (row.kind === "layers") {
      drawBoxes(context, view, LAYER_SPANS, row.top, row.height, LAYER_SPANS.rows.count, i => LAYER_SPANS.rows.row[i],
        i => layerColor(LAYER_SPANS.thing[i].index), i => [this.layerLabel(LAYER_SPANS.thing[i]), String(LAYER_SPANS.thing[i].number)]);
    } else if (row.kind === "owned") {
      drawShares(context, view, run.owned, row.top, row.height, i => run.owned.kind[i], data.uses.map(color));
    } else if (row.kind === "path") {
      drawShares(context, view, run.path, row.top, row.height, i => run.path.kind[i], data.pathKinds.map(kind => color(PATH_COLORS[kind])));
    } else if (row.kind === "unit") {
      const spans = run.units[row.unit];
      drawBoxes(context, view, spans, row.top, row.height, 2, i => i & 1, i => layerColor(spans.layer[i]),
        i => [`${run.words[spans.words[i][0]]} ${allLayers[spans.layer[i]]?.number ?? ""}`]);
    } else if (row.kind === "lane") {
      const lane = run.lanes[row.lane];
      const names = ["load", "matrix", "vector", "store", "fence", "empty"];
      drawShares(context, view, lane, row.top, row.height, i => names.indexOf(meaning(lane.kind[i]).color), names.map(color));
    } else if (row.kind === "port") {
      drawPort(context, view, run.port, row.top, row.height, MASTERS.map(color));
    } else if (row.kind === "curve") {
      const size = data.config.memories.find(memory => memory.name === row.memory).bytes;
      drawCurve(context, view, run.inUse[row.memory], size, row.top, row.height, color("busy"));
      context.fillStyle = color("soft");
      context.fillText(bytes(size), view.left + 4, row.top + 7);
    } else {
      drawBanks(context, view, (memory, bank) => memory === row.memory ? row.top + bank * BANK_HEIGHT : -10, BANK_HEIGHT - 1, color);
    }
  }

  // ---- in front of it: the selection, and arrows from what was waited for ----

  drawOverlay() {
    const { rows, height } = this.rows();
    const context = this.prepare(this.overlay, height);
    const view = this.view();
    if (this.selection !== null) {
      const from = Math.max(view.x(this.selection[0]), view.left), to = Math.min(view.x(this.selection[1]), view.right);
      context.fillStyle = color("accent");
      context.globalAlpha = 0.14;
      context.fillRect(from, 18, Math.max(to - from, 1), height - 18);
      context.globalAlpha = 1;
    }
    context.beginPath();
    context.rect(view.left, 0, view.right - view.left, height);
    context.clip();
    const most = (view.right - view.left) / ARROW_WIDTH;
    const all = this.arrowsInView(view, most);
    for (const [giver, taker] of all.length <= most ? all : []) {
      this.drawToken(context, view, rows, giver, taker, color("arrow"), 1);
    }
    for (const [giver, taker] of this.pointed) {
      this.drawToken(context, view, rows, giver, taker, color("path"), 2);
    }
  }

  // Pairs of instructions, places [unit, index]: who gave a token to one that starts in view. Once
  // there are more than `most` the rest is left out.
  arrowsInView(view, most) {
    const arrows = [];
    for (const unit of UNITS) {
      const spans = run.units[unit];
      for (let i = lowerBound(spans.start, view.from); i < spans.start.length && spans.start[i] < view.to && arrows.length <= most; i++) {
        arrows.push(...this.arrowsOf([unit, i]));
      }
    }
    return arrows;
  }

  arrowsOf([unit, i]) {
    const spans = run.units[unit];
    return spans.tokens[i].map(number => [run.place[spans.segment[i]][number], [unit, i]]).filter(([giver]) => giver !== undefined);
  }

  drawToken(context, view, rows, [fromUnit, from], [toUnit, to], style, width) {
    const y = (unit, i) => {
      const row = rows.find(r => r.unit === unit);
      return row.top + row.height * ((i & 1) * 2 + 1) / 4;
    };
    drawArrow(context, { x: view.x(run.units[fromUnit].end[from]), y: y(fromUnit, from) },
      { x: view.x(run.units[toUnit].start[to]), y: y(toUnit, to) }, style, width);
  }

  // ---- what is under the pointer ----

  // The last span that contains the cycle and that `fits`.
  find(spans, cycle, fits = () => true) {
    const reach = reachOf(spans);
    for (let i = lowerBound(spans.start, cycle + 1) - 1; i >= 0 && reach[i] > cycle; i--) {
      if (spans.end[i] > cycle && fits(i)) {
        return i;
      }
    }
    return -1;
  }

  describe(x, y) {
    const row = this.rows().rows.find(r => y >= r.top && y < r.top + r.height);
    const cycle = Math.floor(this.view().cycle(x));
    if (row === undefined || x < LABELS || cycle >= wholeEnd) {
      return null;
    }
    const part = partAt(cycle);
    if (part.kind === "host") {
      return { title: `host: ${part.host.op} ${shapeText(part.host.shape)}, ${tensorText(part.host.tensor)}`,
        code: `${count(part.host.elements)} elements; no cycles of the machine: ${part.host.reason}` };
    }
    const inRow = rows => Math.floor((y - row.top) / row.height * rows);
    return this.describeRow(row, cycle, inRow);
  }

  describeRow(row, cycle, inRow) {
    if (row.kind === "unit") {
      const spans = run.units[row.unit];
      const i = this.find(spans, cycle, k => (k & 1) === inRow(2));
      return i < 0 ? null : this.describeInstruction(row.unit, i);
    }
    if (row.kind === "parts") {
      const part = partAt(cycle);
      return { title: `segment ${part.index}: ${count(part.cycles)} cycles`, code: cycleText(cycle) };
    }
    if (row.kind === "chains") {
      const i = this.find(CHAIN_SPANS, cycle, k => CHAIN_SPANS.rows.row[k] === inRow(CHAIN_SPANS.rows.count));
      return i < 0 ? null : this.describeChain(CHAIN_SPANS.thing[i]);
    }
    if (row.kind === "layers") {
      const i = this.find(LAYER_SPANS, cycle, k => LAYER_SPANS.rows.row[k] === inRow(LAYER_SPANS.rows.count));
      return i < 0 ? null : this.describeLayer(LAYER_SPANS.thing[i]);
    }
    if (row.kind === "owned") {
      const i = this.find(run.owned, cycle);
      return i < 0 ? null : { title: `${data.uses[run.owned.kind[i]]}, of ${this.layerText(run.owned.layer[i])}`, code: this.spanText(run.owned, i) };
    }
    if (row.kind === "path") {
      return this.describePath(this.find(run.path, cycle));
    }
    if (row.kind === "lane") {
      return this.describeLane(row.lane, this.find(run.lanes[row.lane], cycle));
    }
    if (row.kind === "port") {
      const master = MASTERS.find(name => this.find(run.port[name], cycle) >= 0);
      return { title: `memory port: ${master ?? "idle"}`, code: cycleText(cycle) };
    }
    if (row.kind === "curve") {
      const curve = run.inUse[row.memory];
      const i = lowerBound(curve.cycle, cycle + 1) - 1;
      return { title: `${row.memory.toUpperCase()}: ${bytes(i < 0 ? 0 : curve.bytes[i])} in use`, code: cycleText(cycle) };
    }
    return null;
  }

  layerLabel(layer) {
    return `${layer.number} ${layer.op}`;
  }
  chainLabel(chain) {
    return `chain of ${chain.first} to ${chain.first + chain.members.length - 1}`;
  }

  layerText(index) {
    if (index < 0) {
      return "no layer";
    }
    const layer = allLayers[index];
    return `layer ${this.layerLabel(layer)} ${shapeText(layer.shape)}, ${tensorText(layer.tensor)}`;
  }

  spanText(spans, i) {
    const first = cycleText(spans.start[i]), cycles = spans.end[i] - spans.start[i];
    return `${first}, ${count(cycles)} cycle${cycles === 1 ? "" : "s"}`;
  }

  describeLayer(layer) {
    return { title: this.layerText(layer.index), layer: layer.index,
      code: `${count(layer.cycles)} cycles, ${verdictText(layer)}; the model calls its result ${layer.tensor}` };
  }

  describeChain(chain) {
    return { title: this.chainLabel(chain), span: spanOfChain(chain),
      code: `${count(chain.cycles)} cycles, ${verdictText(chain)}; layers ${chain.members.map(layer => this.layerLabel(layer)).join(", ")}` };
  }

  describePath(i) {
    if (i < 0) {
      return null;
    }
    const number = run.path.number[i], place = run.place[run.path.segment[i]][number];
    return { title: `critical path: ${data.pathKinds[run.path.kind[i]]} of instruction ${number}` +
      (place === undefined ? "" : `, ${this.layerText(run.units[place[0]].layer[place[1]])}`),
    code: this.spanText(run.path, i), arrows: place === undefined ? [] : this.arrowsOf(place) };
  }

  // A wait ends with the start of the next instruction of the unit, which had no token of another.
  describeLane(name, i) {
    if (i < 0) {
      return null;
    }
    const lane = run.lanes[name];
    const what = lane.kind[i] >= data.counters.length ? { text: "at work", color: "" } : meaning(lane.kind[i]);
    const found = { title: `${name} ${what.text}`, code: this.spanText(lane, i), arrows: [] };
    const spans = run.units[name];
    if (spans !== undefined && UNITS.includes(what.color)) {
      const next = lowerBound(spans.start, lane.end[i]);
      found.arrows = next >= spans.start.length ? [] : this.arrowsOf([name, next]).filter(([giver]) => giver[0] === what.color);
      for (const [[unit, giver]] of found.arrows) {
        found.code += `; for instruction ${run.units[unit].number[giver]} of ${this.layerText(run.units[unit].layer[giver])}`;
      }
    }
    return found;
  }

  describeInstruction(unit, i) {
    const spans = run.units[unit];
    const arrows = this.arrowsOf([unit, i]);
    return {
      title: `${unit}, instruction ${spans.number[i]}, ${this.spanText(spans, i)} · ${this.layerText(spans.layer[i])}`,
      code: spans.words[i].map(word => run.words[word]).join(" ") +
        (arrows.length === 0 ? "" : ` · waited for ${arrows.map(([giver]) => `${giver[0]} ${run.units[giver[0]].number[giver[1]]}`).join(", ")}`),
      layer: spans.layer[i], arrows,
    };
  }

  tell(found) {
    const before = this.pointed;
    this.pointed = found?.arrows ?? [];
    if (this.pointed.flat(2).join() !== before.flat(2).join()) {
      this.drawOverlay();
    }
    if (found !== null && found.title + found.code !== this.told) {
      this.told = found.title + found.code;
      this.hover.replaceChildren(element("b", {}, found.title), element("br"), element("code", {}, found.code));
    }
  }
}
