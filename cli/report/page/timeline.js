// ---- the timeline: what is where, zoom, what is under the pointer ----

const LABELS = 118; // pixels left of the rows
const ROWS = [
  { name: "layers", kind: "layers", height: 54 },
  { name: "dispatch", kind: "lane", lane: "dispatch", height: 14 },
  ...UNITS.flatMap(unit => [
    { name: unit, kind: "unit", unit, height: 36 },
    { name: "waits", kind: "lane", lane: unit, height: 14, soft: true },
  ]),
  { name: "memory port", kind: "port", height: 30 },
  { name: "ACT in use", kind: "curve", memory: "act", height: 42 },
  { name: "WGT in use", kind: "curve", memory: "wgt", height: 42 },
];
const BANK_HEIGHT = 5;

// Puts spans into rows so that they overlap as little as can be.
function rowsFor(spans, most) {
  const ends = new Array(most).fill(0);
  return spans.start.map((start, i) => {
    const free = ends.findIndex(end => end <= start);
    const row = free >= 0 ? free : ends.indexOf(Math.min(...ends));
    ends[row] = spans.end[i];
    return row;
  });
}

class Timeline {
  constructor(canvas, hover) {
    this.canvas = canvas;
    this.hover = hover;
    this.banks = false;
    this.decoded = [];
    this.show(0);
    this.listen();
  }

  show(index) {
    this.index = index;
    this.decoded[index] ??= decodeSegment(data.segments[index]);
    this.segment = this.decoded[index];
    const layers = this.segment.layers.map((layer, i) => ({ ...layer, i })).filter(layer => layer.first > 0)
      .sort((a, b) => a.first - b.first);
    this.layerSpans = { start: layers.map(l => l.first), end: layers.map(l => l.last + 1), layer: layers.map(l => l.i) };
    this.layerRows = rowsFor(this.layerSpans, 3);
    this.setView(1, this.segment.cycles + 1);
    this.canvas.setAttribute("aria-label", `Timeline of ${count(this.segment.cycles)} cycles with ${layers.length} layers; ` +
      "the tables below have the same figures as text.");
  }

  setView(from, to) {
    const whole = this.segment.cycles;
    const width = Math.min(Math.max(to - from, 20), whole);
    this.from = Math.min(Math.max(from, 1), whole + 1 - width);
    this.to = this.from + width;
    this.draw();
  }

