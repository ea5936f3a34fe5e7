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

// The largest end up to each index: with it those that reach into the view are found.
function reachOf(spans) {
  if (spans.reach === undefined) {
    let most = -Infinity;
    spans.reach = spans.end.map(end => (most = Math.max(most, end)));
  }
  return spans.reach;
}

// Spans [start, end) in view, by index; several may be open at once.
function visible(spans, view, each) {
  for (let i = lowerBound(reachOf(spans), view.from); i < spans.start.length && spans.start[i] < view.to; i++) {
    if (spans.end[i] > view.from) {
      each(i);
    }
  }
}

// Boxes in `rows` rows. What is narrower than a pixel or two is drawn as its share of the column, in
// the colour of the last one. Of the labels of a box the first that has room is written.
function drawBoxes(context, view, spans, top, height, rows, rowOf, colorOf, labelOf, textColor) {
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
      context.fillStyle = textColor === undefined ? "#10151a" : color(textColor);
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
function drawBanks(context, view, rowOf, height, colorOf) {
  const last = new Map();
  for (const unit of UNITS) {
    const spans = run.units[unit];
    context.fillStyle = colorOf(unit);
    last.clear();
    visible(spans, view, i => {
      const from = Math.max(view.x(spans.start[i]), view.left);
      const to = Math.min(view.x(spans.end[i]), view.right);
      for (const word of spans.words[i]) {
        const banks = run.wordBanks[word];
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

// An arrow from a point to another, in a gentle curve.
function drawArrow(context, from, to, style, width) {
  const bend = Math.max(12, Math.abs(to.x - from.x) / 3);
  context.strokeStyle = style;
  context.fillStyle = style;
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
  context.stroke();
  context.beginPath();
  context.moveTo(to.x, to.y);
  context.lineTo(to.x - 7, to.y - 3.5);
  context.lineTo(to.x - 7, to.y + 3.5);
  context.fill();
  context.lineWidth = 1;
}
