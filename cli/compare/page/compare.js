// ---- the data ----

const SIDES = [data.a, data.b];
const NONE = { cycles: 0, uses: {}, external_bytes: 0, on_host: false };
const rows = data.layers.map((row, index) => ({ ...row, index, sides: [row.a ?? NONE, row.b ?? NONE] }));
const stretches = SIDES.map(unpackOwned); // by cycle: {from, to, row, use}
const slots = makeSlots();                // by layer: the same, both sides of a layer from one place on

function unpackOwned(side) {
  const list = [];
  let at = 0;
  for (let i = 0; i < side.owned.length; i += 3) {
    list.push({ from: at, to: at + side.owned[i], row: side.owned[i + 1], use: side.owned[i + 2] });
    at += side.owned[i];
  }
  return list;
}

function makeSlots() {
  const lists = [[], []];
  let at = 0;
  for (const row of rows) {
    row.sides.forEach((side, number) => {
      let from = at;
      data.uses.forEach((name, use) => {
        const cycles = side.uses[name] ?? 0;
        if (cycles > 0) {
          lists[number].push({ from, to: from + cycles, row: row.index, use });
        }
        from += cycles;
      });
    });
    row.slot = [at, at + Math.max(row.sides[0].cycles, row.sides[1].cycles)];
    at = row.slot[1];
  }
  return lists;
}

// From the first to the last cycle of each row, on each side.
for (const row of rows) {
  row.spans = [null, null];
}
stretches.forEach((list, number) => {
  for (const { from, to, row } of list) {
    const span = rows[row].spans[number];
    rows[row].spans[number] = span === null ? [from, to] : [span[0], to];
  }
});

function signed(value) {
  return value > 0 ? `+${count(value)}` : value < 0 ? `−${count(-value)}` : "0";
}
function change(a, b) {
  return a > 0 ? `${b >= a ? "+" : "−"}${Math.abs(100 * (b / a - 1)).toFixed(2)} %` : "–";
}
function judgement(value) {
  return value < 0 ? "better" : value > 0 ? "worse" : "";
}

// ---- timelines ----

const GEOMETRY = { left: 26, top: 22, bar: 46, gap: 74, moved: 44 };

class Timelines {
  constructor(canvas, hover) {
    this.canvas = canvas;
    this.hover = hover;
    this.byLayer = false;
    this.fit();
    this.listen();
  }

  get end() {
    const ends = this.byLayer ? [rows.length === 0 ? 1 : rows[rows.length - 1].slot[1]] : SIDES.map(side => side.cycles);
    return Math.max(1, ...ends);
  }
  get width() {
    return this.canvas.clientWidth - 2 * GEOMETRY.left;
  }
  fit() {
    [this.from, this.to] = [0, this.end];
    this.draw();
  }
  // Shows cycles from..to, as far as there are.
  show(from, to) {
    const size = Math.min(this.end, Math.max(20, to - from));
    this.from = Math.min(Math.max(0, from), this.end - size);
    this.to = this.from + size;
    this.draw();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  move(part) {
    const by = part * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }
  x(cycle) {
    return GEOMETRY.left + (cycle - this.from) / (this.to - this.from) * this.width;
  }
  cycle(x) {
    return this.from + (x - GEOMETRY.left) / this.width * (this.to - this.from);
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    const { top, bar, gap, moved } = GEOMETRY;
    const ratio = devicePixelRatio || 1;
    const height = top + 2 * bar + gap + (this.byLayer ? moved : 0) + 30;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = this.canvas.clientWidth * ratio;
    this.canvas.height = height * ratio;
    const g = this.canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    const lists = this.byLayer ? slots : stretches;
    this.drawRibbons(g, top + bar, top + bar + gap);
    lists.forEach((list, number) => this.drawBar(g, list, top + number * (bar + gap), "AB"[number]));
    if (this.byLayer) {
      this.drawMoved(g, top + 2 * bar + gap + 6, moved - 8);
    }
    this.drawScale(g, height - 20);
  }

  // The first stretch that ends after a cycle.
  firstAfter(list, cycle) {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      [low, high] = list[middle].to <= cycle ? [middle + 1, high] : [low, middle];
    }
    return low;
  }

