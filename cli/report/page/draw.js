// ---- rows of the timeline, drawn at any zoom ----

// The first index whose value is not less.
function lowerBound(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Spans of several kinds as a share of each pixel column: what is smaller than a pixel keeps its
// weight. `kinds` has a colour for each kind that is drawn.
class Shares {
  constructor(width, kinds) {
    this.width = width;
    this.kinds = kinds;
    this.share = new Float32Array(width * kinds.length);
  }
  add(kind, from, to) {
    from = Math.max(from, 0);
    to = Math.min(to, this.width);
    for (let x = Math.floor(from); x < to; x++) {
      this.share[kind * this.width + x] += Math.min(to, x + 1) - Math.max(from, x);
    }
  }
  draw(context, left, top, height) {
    for (let x = 0; x < this.width; x++) {
      let y = top + height;
      for (let kind = 0; kind < this.kinds.length; kind++) {
        const part = Math.min(this.share[kind * this.width + x], 1) * height;
        if (part > 0) {
          context.fillStyle = this.kinds[kind];
          context.fillRect(left + x, y - part, 1, part);
          y -= part;
        }
      }
    }
  }
}

// Spans [start, end) by index from the first that is in view; several may be open at once.
function visible(spans, view, each) {
  let i = Math.max(lowerBound(spans.start, view.from) - 32, 0);
  for (; i < spans.start.length && spans.start[i] < view.to; i++) {
    if (spans.end[i] > view.from) {
      each(i);
    }
  }
}

// Boxes in `rows` rows. What is narrower than a pixel or two is drawn as its share of the column, in
// the colour of the last one. Of the labels of a box the first that has room is written.
function drawBoxes(context, view, spans, top, height, rows, rowOf, colorOf, labelOf) {
  const columns = Math.ceil(view.right - view.left), part = height / rows;
  const narrow = Array.from({ length: rows }, () => new Map());
  visible(spans, view, i => {
    const from = Math.max(view.x(spans.start[i]), view.left), to = Math.min(view.x(spans.end[i]), view.right);
    const row = rowOf(i), y = top + row * part;
    if (to - from < 2) {
      const column = Math.min(Math.floor(from - view.left), columns - 1);
      const before = narrow[row].get(column);
      narrow[row].set(column, { share: (before?.share ?? 0) + to - from, i });
      return;
    }
    context.fillStyle = colorOf(i);
    context.fillRect(from, y, to - from, part - 1);
    if (to - from > 5) {
      context.strokeStyle = view.edge;
      context.strokeRect(from + 0.5, y + 0.5, to - from - 1, part - 2);
    }
    const label = labelOf(i).find(text => to - from > 8 + 7 * text.length);
    if (label !== undefined) {
      context.fillStyle = "#10151a";
      context.fillText(label, from + 5, y + part / 2);
    }
  });
  narrow.forEach((cells, row) => cells.forEach((cell, column) => {
    const full = Math.max(Math.min(cell.share, 1), 0.12) * (part - 1);
    context.fillStyle = colorOf(cell.i);
    context.fillRect(view.left + column, top + (row + 1) * part - 1 - full, 1, full);
  }));
}

function drawShares(context, view, lane, top, height, kindOf, colors) {
  const shares = new Shares(Math.ceil(view.right - view.left), colors);
  visible(lane, view, i => {
    const kind = kindOf(i);
    if (kind >= 0) {
      shares.add(kind, view.x(lane.start[i]) - view.left, view.x(lane.end[i]) - view.left);
    }
  });
  shares.draw(context, view.left, top, height);
}

function drawPort(context, view, port, top, height, colors) {
  const shares = new Shares(Math.ceil(view.right - view.left), colors);
  MASTERS.forEach((master, kind) => visible(port[master], view, i =>
    shares.add(kind, view.x(port[master].start[i]) - view.left, view.x(port[master].end[i]) - view.left)));
  shares.draw(context, view.left, top, height);
}

// The most bytes in use in each pixel column.
function drawCurve(context, view, curve, most, top, height, fill) {
  let i = Math.max(lowerBound(curve.cycle, view.from) - 1, 0);
  context.fillStyle = fill;
  for (let x = view.left; x < view.right; x++) {
    const until = view.cycle(x + 1);
    let peak = curve.cycle[i] < until ? curve.bytes[i] : 0;
    while (i + 1 < curve.cycle.length && curve.cycle[i + 1] < until) {
      i++;
      peak = Math.max(peak, curve.bytes[i]);
    }
    const part = height * peak / most;
    context.fillRect(x, top + height - part, 1, part);
  }
}

// One thin row for each bank, coloured by the unit that owns it.
function drawBanks(context, view, segment, rowOf, height, colorOf) {
  const last = new Map();
  for (const unit of UNITS) {
    const spans = segment.units[unit];
    context.fillStyle = colorOf(unit);
    last.clear();
    visible(spans, view, i => {
      const from = Math.max(view.x(spans.start[i]), view.left);
      const to = Math.min(view.x(spans.end[i]), view.right);
      for (const word of spans.words[i]) {
        const banks = segment.wordBanks[word];
        for (const bank of banks === null ? [] : banks.list) {
          const y = rowOf(banks.memory, bank);
          if (to - from >= 1 || Math.floor(to) !== last.get(y)) {
            last.set(y, Math.floor(to));
            context.fillRect(from, y, Math.max(to - from, 0.5), height);
          }
        }
      }
    });
  }
}
