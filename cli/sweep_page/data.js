// ---- the data, as cli/sweep_data.c writes it, and what all parts of the page use ----

const data = JSON.parse(document.getElementById("data").textContent);
const UNITS = ["load", "matrix", "vector", "store"];

function decode(row) {
  const [id, model, config, front] = row;
  const at = 4 + data.axes.length;
  const point = { id, model: data.models[model], config, front, axes: row.slice(4, at), error: row[at] };
  if (point.error === null) {
    const [allCycles, energy, area, memory, host, peak, macs, hostOperators, allHostMacs, allHostElements, inferences, clock] = row.slice(at + 1, at + 13);
    const counters = row.slice(at + 13);
    Object.assign(point, { allCycles, area, memory, host, peak, macs, hostOperators, inferences, clock, counters });
    // Points are compared by what one inference takes; counters and MACs are those of the whole program.
    point.cycles = allCycles / inferences;
    point.hostMacs = allHostMacs / inferences;
    point.hostElements = allHostElements / inferences;
    point.milliseconds = clock === null ? null : point.cycles / (1000 * clock);
    point.energy = energy === null ? null : energy / inferences;
    point.moved = (counter(point, "fetch_bytes") + counter(point, "load_bytes") + counter(point, "store_bytes")) / inferences;
  }
  return point;
}
const counterIndex = new Map(data.counters.map((name, i) => [name, i]));
function counter(point, name) {
  return point.counters[counterIndex.get(name)];
}

const points = data.rows.map(decode);
const good = points.filter(point => point.error === null);
const clocks = new Set(good.map(point => point.clock));
const models = [...data.models].sort();

// ---- words ----

const grouped = new Intl.NumberFormat("en-US");
const count = value => grouped.format(value);
const percent = value => `${(100 * value).toFixed(1)} %`;
function short(value) {
  const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const unit = units.find(([size]) => Math.abs(value) >= size);
  return unit === undefined ? String(Number(value.toPrecision(4))) : `${Number((value / unit[0]).toPrecision(4))} ${unit[1]}`;
}
function bytes(value) {
  return value >= 1 << 20 && value % (1 << 18) === 0 ? `${value / (1 << 20)} MB` : value >= 1 << 10 && value % (1 << 8) === 0 ? `${value / (1 << 10)} KB` : count(value);
}

// Everything that a point can be placed by: its name, its value (undefined or null: none), its text.
const axisText = name => name.endsWith("_bytes") ? bytes : count;
const AREA = `area (${data.area_unit})`;
const quantities = [
  { name: "cycles", of: p => p.cycles, text: count, less: true },
  { name: clocks.size === 1 ? `ms at ${[...clocks][0]} MHz` : "ms", of: p => p.milliseconds, text: v => v.toPrecision(4), less: true },
  { name: "energy (µJ)", of: p => p.energy, text: v => v.toPrecision(4), less: true },
  { name: AREA, of: p => p.area, text: v => count(Math.round(v)), less: true },
  { name: "memory on the chip", of: p => p.memory, text: bytes, less: true },
  { name: "bytes moved", of: p => p.moved, text: count, less: true },
  { name: "share of peak", of: p => p.peak, text: percent, less: false },
  { name: "MAC on the host", of: p => p.host, text: percent, less: true },
  { name: "elements on the host", of: p => p.hostElements, text: count, less: true },
  ...data.axes.map((name, i) => ({ name, of: p => p.axes[i], text: axisText(name), less: true, axis: true })),
].filter(quantity => good.some(point => Number.isFinite(quantity.of(point))));
const named = name => quantities.find(quantity => quantity.name === name);

// ---- elements ----

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
const byId = id => document.getElementById(id);
const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A canvas in the pixels of the screen; its context draws in those of the page.
function sized(canvas, height) {
  const ratio = devicePixelRatio, width = canvas.parentElement.clientWidth;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

// ---- what is chosen ----

const state = { model: models.length === 1 ? models[0] : null, x: null, y: null, color: null, ranges: new Map(), chosen: null };

function isKept(point) {
  for (const [name, [low, high]] of state.ranges) {
    const value = named(name).of(point);
    if (!(value >= low && value <= high)) {
      return false;
    }
  }
  return state.model === null || point.model === state.model;
}
let kept = good;
function select() {
  kept = good.filter(isKept);
}

// Logarithmic where all values are above 0, as most are.
function scaleOf(quantity, list) {
  let low = Infinity, high = -Infinity;
  for (const point of list) {
    const value = quantity.of(point);
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) {
    [low, high] = [0, 1];
  }
  const isLogarithm = low > 0 && high / low > 1.5;
  const to = isLogarithm ? Math.log2 : value => value;
  const from = isLogarithm ? value => 2 ** value : value => value;
  return { to, from, low: to(low), high: to(high) === to(low) ? to(low) + 1 : to(high), isLogarithm };
}

// Colours of a quantity: from blue to yellow, as eyes of all kinds tell them apart (after cividis).
const RAMP = [[0, 44, 98], [60, 77, 110], [124, 123, 120], [186, 174, 108], [253, 231, 85]];
const DARK_RAMP = [[64, 128, 214], [92, 148, 190], [148, 156, 150], [200, 188, 116], [253, 231, 85]];
function ramp(part) {
  const list = matchMedia("(prefers-color-scheme: dark)").matches ? DARK_RAMP : RAMP;
  const at = Math.min(Math.max(part, 0), 1) * (list.length - 1), i = Math.min(Math.floor(at), list.length - 2);
  return `rgb(${list[i].map((value, k) => Math.round(value + (list[i + 1][k] - value) * (at - i))).join(",")})`;
}
const MODEL_COLORS = ["matrix", "load", "vector", "accent", "store", "fence", "fetch", "host"];
function colorsOf() {
  if (state.color === null) {
    const list = models.map((model, i) => color(MODEL_COLORS[i % MODEL_COLORS.length]));
    return point => list[models.indexOf(point.model)];
  }
  const scale = scaleOf(state.color, good);
  const known = new Map();
  return point => {
    const value = state.color.of(point);
    if (!known.has(value)) {
      known.set(value, Number.isFinite(value) ? ramp((scale.to(value) - scale.low) / (scale.high - scale.low)) : color("soft"));
    }
    return known.get(value);
  };
}