  // Of stretches that share a pixel, the longest is seen.
  drawBar(g, list, y, letter) {
    const { left, bar } = GEOMETRY;
    g.fillStyle = color("idle");
    g.fillRect(left, y, this.width, bar);
    let pixel = null;
    const flush = () => {
      if (pixel !== null) {
        g.fillStyle = layerColor(pixel.row);
        g.fillRect(pixel.x, y, 1, 10);
        g.fillStyle = color(data.uses[pixel.use]);
        g.fillRect(pixel.x, y + 10, 1, bar - 10);
      }
      pixel = null;
    };
    for (let i = this.firstAfter(list, this.from); i < list.length && list[i].from < this.to; i++) {
      const { from, to, row, use } = list[i];
      const x = Math.max(left, this.x(from));
      const end = Math.min(left + this.width, this.x(to));
      if (end - x < 1) {
        if (pixel === null || Math.floor(x) !== pixel.x) {
          flush();
          pixel = { x: Math.floor(x), cycles: 0 };
        }
        if (to - from > pixel.cycles) {
          pixel = { x: pixel.x, cycles: to - from, row, use };
        }
        continue;
      }
      flush();
      g.fillStyle = layerColor(row);
      g.fillRect(x, y, end - x, 10);
      g.fillStyle = color(data.uses[use]);
      g.fillRect(x, y + 10, end - x, bar - 10);
    }
    flush();
    g.fillStyle = color("text");
    g.font = "600 14px system-ui, sans-serif";
    g.fillText(letter, 6, y + bar / 2 + 5);
    g.font = "12px system-ui, sans-serif";
  }

  spanOf(row, number) {
    if (!this.byLayer) {
      return row.spans[number];
    }
    const cycles = row.sides[number].cycles;
    return cycles > 0 ? [row.slot[0], row.slot[0] + cycles] : null;
  }

  // From each layer of A to the same of B: green where B takes fewer cycles, red where it takes more.
  drawRibbons(g, y0, y1) {
    g.save();
    g.beginPath();
    g.rect(GEOMETRY.left, y0, this.width, y1 - y0);
    g.clip();
    let labelled = 0; // no label over another: layers of a chain lie over each other
    for (const row of rows) {
      const [a, b] = [this.spanOf(row, 0), this.spanOf(row, 1)];
      if (a === null || b === null || Math.max(a[1], b[1]) < this.from || Math.min(a[0], b[0]) > this.to) {
        continue;
      }
      const moved = row.sides[1].cycles - row.sides[0].cycles;
      g.globalAlpha = moved === 0 ? 0.25 : 0.55;
      g.fillStyle = color(moved < 0 ? "matrix" : moved > 0 ? "store" : "layer");
      g.beginPath();
      g.moveTo(this.x(a[0]), y0);
      g.lineTo(this.x(a[1]), y0);
      g.lineTo(this.x(b[1]), y1);
      g.lineTo(this.x(b[0]), y1);
      g.fill();
      g.globalAlpha = 1;
      const [from, to] = [Math.max(this.x(a[0]), this.x(b[0])), Math.min(this.x(a[1]), this.x(b[1]))];
      const text = moved === 0 ? `${row.number}` : `${row.number}: ${signed(moved)}`;
      const { width } = g.measureText(text);
      const x = (from + to - width) / 2;
      if (width + 8 < to - from && x > labelled) {
        g.fillStyle = color("text");
        g.fillText(text, x, (y0 + y1) / 2 + 4);
        labelled = x + width + 4;
      }
    }
    g.restore();
  }

