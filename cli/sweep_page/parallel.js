// ---- parallel coordinates ----

class Parallel {
  constructor(canvas) {
    this.canvas = canvas;
    this.asked = false;
    this.dragged = null;
    canvas.addEventListener("pointerdown", event => this.press(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    canvas.addEventListener("pointerup", () => {
      this.dragged = null;
      this.ask();
    });
    this.prepare();
  }
  prepare() {
    const figures = quantities.filter(q => !q.axis && !q.name.startsWith("ms ") && q.name !== "memory on the chip");
    this.axes = [...quantities.filter(q => q.axis), ...figures]
      .map(quantity => ({ quantity, scale: scaleOf(quantity, good) }))
      .filter(axis => new Set(good.map(p => axis.quantity.of(p))).size > 1);
    this.lines = good.map(point => ({
      point,
      y: this.axes.map(({ quantity, scale }) => {
        const value = quantity.of(point);
        return Number.isFinite(value) ? (scale.to(value) - scale.low) / (scale.high - scale.low) : null;
      }),
    }));
    this.ask();
  }
  ask() {
    if (!this.asked) {
      this.asked = true;
      requestAnimationFrame(() => {
        this.asked = false;
        this.draw();
      });
    }
  }
  xOf(i) { return 60 + (this.width - 120) * (this.axes.length < 2 ? 0.5 : i / (this.axes.length - 1)); }
  yOf(part) { return this.top + this.plotHeight * (1 - part); }
  drawLine(context, line) {
    context.beginPath();
    let isOpen = false;
    line.y.forEach((part, i) => {
      if (part === null) {
        isOpen = false;
      } else if (isOpen) {
        context.lineTo(this.xOf(i), this.yOf(part));
      } else {
        context.moveTo(this.xOf(i), this.yOf(part));
        isOpen = true;
      }
    });
    context.stroke();
  }
  draw() {
    const { context, width, height } = sized(this.canvas, 360);
    const colorOf = colorsOf(), isIn = new Set(kept);
    Object.assign(this, { width, top: 58, plotHeight: height - 84 });
    context.lineWidth = 1;
    context.globalAlpha = 0.05;
    context.strokeStyle = color("soft");
    // While a range is drawn, some of the lines are enough: the rest follows when it is.
    const shown = this.lines.filter(line => isIn.has(line.point));
    const step = this.dragged === null ? 1 : Math.ceil(shown.length / 300);
    for (const line of this.dragged === null ? this.lines : []) {
      if (!isIn.has(line.point)) {
        this.drawLine(context, line);
      }
    }
    context.globalAlpha = Math.min(Math.max(60 / Math.sqrt(kept.length * 40), 0.15), 0.9);
    for (let i = 0; i < shown.length; i += step) {
      context.strokeStyle = colorOf(shown[i].point);
      this.drawLine(context, shown[i]);
    }
    context.globalAlpha = 1;
    const chosen = this.lines.find(line => line.point === state.chosen);
    if (chosen !== undefined) {
      context.lineWidth = 3;
      context.strokeStyle = color("accent");
      this.drawLine(context, chosen);
    }
    this.drawAxes(context);
  }
  drawAxes(context) {
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    this.axes.forEach(({ quantity, scale }, i) => {
      const x = this.xOf(i), range = state.ranges.get(quantity.name);
      context.strokeStyle = color("text");
      context.lineWidth = 1.2;
      context.beginPath();
      context.moveTo(x, this.yOf(0));
      context.lineTo(x, this.yOf(1));
      context.stroke();
      context.fillStyle = range === undefined ? color("text") : color("accent");
      context.fillText(quantity.name, x, i % 2 === 0 ? 14 : 31);
      context.fillStyle = color("soft");
      context.fillText(quantity.text(scale.from(scale.high)), x, this.yOf(1) - 8);
      context.fillText(quantity.text(scale.from(scale.low)), x, this.yOf(0) + 16);
      if (range !== undefined) {
        const part = value => (scale.to(value) - scale.low) / (scale.high - scale.low);
        const [low, high] = range.map(value => Math.min(Math.max(part(Math.max(value, scale.isLogarithm ? 1e-300 : -Infinity)), 0), 1));
        context.fillStyle = color("accent");
        context.globalAlpha = 0.35;
        context.fillRect(x - 7, this.yOf(high), 14, Math.max(this.yOf(low) - this.yOf(high), 2));
        context.globalAlpha = 1;
      }
    });
  }
  axisAt(event) {
    let best = 0;
    this.axes.forEach((axis, i) => {
      if (Math.abs(this.xOf(i) - event.offsetX) < Math.abs(this.xOf(best) - event.offsetX)) {
        best = i;
      }
    });
    return this.axes[best];
  }
  valueAt(axis, y) {
    const part = Math.min(Math.max((this.top + this.plotHeight - y) / this.plotHeight, -0.01), 1.01);
    return axis.scale.from(axis.scale.low + part * (axis.scale.high - axis.scale.low));
  }
  press(event) {
    const axis = this.axisAt(event);
    if (axis === undefined) {
      return;
    }
    if (event.offsetY < this.top - 20) {
      state.ranges.delete(axis.quantity.name);
      changed();
      return;
    }
    this.canvas.setPointerCapture(event.pointerId);
    this.dragged = { axis, y: event.offsetY };
  }
  move(event) {
    if (this.dragged === null) {
      return;
    }
    const { axis, y } = this.dragged;
    const ends = [this.valueAt(axis, y), this.valueAt(axis, event.offsetY)].sort((a, b) => a - b);
    if (Math.abs(event.offsetY - y) > 2) {
      state.ranges.set(axis.quantity.name, ends);
      changed();
    }
  }
}