  zoom(factor, center = (this.from + this.to) / 2) {
    this.setView(center - (center - this.from) * factor, center + (this.to - center) * factor);
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
      top += row.height + (row.kind === "unit" ? 1 : 7);
      return placed;
    });
    for (const memory of this.banks ? data.config.memories : []) {
      const height = memory.banks * BANK_HEIGHT;
      rows.push({ name: `${memory.name.toUpperCase()} banks`, kind: "banks", memory: memory.name, top, height: Math.max(height, 14) });
      top += Math.max(height, 14) + 7;
    }
    return { rows, height: top };
  }

  draw() {
    const { rows, height } = this.rows();
    const ratio = window.devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.textBaseline = "middle";
    context.font = "12px system-ui, 'Liberation Sans', sans-serif";
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
    }
  }

  drawAxis(context, view, height) {
    const rough = (this.to - this.from) / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max([1, 2, 5, 10].map(k => k * power).find(s => s >= rough), 1);
    context.strokeStyle = color("line");
    context.textAlign = "center";
    for (let cycle = Math.ceil(this.from / step) * step; cycle < this.to; cycle += step) {
      const x = Math.round(view.x(cycle)) + 0.5;
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

  drawRow(context, view, row) {
    const segment = this.segment;
    if (row.kind === "layers") {
      const spans = this.layerSpans;
      drawBoxes(context, view, spans, row.top, row.height, 3, i => this.layerRows[i], i => layerColor(spans.layer[i]),
        i => [this.layerLabel(spans.layer[i]), String(layerNumber(this.index, spans.layer[i]))]);
    } else if (row.kind === "unit") {
      const spans = segment.units[row.unit];
      drawBoxes(context, view, spans, row.top, row.height, 2, i => i & 1, i => layerColor(spans.layer[i]),
        i => [`${segment.words[spans.words[i][0]]} ${layerNumber(this.index, spans.layer[i])}`]);
    } else if (row.kind === "lane") {
      const lane = segment.lanes[row.lane];
      const names = ["load", "matrix", "vector", "store", "fence", "empty"];
      drawShares(context, view, lane, row.top, row.height, i => names.indexOf(meaning(lane.kind[i]).color), names.map(color));
    } else if (row.kind === "port") {
      drawPort(context, view, segment.port, row.top, row.height, MASTERS.map(color));
    } else if (row.kind === "curve") {
      const size = data.config.memories.find(memory => memory.name === row.memory).bytes;
      drawCurve(context, view, segment.inUse[row.memory], size, row.top, row.height, color("busy"));
      context.fillStyle = color("soft");
      context.fillText(bytes(size), view.left + 4, row.top + 7);
    } else {
      drawBanks(context, view, segment, (memory, bank) => memory === row.memory ? row.top + bank * BANK_HEIGHT : -10,
        BANK_HEIGHT - 1, color);
    }
  }

  // ---- what is under the pointer ----

  // The last span that contains the cycle and that `fits`.
  find(spans, cycle, fits = () => true) {
    for (let i = lowerBound(spans.start, cycle + 1) - 1, tries = 0; i >= 0 && tries < 40; i--, tries++) {
      if (spans.end[i] > cycle && fits(i)) {
        return i;
      }
    }
    return -1;
  }

  describe(x, y) {
    const row = this.rows().rows.find(r => y >= r.top && y < r.top + r.height);
    const cycle = Math.floor(this.view().cycle(x));
    if (row === undefined || x < LABELS) {
      return null;
    }
    const inRow = rows => Math.floor((y - row.top) / row.height * rows);
    if (row.kind === "unit") {
      const spans = this.segment.units[row.unit];
      const i = this.find(spans, cycle, k => (k & 1) === inRow(2));
      return i < 0 ? null : this.describeInstruction(row.unit, spans, i);
    }
    if (row.kind === "layers") {
      const i = this.find(this.layerSpans, cycle, k => this.layerRows[k] === inRow(3));
      return i < 0 ? null : { title: this.layerText(this.layerSpans.layer[i]), layer: this.layerSpans.layer[i], code: "" };
    }
    if (row.kind === "lane") {
      const lane = this.segment.lanes[row.lane];
      const i = this.find(lane, cycle);
      const text = i < 0 || lane.kind[i] >= data.counters.length ? "at work" : meaning(lane.kind[i]).text;
      return i < 0 ? null : { title: `${row.lane} ${text}`, code: `cycles ${count(lane.start[i])} to ${count(lane.end[i] - 1)}` };
    }
    if (row.kind === "port") {
      const master = MASTERS.find(name => this.find(this.segment.port[name], cycle) >= 0);
      return { title: `memory port: ${master ?? "idle"}`, code: `cycle ${count(cycle)}` };
    }
    if (row.kind === "curve") {
      const curve = this.segment.inUse[row.memory];
      const i = lowerBound(curve.cycle, cycle + 1) - 1;
      return { title: `${row.memory.toUpperCase()}: ${bytes(i < 0 ? 0 : curve.bytes[i])} in use`, code: `cycle ${count(cycle)}` };
    }
    return null;
  }

  layerLabel(position) {
    return `${layerNumber(this.index, position)} ${this.segment.layers[position].op}`;
  }

  layerText(position) {
    if (position < 0) {
      return "no layer";
    }
    const layer = this.segment.layers[position];
    return `layer ${this.layerLabel(position)} ${shapeText(layer.shape)}, ${layer.tensor}`;
  }

  describeInstruction(unit, spans, i) {
    return {
      title: `${unit}, instruction ${spans.number[i]}, cycles ${count(spans.start[i])} to ${count(spans.end[i] - 1)} ` +
        `(${count(spans.end[i] - spans.start[i])}) · ${this.layerText(spans.layer[i])}`,
      code: spans.words[i].map(word => this.segment.words[word]).join(" "),
      layer: spans.layer[i],
    };
  }

  tell(found) {
    if (found !== null) {
      this.hover.replaceChildren(element("b", {}, found.title), element("br"), element("code", {}, found.code));
    }
  }

  listen() {
    const canvas = this.canvas;
    let drag = null;
    canvas.addEventListener("pointerdown", event => {
      drag = { x: event.offsetX, from: this.from, to: this.to };
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add("dragging");
    });
    canvas.addEventListener("pointerup", () => {
      drag = null;
      canvas.classList.remove("dragging");
    });
    canvas.addEventListener("pointermove", event => {
      if (drag === null) {
        this.tell(this.describe(event.offsetX, event.offsetY));
      } else {
        const view = this.view();
        const cycles = (drag.x - event.offsetX) * (drag.to - drag.from) / (view.right - view.left);
        this.setView(drag.from + cycles, drag.to + cycles);
      }
    });
    canvas.addEventListener("wheel", event => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        this.zoom(Math.exp(event.deltaY * 0.004), this.view().cycle(event.offsetX));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        this.move(event.deltaX / canvas.clientWidth);
      }
    }, { passive: false });
    canvas.addEventListener("dblclick", event => {
      const found = this.describe(event.offsetX, event.offsetY);
      if (found !== null && found.layer >= 0) {
        const layer = this.segment.layers[found.layer];
        this.setView(layer.first, layer.last + 1);
      } else {
        this.zoom(0.5, this.view().cycle(event.offsetX));
      }
    });
    canvas.addEventListener("keydown", event => {
      const action = {
        "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1.6), "0": () => this.fit(),
        ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2),
      }[event.key];
      if (action !== undefined) {
        event.preventDefault();
        action();
      }
    });
  }

  move(part) {
    const cycles = (this.to - this.from) * part;
    this.setView(this.from + cycles, this.to + cycles);
  }

  fit() {
    this.setView(1, this.segment.cycles + 1);
  }
}
