// ---- pointer and keys on the timeline ----

function showFound(timeline, found, x) {
  const layer = found?.layer >= 0 ? allLayers[found.layer] : undefined;
  const span = found?.span ?? layer?.span;
  if (span) {
    timeline.setView(...span);
  } else {
    timeline.zoom(0.5, timeline.view().cycle(x));
  }
}

function listenToPointer(timeline) {
  const canvas = timeline.canvas;
  let drag = null;
  canvas.addEventListener("pointerdown", event => {
    const selects = timeline.selecting || event.shiftKey;
    drag = { x: event.offsetX, from: timeline.from, to: timeline.to, start: selects ? timeline.view().cycle(event.offsetX) : null };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.toggle("dragging", !selects);
  });
  canvas.addEventListener("pointerup", () => {
    drag = null;
    canvas.classList.remove("dragging");
  });
  canvas.addEventListener("pointermove", event => {
    if (drag === null) {
      timeline.tell(timeline.describe(event.offsetX, event.offsetY));
    } else if (drag.start !== null) {
      timeline.select(drag.start, timeline.view().cycle(event.offsetX));
    } else {
      const view = timeline.view();
      const cycles = (drag.x - event.offsetX) * (drag.to - drag.from) / (view.right - view.left);
      timeline.setView(drag.from + cycles, drag.to + cycles);
    }
  });
  canvas.addEventListener("dblclick", event => showFound(timeline, timeline.describe(event.offsetX, event.offsetY), event.offsetX));
}

function listenTo(timeline) {
  const canvas = timeline.canvas;
  listenToPointer(timeline);
  canvas.addEventListener("wheel", event => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      timeline.zoom(Math.exp(event.deltaY * 0.004), timeline.view().cycle(event.offsetX));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      timeline.move(event.deltaX / canvas.clientWidth);
    }
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    const action = {
      "+": () => timeline.zoom(0.6), "=": () => timeline.zoom(0.6), "-": () => timeline.zoom(1.6), "0": () => timeline.fit(),
      ArrowLeft: () => timeline.move(-0.2), ArrowRight: () => timeline.move(0.2),
      s: () => timeline.select(timeline.from, timeline.to), Escape: () => timeline.select(null),
    }[event.key];
    if (action !== undefined) {
      event.preventDefault();
      action();
    }
  });
}
