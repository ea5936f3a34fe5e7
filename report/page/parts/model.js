const UNITS = ["load", "matrix", "vector", "store"];
const MASTERS = ["fetch", "store", "load"];

// The colour of a kind of piece of the critical path.
const PATH_COLORS = { stream: "matrix", slots: "vector", load: "load", fill: "load", store: "store", fetch: "fetch",
  dispatch: "latency", latency: "latency" };

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

// ---- layers, chains, operators of the host ----

// Layers of all segments, in their order; elsewhere a layer is its index in this list.
const allLayers = data.segments.flatMap((segment, index) => segment.layers.map(layer => ({ ...layer, segment: index })));
allLayers.forEach((layer, index) => { layer.index = index; });

// Groups of layers of all segments; chains are those of more than one.
const allGroups = data.segments.flatMap((segment, index) => {
  const base = allLayers.findIndex(layer => layer.segment === index);
  let next = base;
  return segment.groups.map(group => {
    const members = allLayers.slice(next, next += group.layers);
    return { ...group, segment: index, members };
  });
});
const chains = allGroups.filter(group => group.members.length > 1);

// What is carried out, in its order, numbered as weft run does.
const allRows = [...allLayers, ...data.hostOperators.map(host =>
  ({ ...host, unit: "host", index: -1, cycles: null, utilisation: null, external_bytes: null, on_unit: null, verdict: null }))]
  .sort((a, b) => a.number - b.number);

function shapeText(shape) {
  return shape.join("×");
}
// The first of the names that a converter joined.
function tensorText(name) {
  return name.split(";")[0];
}
function verdictText(row) {
  if (row.verdict === null || row.verdict === undefined) {
    return row.unit === "host" ? "–" : "no instructions";
  }
  const { bound, share, waits_for: other } = row.verdict;
  return bound === "hidden" ? "hidden" : `${bound === "wait" ? `waits for ${other}` : bound} ${Math.round(100 * share)} %`;
}

// ---- one time for all segments, with operators of the host between them ----

// Cycle c of a segment is at the position offset + c; operators of the host take no cycles of the
// machine, and all have the same width.
const runCycles = total("cycles");
const hostWidth = Math.max(1, Math.round(Math.min(runCycles / 80, 0.3 * runCycles / Math.max(data.hostOperators.length, 1))));
const parts = [];
{
  let offset = 0, before = 0, layers = 0, hosts = 0;
  const addHosts = () => {
    for (; hosts < data.hostOperators.length && data.hostOperators[hosts].before <= layers; hosts++) {
      parts.push({ kind: "host", host: data.hostOperators[hosts], offset, before, cycles: 0, first: offset + 1, end: offset + 1 + hostWidth });
      offset += hostWidth;
    }
  };
  data.segments.forEach((segment, index) => {
    addHosts();
    const cycles = counterOf(segment, "cycles");
    parts.push({ kind: "segment", index, offset, before, cycles, first: offset + 1, end: offset + 1 + cycles });
    offset += cycles;
    before += cycles;
    layers += segment.layers.length;
  });
  layers = Infinity;
  addHosts();
}
const wholeEnd = parts.length > 0 ? parts[parts.length - 1].end : 2;

function partAt(position) {
  return parts.find(part => position < part.end) ?? parts[parts.length - 1];
}
// The cycle of the run at a position, and the position of a cycle.
function runCycleAt(position) {
  const part = partAt(position);
  return part.kind === "host" ? part.before : part.before + Math.max(position - part.offset, 0);
}
function positionOf(cycle) {
  const part = parts.find(p => p.kind === "segment" && cycle <= p.before + p.cycles) ?? parts[parts.length - 1];
  return part.offset + cycle - part.before;
}
// A position in words: a cycle of its segment.
function cycleText(position) {
  const part = partAt(position);
  return part.kind === "host" ? `on the host after cycle ${count(part.before)}`
    : `cycle ${count(Math.floor(position) - part.offset)}` + (data.segments.length > 1 ? ` of segment ${part.index}` : "");
}

// ---- flat lists become arrays ----