  // By how much the runs are apart up to each layer.
  drawMoved(g, y, height) {
    let sum = 0;
    const points = rows.map(row => (sum += row.sides[1].cycles - row.sides[0].cycles));
    const most = Math.max(1, ...points.map(Math.abs));
    const zero = y + (Math.max(0, ...points) / most > 0 && Math.min(0, ...points) < 0 ? height / 2 : Math.max(0, ...points) > 0 ? height : 0);
    const scale = (zero === y + height / 2 ? height / 2 : height) / most;
    for (const row of rows) {
      const [x, end] = row.slot.map(cycle => this.x(cycle));
      const value = points[row.index];
      if (end < GEOMETRY.left || x > GEOMETRY.left + this.width) {
        continue;
      }
      g.fillStyle = color(value < 0 ? "matrix" : "store");
      const clipped = Math.max(x, GEOMETRY.left);
      g.fillRect(clipped, Math.min(zero, zero - value * scale), Math.max(0.5, Math.min(end, GEOMETRY.left + this.width) - clipped), Math.abs(value) * scale);
    }
    g.fillStyle = color("soft");
    g.fillText("B − A so far", GEOMETRY.left + 4, y + height - 4);
  }

  drawScale(g, y) {
    const step = 10 ** Math.ceil(Math.log10((this.to - this.from) / 8));
    const fine = (this.to - this.from) / step < 3 ? step / 4 : step;
    g.fillStyle = color("soft");
    for (let cycle = Math.ceil(this.from / fine) * fine; cycle <= this.to; cycle += fine) {
      g.fillRect(this.x(cycle), y - 6, 1, 5);
      g.fillText(short(cycle), this.x(cycle) - 8, y + 10);
    }
  }

  rowAt(x, y) {
    const { top, bar, gap } = GEOMETRY;
    const cycle = this.cycle(x);
    const number = y < top + bar + gap / 2 ? 0 : 1;
    if (this.byLayer) {
      return rows.find(row => cycle >= row.slot[0] && cycle < row.slot[1]);
    }
    const list = stretches[number];
    const found = list[this.firstAfter(list, cycle)];
    return found === undefined || cycle < 0 ? undefined : rows[found.row];
  }

  point(x, y) {
    const row = this.rowAt(x, y);
    if (row === undefined) {
      return;
    }
    const [a, b] = row.sides;
    this.hover.replaceChildren(element("b", {}, `${row.number} ${row.op} ${row.shape}`), ` ${row.tensor}`, element("br"),
      `A ${count(a.cycles)} cycles, ${bytes(a.external_bytes)}; B ${count(b.cycles)} cycles, ${bytes(b.external_bytes)}; ` +
      `${signed(b.cycles - a.cycles)} (${change(a.cycles, b.cycles)})`, row.why === "" ? "" : `: ${row.why}`);
  }

