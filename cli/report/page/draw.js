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

// Boxes, of which those that would share a pixel with the one before are left out.
function drawBoxes(context, view, spans, top, height, colorOf, labelOf) {
  const last = [-1, -1];
  visible(spans, view, i => {
    const x = view.x(spans.start[i]), width = view.x(spans.end[i]) - x;
    const row = i & 1;
    if (Math.floor(x + width) <= last[row] && width < 1) {
      return;
    }
    last[row] = Math.floor(x + width);
    const y = top + row * height / 2;
    const box = [Math.max(x, view.left), y, Math.max(Math.min(x + width, view.right) - Math.max(x, view.left), 0.6), height / 2 - 1];
    context.fillStyle = colorOf(i);
    context.fillRect(...box);
    if (width > 5) {
      context.strokeStyle = view.edge;
      context.strokeRect(box[0] + 0.5, y + 0.5, box[2] - 1, box[3] - 1);
    }
    if (box[2] > 60) {
      context.save();
      context.beginPath();
      context.rect(...box);
      context.clip();
      context.fillStyle = "#10151a";
      context.fillText(labelOf(i), box[0] + 5, y + height / 4);
      context.restore();
    }
  });
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
