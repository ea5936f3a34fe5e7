// ---- two quantities, and the front of the best ----

// Points that no other one of their model beats in both without leaving more to the host, from left to right.
function frontOf(list, x, y) {
  const sorted = list.filter(p => Number.isFinite(x.of(p)) && Number.isFinite(y.of(p)));
  const ahead = (q, p) => q.less ? q.of(p) : -q.of(p);
  sorted.sort((a, b) => ahead(x, a) - ahead(x, b) || ahead(y, a) - ahead(y, b) || a.hostMacs - b.hostMacs || a.hostElements - b.hostElements);
  const best = new Map(); // by what they leave to the host, of which there are few kinds: the last, which is the best in y
  return sorted.filter(p => {
    const beaten = [...best.values()].some(b => b.hostMacs <= p.hostMacs && b.hostElements <= p.hostElements && ahead(y, b) <= ahead(y, p));
    if (!beaten) best.set(`${p.hostMacs} ${p.hostElements}`, p);
    return !beaten;
  });
}

class Scatter {
  constructor(canvas) {
    this.canvas = canvas;
    this.asked = false;
    this.dragged = null;
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    canvas.addEventListener("pointerup", event => this.release(event));
    canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", event => this.key(event));
    this.fit();
  }
  fit() {
    this.view = { x: 0, y: 0, scale: 1 }; // of the unit square that holds all points
    this.ask();
  }
  // Draws once in the next frame, however often it is asked.
  ask() {
    if (!this.asked) {
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.draw();
      });
    }
  }
  // What does not change while the picture moves.
  prepare() {
    const { x, y } = state;
    const shown = good.filter(p => state.model === null || p.model === state.model);
    this.xScale = scaleOf(x, shown);
    this.yScale = scaleOf(y, shown);
    const place = (scale, quantity, p) => (scale.to(quantity.of(p)) - scale.low) / (scale.high - scale.low);
    const colorOf = colorsOf();
    this.dots = kept.filter(p => Number.isFinite(x.of(p)) && Number.isFinite(y.of(p)))
      .map(p => ({ point: p, x: place(this.xScale, x, p), y: place(this.yScale, y, p), color: colorOf(p) }));
    const dotOf = new Map(this.dots.map(dot => [dot.point, dot]));
    this.fronts = models.map(model => frontOf(kept.filter(p => p.model === model), x, y).map(p => dotOf.get(p)));
    this.onFront = new Set(this.fronts.flat());
    this.ask();
  }
  toX(value) { return this.left + ((value - this.view.x) * this.view.scale * 0.94 + 0.03) * this.plotWidth; }
  toY(value) { return this.top + this.plotHeight - ((value - this.view.y) * this.view.scale * 0.9 + 0.05) * this.plotHeight; }
  fromX(x) { return ((x - this.left) / this.plotWidth - 0.03) / (this.view.scale * 0.94) + this.view.x; }
  fromY(y) { return ((this.top + this.plotHeight - y) / this.plotHeight - 0.05) / (this.view.scale * 0.9) + this.view.y; }
  drawAxes(context) {
    const ticks = 6;
    context.font = "12px system-ui, sans-serif";
    context.strokeStyle = color("line");
    context.fillStyle = color("soft");
    context.lineWidth = 1;
    for (let i = 0; i <= ticks; i++) {
      const x = this.left + this.plotWidth * i / ticks, y = this.top + this.plotHeight * i / ticks;
      context.beginPath();
      context.moveTo(Math.round(x) + 0.5, this.top);
      context.lineTo(Math.round(x) + 0.5, this.top + this.plotHeight);
      context.moveTo(this.left, Math.round(y) + 0.5);
      context.lineTo(this.left + this.plotWidth, Math.round(y) + 0.5);
      context.stroke();
      const value = (scale, part) => scale.from(scale.low + part * (scale.high - scale.low));
      const isLast = i === ticks; // there is little room behind it
      context.textAlign = isLast ? "right" : "center";
      context.fillText(short(value(this.xScale, this.fromX(x))), isLast ? x + 14 : x, this.top + this.plotHeight + 16);
      context.textAlign = "right";
      context.fillText(short(value(this.yScale, this.fromY(y))), this.left - 6, y + 4);
    }
    context.fillStyle = color("text");
    context.textAlign = "right";
    context.fillText(`${state.x.name}${this.xScale.isLogarithm ? " (logarithmic)" : ""}`, this.left + this.plotWidth, this.top + this.plotHeight + 34);
    context.textAlign = "left";
    context.fillText(`${state.y.name}${this.yScale.isLogarithm ? " (logarithmic)" : ""}`, 4, 14);
  }
  draw() {
    const { context, width, height } = sized(this.canvas, 460);
    this.left = 70;
    this.top = 26;
    this.plotWidth = width - this.left - 16;
    this.plotHeight = height - this.top - 44;
    this.drawAxes(context);
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, this.plotWidth, this.plotHeight);
    context.clip();
    context.strokeStyle = color("text");
    context.lineWidth = 1.3;
    for (const front of this.fronts) {
      context.beginPath();
      front.forEach((dot, i) => {
        const x = this.toX(dot.x), y = this.toY(dot.y);
        if (i > 0) {
          context.lineTo(x, this.toY(front[i - 1].y));
        }
        context.lineTo(x, y);
      });
      context.stroke();
    }
    for (const dot of this.dots) {
      dot.screenX = this.toX(dot.x);
      dot.screenY = this.toY(dot.y);
      const isBest = this.onFront.has(dot);
      context.globalAlpha = isBest ? 1 : 0.6;
      context.fillStyle = dot.color;
      context.beginPath();
      context.arc(dot.screenX, dot.screenY, isBest ? 5 : 3.2, 0, 2 * Math.PI);
      context.fill();
      if (isBest || dot.point === state.chosen) {
        context.strokeStyle = dot.point === state.chosen ? color("accent") : color("text");
        context.lineWidth = dot.point === state.chosen ? 4 : 1;
        context.stroke();
      }
    }
    context.restore();
  }
  // The dot next to the pointer, within some pixels.
  nearest(event) {
    let found = null, least = 12 ** 2;
    for (const dot of this.dots) {
      const distance = (dot.screenX - event.offsetX) ** 2 + (dot.screenY - event.offsetY) ** 2;
      if (distance < least) {
        [found, least] = [dot, distance];
      }
    }
    return found;
  }
  press(event) {
    this.dragged = { x: event.offsetX, y: event.offsetY, moved: false, view: { ...this.view } };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add("dragging");
  }
  move(event) {
    const d = this.dragged;
    if (d === null) {
      const dot = this.nearest(event);
      byId("hover").replaceChildren(...(dot === null ? ["Point at a machine to see it."] : describe(dot.point)));
      return;
    }
    d.moved = d.moved || Math.hypot(event.offsetX - d.x, event.offsetY - d.y) > 3;
    this.view.x = d.view.x - (event.offsetX - d.x) / this.plotWidth / (this.view.scale * 0.94);
    this.view.y = d.view.y + (event.offsetY - d.y) / this.plotHeight / (this.view.scale * 0.9);
    this.ask();
  }
  release(event) {
    const wasMoved = this.dragged?.moved;
    this.dragged = null;
    this.canvas.classList.remove("dragging");
    const dot = wasMoved ? null : this.nearest(event);
    if (dot !== null) {
      choose(dot.point);
    }
  }
  zoom(factor, x = this.left + this.plotWidth / 2, y = this.top + this.plotHeight / 2) {
    const before = [this.fromX(x), this.fromY(y)];
    this.view.scale = Math.min(Math.max(this.view.scale * factor, 0.5), 1e4);
    this.view.x += before[0] - this.fromX(x);
    this.view.y += before[1] - this.fromY(y);
    this.ask();
  }
  wheel(event) {
    event.preventDefault();
    this.zoom(2 ** (-event.deltaY / 300), event.offsetX, event.offsetY);
  }
  key(event) {
    const step = 0.1 / this.view.scale;
    const actions = {
      ArrowLeft: () => (this.view.x -= step), ArrowRight: () => (this.view.x += step), ArrowDown: () => (this.view.y -= step),
      ArrowUp: () => (this.view.y += step), "+": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), "0": () => this.fit(),
    };
    if (actions[event.key] !== undefined) {
      event.preventDefault();
      actions[event.key]();
      this.ask();
    }
  }
}