  listen() {
    let held = null;
    this.canvas.addEventListener("pointerdown", event => {
      held = event.offsetX;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", () => (held = null));
    this.canvas.addEventListener("pointermove", event => {
      if (held !== null) {
        this.move((held - event.offsetX) / this.width);
        held = event.offsetX;
      } else {
        this.point(event.offsetX, event.offsetY);
      }
    });
    this.canvas.addEventListener("wheel", event => {
      if (event.ctrlKey) {
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.cycle(event.offsetX));
      }
    }, { passive: false });
    this.canvas.addEventListener("keydown", event => {
      const actions = { "+": () => this.zoom(0.5), "-": () => this.zoom(2), ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2) };
      if (actions[event.key] !== undefined) {
        event.preventDefault();
        actions[event.key]();
      }
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }
}

// ---- tables ----

function cells(...values) {
  return element("tr", {}, ...values.map(([text, kind]) => element("td", { class: kind ?? "" }, text)));
}
function head(...names) {
  return element("thead", {}, element("tr", {}, ...names.map(([name, kind]) => element("th", { class: kind ?? "", scope: "col" }, name))));
}

// The memory that was given instead of the configuration's, as the options of weft run.
function memoryOf(side) {
  const options = { memory_latency: "latency", memory_interval: "interval", dram: "dram" };
  return Object.entries(side.overrides).map(([name, value]) => ` --${options[name]} ${value}`).join("");
}

function showTotals() {
  const [a, b] = SIDES;
  const same = a.model === b.model ? a.model : `${a.model} and ${b.model}`;
  document.title = `${same} – Weft comparison`;
  document.getElementById("title").textContent = same;
  document.getElementById("subtitle").textContent = SIDES.map((side, i) =>
    `${"AB"[i]}: ${side.file} on ${side.config}${memoryOf(side)}${side.inferences > 1 ? `, ${count(side.inferences)} inferences` : ""}, weft ${side.version}${side.has_times ? "" : " (figures alone: layers stand one after the other)"}`).join(". ") +
    (data.same_memory ? "." : ". The memories of A and B differ, so what moved need not be the doing of the program.") +
    (data.same_inferences ? "" : ` A is of ${count(a.inferences)} inference${a.inferences === 1 ? "" : "s"} and B of ${count(b.inferences)}: cycles and bytes are of all of them.`);
  const moved = rows.filter(row => row.moved).length;
  document.getElementById("totals").append(...[["cycles of A", count(a.cycles)], ["cycles of B", count(b.cycles)],
    ["change", `${signed(b.cycles - a.cycles)} (${change(a.cycles, b.cycles)})`],
    ["bytes of A", bytes(a.external_bytes)], ["bytes of B", bytes(b.external_bytes)], ["layers that moved", `${moved} of ${rows.length}`],
  ].map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function showUses() {
  const sum = (number, use) => rows.reduce((all, row) => all + (row.sides[number].uses[use] ?? 0), 0);
  document.getElementById("uses").append(
    head(["", "text"], ["cycles of A"], ["cycles of B"], ["change"], ["of A"]),
    element("tbody", {}, ...data.uses.map(use => {
      const [a, b] = [sum(0, use), sum(1, use)];
      const name = element("td", { class: "text" }, element("i", { class: "swatch", style: `background: var(--${use})` }), use);
      const row = cells([count(a)], [count(b)], [signed(b - a), judgement(b - a)], [change(a, b)]);
      row.prepend(name);
      return row;
    })));
}

function showLayers() {
  const all = document.getElementById("all").checked;
  document.getElementById("layers").replaceChildren(
    head(["#"], ["operator", "text"], ["shape", "text"], ["cycles A"], ["cycles B"], ["change"], ["%"], ["bytes A"], ["bytes B"], ["why", "text"], ["tensor", "text"]),
    element("tbody", {}, ...rows.filter(row => all || row.moved).map(row => {
      const [a, b] = row.sides;
      const moved = b.cycles - a.cycles;
      return cells([row.number], [row.op, "text"], [row.shape, "text"], [count(a.cycles)], [count(b.cycles)], [signed(moved), judgement(moved)],
        [change(a.cycles, b.cycles), judgement(moved)], [count(a.external_bytes)], [count(b.external_bytes)], [row.why, "text wrap"], [row.tensor, "text tensor"]);
    })));
}

try {
  showTotals();
  const timelines = new Timelines(document.getElementById("timeline"), document.getElementById("hover"));
  document.getElementById("align").addEventListener("change", event => {
    timelines.byLayer = event.target.value === "layer";
    timelines.fit();
  });
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const actions = { in: () => timelines.zoom(0.5), out: () => timelines.zoom(2), fit: () => timelines.fit() };
    button.addEventListener("click", actions[button.dataset.zoom]);
  }
  document.getElementById("legend").append(...[["matrix", "matrix, or a ribbon: B takes fewer cycles"], ["vector", "vector"], ["load", "load"],
    ["store", "store, or a ribbon: B takes more"], ["fetch", "fetch"], ["latency", "latency"], ["layer", "layers: shades of blue"]].map(([name, text]) =>
    element("li", {}, element("i", { style: `background: var(--${name})` }), text)));
  showUses();
  showLayers();
  document.getElementById("all").addEventListener("change", showLayers);
  document.documentElement.dataset.ready = "true";
} catch (error) {
  fail(error);
}