const newSpans = () => ({ start: [], end: [], kind: [] });
const run = {
  units: Object.fromEntries(UNITS.map(unit => [unit, { start: [], end: [], number: [], segment: [], layer: [], tokens: [], words: [] }])),
  lanes: Object.fromEntries([...UNITS, "dispatch"].map(lane => [lane, newSpans()])),
  port: Object.fromEntries(MASTERS.map(master => [master, newSpans()])),
  path: { ...newSpans(), number: [], segment: [] },
  pathOf: Object.fromEntries([...UNITS, "dispatch"].map(lane => [lane, newSpans()])),
  owned: { ...newSpans(), layer: [] },
  inUse: Object.fromEntries(data.config.memories.map(memory => [memory.name, { cycle: [], bytes: [] }])),
  words: [],
  wordBanks: [],
  place: [], // by segment and number: [unit, index]
};

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

function decodeUnit(name, list, part, base, words) {
  const unit = run.units[name];
  let number = 0, start = part.offset;
  for (let i = 0; i < list.length;) {
    number += list[i];
    start += list[i + 1];
    run.place[part.index][number] = [name, unit.start.length];
    unit.number.push(number);
    unit.segment.push(part.index);
    unit.start.push(start);
    unit.end.push(start + list[i + 2]);
    unit.layer.push(list[i + 3] === 0 ? -1 : base + list[i + 3] - 1);
    const tokens = i + 5, text = tokens + list[i + 4] + 1, giver = number;
    unit.tokens.push(list.slice(tokens, text - 1).map(less => giver - less));
    i = text + list[text - 1];
    unit.words.push(list.slice(text, i).map(word => words + word));
  }
}

// Spans [start, end) with a kind; of lanes the kind is a counter.
function decodeLane(lane, list, part) {
  let cycle = part.offset;
  for (let i = 0; i < list.length; i += 2) {
    cycle += list[i];
    lane.start.push(cycle);
    lane.kind.push(list[i + 1]);
    if (i > 0) {
      lane.end.push(cycle);
    }
  }
  if (list.length > 0) {
    lane.end.push(part.end);
  }
}
function decodePort(port, list, part) {
  let cycle = part.offset;
  for (let i = 0; i < list.length; i += 2) {
    port.start.push(cycle + list[i]);
    cycle += list[i] + list[i + 1];
    port.end.push(cycle);
  }
}
function decodePoints(curve, list, part) {
  let cycle = part.offset;
  for (let i = 0; i < list.length; i += 2) {
    cycle += list[i];
    curve.cycle.push(cycle);
    curve.bytes.push(list[i + 1]);
  }
  curve.cycle.push(part.end);
  curve.bytes.push(0);
}

// Pieces of the critical path, all together and by the unit that they are in.
function decodePath(list, part) {
  let cycle = part.first, number = 0;
  for (let i = 0; i < list.length; i += 3) {
    number += list[i + 1];
    const place = run.place[part.index][number];
    const beforeUnits = ["fetch", "dispatch"].includes(data.pathKinds[list[i + 2]]) || place === undefined;
    const own = run.pathOf[beforeUnits ? "dispatch" : place[0]];
    for (const spans of [run.path, own]) {
      spans.start.push(cycle);
      spans.end.push(cycle + list[i]);
      spans.kind.push(list[i + 2]);
    }
    run.path.number.push(number);
    run.path.segment.push(part.index);
    cycle += list[i];
  }
}
function decodeOwned(list, part, base) {
  let cycle = part.first;
  for (let i = 0; i < list.length; i += 3) {
    run.owned.start.push(cycle);
    cycle += list[i];
    run.owned.end.push(cycle);
    run.owned.layer.push(base + list[i + 1]);
    run.owned.kind.push(list[i + 2]);
  }
}

for (const part of parts.filter(p => p.kind === "segment")) {
  const segment = data.segments[part.index];
  const base = allLayers.findIndex(layer => layer.segment === part.index);
  const words = run.words.length;
  run.place[part.index] = [];
  for (const word of segment.words) {
    run.words.push(word);
    run.wordBanks.push(decodeBanks(word));
  }
  for (const unit of UNITS) {
    decodeUnit(unit, segment.units[unit], part, base, words);
  }
  for (const [lane, list] of Object.entries(segment.lanes)) {
    decodeLane(run.lanes[lane], list, part);
  }
  for (const master of MASTERS) {
    decodePort(run.port[master], segment.port[master], part);
  }
  for (const [memory, use] of Object.entries(segment.inUse)) {
    decodePoints(run.inUse[memory], use.points, part);
  }
  decodePath(segment.path, part);
  decodeOwned(segment.owned, part, base);
  segment.layers.forEach((layer, i) => { allLayers[base + i].span = layer.first > 0 ? [part.offset + layer.first, part.offset + layer.last + 1] : null; });
}
