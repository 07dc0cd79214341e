// The colours of the page as they are now, and what can be read on them. For canvases, which do not
// follow the style by themselves.

/** The value of a variable of style.css. @param {string} name such as "--back" */
export function cssValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Calls `redraw` when the page becomes light or dark. @param {() => void} redraw */
export function onThemeChange(redraw) {
  document.documentElement.addEventListener("themechange", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

// Of "#rrggbb" or "rgb(r, g, b)": 0 to 255 each.
function channels(colour) {
  return colour.startsWith("#") ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) :
                                  colour.match(/[\d.]+/g).map(Number);
}

/** Relative luminance as WCAG 2 defines it: 0 to 1. @param {string} colour */
export function luminance(colour) {
  const [red, green, blue] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG's contrast of two colours: 1 to 21. */
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** The one of two colours of a text that is easier to read on a fill. */
export function readable(fill, one, other) {
  return contrast(fill, one) >= contrast(fill, other) ? one : other;
}

/** A colour between two. @param {number} part 0: `from`, 1: `to` */
export function mixed(from, to, part) {
  const ends = channels(to);
  const parts = channels(from).map((each, i) => Math.round(each + (ends[i] - each) * part));
  return `#${parts.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}
