// ---- the page ----

let scatter = null, parallel = null, tableAsked = 0;

// Something else is chosen: the pictures follow in the next frame, the table when nothing has moved for a moment.
function changed() {
  select();
  scatter.prepare();
  parallel.ask();
  clearTimeout(tableAsked);
  tableAsked = setTimeout(showTable, 150);
}

function choose(point) {
  state.chosen = point;
  showPoint(point);
  if (point.error === null) {
    scatter.ask();
    parallel.ask();
  }
  showTable();
}

function options(target, list, chosen, onChange) {
  target.replaceChildren(...list.map(([name, value]) => {
    const option = element("option", { value: name }, name);
    option.selected = value === chosen;
    return option;
  }));
  target.addEventListener("change", () => {
    onChange(list[target.selectedIndex][1]);
    scatter.fit();
    showLegend();
    changed();
  });
}

function showLegend() {
  const isModel = state.color === null;
  const list = isModel ? models.map((model, i) => [`var(--${MODEL_COLORS[i % MODEL_COLORS.length]})`, model]) : (() => {
    const values = [...new Set(good.map(state.color.of))].filter(Number.isFinite).sort((a, b) => a - b);
    const some = values.length <= 8 ? values : [values[0], values[values.length >> 1], values[values.length - 1]];
    const scale = scaleOf(state.color, good);
    return some.map(value => [ramp((scale.to(value) - scale.low) / (scale.high - scale.low)), `${state.color.name} ${state.color.text(value)}`]);
  })();
  byId("legend").replaceChildren(...list.map(([fill, text]) => element("li", {}, element("i", { style: `background:${fill}` }), text)));
}

function showTotals() {
  const refused = points.length - good.length;
  const figures = [["points", count(points.length)], ["refused", count(refused)], ["models", count(models.length)],
    ["parameters that vary", count(data.axes.length)], ["best ones", count(points.filter(p => p.front).length)]];
  byId("subtitle").textContent = `${data.file}, shown by Weft ${data.version}` +
    (data.technology === "" ? "; energy is not known" : `; energy is of ${data.technology}`) +
    (data.area_unit === "" ? ", area is not known." : `, area is in ${data.area_unit}.`);
  byId("totals").append(...figures.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  const fixed = Object.entries(data.fixed).map(([name, value]) => `${name} ${axisText(name)(value)}`);
  byId("fixed").replaceChildren(element("code", {}, fixed.join(", ")));
}

function start() {
  showTotals();
  showEffects();
  if (good.length === 0) {
    byId("hover").textContent = "No point has figures.";
    byId("refused").checked = true;
    showTable();
    return;
  }
  state.y = named("cycles");
  state.x = named(AREA) ?? named("memory on the chip");
  state.color = models.length > 1 ? null : quantities.find(q => q.axis) ?? null;
  select();
  scatter = new Scatter(byId("scatter"));
  scatter.prepare();
  parallel = new Parallel(byId("parallel"));
  options(byId("model"), [["all", null], ...models.map(model => [model, model])], state.model, value => (state.model = value));
  options(byId("x"), quantities.map(q => [q.name, q]), state.x, value => (state.x = value));
  options(byId("y"), quantities.map(q => [q.name, q]), state.y, value => (state.y = value));
  options(byId("color"), [["model", null], ...quantities.map(q => [q.name, q])], state.color, value => (state.color = value));
  showLegend();
  showTable();
  const zooms = { in: () => scatter.zoom(1.5), out: () => scatter.zoom(1 / 1.5), fit: () => scatter.fit() };
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", zooms[button.dataset.zoom]);
  }
  byId("clear").addEventListener("click", () => {
    state.ranges.clear();
    changed();
  });
  for (const id of ["front-only", "refused"]) {
    byId(id).addEventListener("change", showTable);
  }
  byId("before").addEventListener("click", () => ((table.first -= ROWS), showTable()));
  byId("after").addEventListener("click", () => ((table.first += ROWS), showTable()));
  const redraw = () => {
    scatter.prepare();
    parallel.ask();
  };
  new ResizeObserver(redraw).observe(byId("scatter").parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

try {
  start();
} catch (error) {
  byId("error").hidden = false;
  byId("error").textContent = `This page could not be drawn: ${error.message}`;
}
