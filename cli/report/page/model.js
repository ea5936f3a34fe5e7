// ---- the data, and how numbers are written ----

const dataElement = document.getElementById("data");
const data = JSON.parse(dataElement.textContent);
dataElement.remove();

const UNITS = ["load", "matrix", "vector", "store"];
const MASTERS = ["fetch", "store", "load"];

const exact = new Intl.NumberFormat("en-US");
function count(value) {
  return exact.format(value);
}
function short(value) {
  for (const [size, letter] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) {
    if (value >= 10 * size || (value >= size && size > 1e3)) {
      return (value / size).toPrecision(3) + letter;
    }
  }
  return count(value);
}
function bytes(value) {
  for (const [size, name] of [[1 << 20, "MiB"], [1 << 10, "KiB"]]) {
    if (value >= size) {
      return `${(value / size).toFixed(value >= 100 * size ? 0 : 1)} ${name}`;
    }
  }
  return `${count(value)} B`;
}
function percent(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : "–";
}

// An element with attributes and children; strings become text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Layers have hues far from those of their neighbours.
function layerColor(index) {
  return index < 0 ? color("empty") : `hsl(${(index * 137.5 + 205) % 360} 52% 58%)`;
}

// What a counter stands for: a class of colours and words.
function meaning(counter) {
  const name = data.counters[counter] ?? "";
  for (const unit of UNITS) {
    if (name.endsWith(`_wait_${unit}`)) {
      return { color: unit, text: `waits for ${unit}` };
    }
    if (name === `dispatch_full_${unit}`) {
      return { color: unit, text: `queue of ${unit} full` };
    }
  }
  if (name === "dispatch_fence") {
    return { color: "fence", text: "FENCE or HALT waits" };
  }
  if (name === "dispatch_empty") {
    return { color: "empty", text: "waits for fetch" };
  }
  if (name.endsWith("_empty")) {
    return { color: "empty", text: "no instruction" };
  }
  return { color: "busy", text: "busy" };
}

function counterOf(segment, name) {
  return segment.counters[data.counters.indexOf(name)];
}
function total(name) {
  return data.segments.reduce((sum, segment) => sum + counterOf(segment, name), 0);
}

// ---- flat lists become arrays ----

function decodeUnit(list) {
  const unit = { number: [], start: [], end: [], layer: [], words: [] };
  let number = 0, start = 0;
  for (let i = 0; i < list.length;) {
    number += list[i];
    start += list[i + 1];
    unit.number.push(number);
    unit.start.push(start);
    unit.end.push(start + list[i + 2]);
    unit.layer.push(list[i + 3] - 1);
    unit.words.push(list.slice(i + 5, i + 5 + list[i + 4]));
    i += 5 + list[i + 4];
  }
  return unit;
}

// Spans [start, end) with a kind; of lanes the kind is a counter.
function decodeLane(list, cycles) {
  const lane = { start: [], end: [], kind: [] };
  let cycle = 0;
  for (let i = 0; i < list.length; i += 2) {
    cycle += list[i];
    lane.start.push(cycle);
    lane.kind.push(list[i + 1]);
    if (i > 0) {
      lane.end.push(cycle);
    }
  }
  if (list.length > 0) {
    lane.end.push(cycles + 1);
  }
  return lane;
}
function decodePort(list) {
  const port = { start: [], end: [], kind: [] };
  let cycle = 0;
  for (let i = 0; i < list.length; i += 2) {
    port.start.push(cycle + list[i]);
    cycle += list[i] + list[i + 1];
    port.end.push(cycle);
  }
  return port;
}
function decodePoints(list) {
  const curve = { cycle: [], bytes: [] };
  let cycle = 0;
  for (let i = 0; i < list.length; i += 2) {
    cycle += list[i];
    curve.cycle.push(cycle);
    curve.bytes.push(list[i + 1]);
  }
  return curve;
}

// The banks that a word such as act_banks=0-3+7 names.
function decodeBanks(word) {
  const match = /^([a-z]+)_banks=(.*)$/.exec(word);
  if (match === null) {
    return null;
  }
  const list = [];
  for (const part of match[2].split("+")) {
    const [low, high] = part.split("-").map(Number);
    for (let bank = low; bank <= (high ?? low); bank++) {
      list.push(bank);
    }
  }
  return { memory: match[1], list };
}

function decodeSegment(segment) {
  const cycles = counterOf(segment, "cycles");
  const decoded = { cycles, layers: segment.layers, words: segment.words, units: {}, lanes: {}, port: {}, inUse: {} };
  for (const unit of UNITS) {
    decoded.units[unit] = decodeUnit(segment.units[unit]);
  }
  for (const [lane, list] of Object.entries(segment.lanes)) {
    decoded.lanes[lane] = decodeLane(list, cycles);
  }
  for (const master of MASTERS) {
    decoded.port[master] = decodePort(segment.port[master]);
  }
  for (const [memory, use] of Object.entries(segment.inUse)) {
    decoded.inUse[memory] = decodePoints(use.points);
  }
  decoded.wordBanks = segment.words.map(decodeBanks);
  return decoded;
}

// Layers of all segments.
const allLayers = data.segments.flatMap((segment, index) =>
  segment.layers.map((layer, position) => ({ ...layer, segment: index, position })));

// What is carried out, in its order: layers and operators of the host; numbered as in the table.
const allRows = [];
for (let layers = 0, hosts = 0; layers < allLayers.length || hosts < data.hostOperators.length;) {
  const host = data.hostOperators[hosts];
  if (host !== undefined && host.before <= layers) {
    allRows.push({ ...host, unit: "host", position: -1, cycles: null, utilisation: null, bytes: null, onUnit: null });
    hosts++;
  } else {
    allRows.push(allLayers[layers++]);
  }
}
allRows.forEach((row, index) => { row.number = index + 1; });

function layerNumber(segment, position) {
  return allLayers.find(layer => layer.segment === segment && layer.position === position).number;
}
function shapeText(shape) {
  return shape.join("×");
}
