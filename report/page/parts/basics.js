// ---- what is said when the page cannot be drawn ----

function fail(error) {
  const place = document.getElementById("error");
  place.textContent = `This report could not be drawn: ${error.message ?? error}`;
  place.hidden = false;
  document.documentElement.dataset.failed = "true";
}

window.addEventListener("error", event => fail(event.error ?? event.message));

// ---- the data, and how numbers are written ----

const dataElement = document.getElementById("data");
const data = JSON.parse(dataElement.textContent);
dataElement.remove();

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

// Colours of style.css, kept until another scheme is chosen.
const colors = new Map();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => colors.clear());
function color(name) {
  if (!colors.has(name)) {
    colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  }
  return colors.get(name);
}

// Layers are shades of blue, neighbours far apart in brightness. No unit, wait or other use of a
// cycle has a blue: style.css.
const SHADES = [[206, 62, 66], [222, 72, 84], [197, 48, 58], [230, 66, 76], [212, 44, 70], [202, 70, 82]];
function layerColor(index) {
  if (index < 0) {
    return color("empty");
  }
  const [hue, saturation, lightness] = SHADES[index % SHADES.length];
  return `hsl(${hue} ${saturation}% ${lightness}%)`;
}
