// Helpers for SVG charts that follow the width of their place: a frame, axes, intervals, and a
// tooltip for the pointer and for the keyboard.
import {axisBottom, axisLeft} from "d3-axis";
import {scaleLinear, scaleLog} from "d3-scale";
import {select} from "d3-selection";
import {element, svg} from "./elements.js";

/**
 * @typedef {object} Frame
 * @property {SVGSVGElement} picture the whole chart
 * @property {SVGGElement} plot the part between the axes; its origin is at the top left
 * @property {number} width of the plot, in pixels
 * @property {number} height of the plot, in pixels
 * @property {{top: number, right: number, bottom: number, left: number}} margin around the plot
 */

const MARGIN = {
  top: 8,
  right: 12,
  bottom: 40,
  left: 64
};

let numberOfClips = 0;

/**
 * Draws into `place` now, and again when its width changes.
 * @param {HTMLElement} place
 * @param {(width: number) => Node} draw
 * @returns {() => void} draws again
 */
export function responsive(place, draw) {
  let width = place.clientWidth || 800;
  const redraw = () => place.replaceChildren(draw(width));
  redraw();
  new ResizeObserver(() => {
    const now = place.clientWidth;
    if (now === 0 || now === width) return;
    width = now;
    redraw();
  }).observe(place);
  return redraw;
}

/**
 * An empty chart with margins.
 * @param {object} options
 * @param {number} options.width of the whole chart
 * @param {number} options.height of the whole chart
 * @param {string} options.label what the chart shows, in words
 * @param {Partial<Frame["margin"]>} [options.margin]
 * @returns {Frame}
 */
export function frame({width, height, label, margin = {}}) {
  const around = {...MARGIN, ...margin};
  const plot = svg("g", {transform: `translate(${around.left},${around.top})`});
  const picture =
      svg("svg", {
        class: "chart",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "img",
        "aria-label": label,
      },
          plot);
  return {
    picture,
    plot,
    margin: around,
    width: Math.max(1, width - around.left - around.right),
    height: Math.max(1, height - around.top - around.bottom),
  };
}

/** A group in the plot that is cut off at the plot's edges. @param {Frame} chart */
export function clipped(chart) {
  const id = `clip-${++numberOfClips}`;
  const group = svg("g", {"clip-path": `url(#${id})`});
  chart.plot.append(
      svg("clipPath", {id}, svg("rect", {width: chart.width, height: chart.height})), group);
  return group;
}

/** The smallest and the largest of the known values; [0, 1] if there is none. */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 1];
}

/** A linear scale for these values. A single value gets room on both sides. */
export function linear(values, range) {
  const [low, high] = extent(values);
  const room = low === high ? Math.abs(low) * 0.1 || 1 : 0;
  return scaleLinear().domain([low - room, high + room]).nice().range(range);
}

/** A logarithmic scale for the values above 0. */
export function logarithmic(values, range) {
  const known = values.filter((value) => value > 0);
  const [low, high] = known.length > 0 ? extent(known) : [1, 1];
  const domain = low < high ? [low, high] : [low / 2, high * 2];
  return scaleLog().domain(domain).range(range).clamp(true);
}

/**
 * An axis below the plot, with its label at the right end.
 * @param {Frame} chart
 * @param {any} scale
 * @param {string} label with the unit
 * @param {(value: number) => string} [format] of the ticks; there is no tick where it is empty
 */
export function bottomAxis(chart, scale, label, format) {
  const axis = withTicks(axisBottom(scale), scale, chart.width / 90, format);
  const group =
      svg("g", {class: "axis", transform: `translate(0,${chart.height})`},
          svg("text", {class: "axis-label", x: chart.width, y: 34, "text-anchor": "end"}, label));
  draw(axis, group);
  chart.plot.append(group);
  return group;
}

/** An axis left of the plot, with its label above it. The margin at the top must have room. */
export function leftAxis(chart, scale, label, format) {
  const axis = withTicks(axisLeft(scale), scale, chart.height / 45, format);
  const group = svg(
      "g", {class: "axis"},
      svg("text", {class: "axis-label", x: -chart.margin.left + 2, y: -8, "text-anchor": "start"},
          label));
  draw(axis, group);
  chart.plot.append(group);
  return group;
}

function withTicks(axis, scale, number, format) {
  const about = Math.max(2, number);
  const values = ticksOf(scale, about);
  if (format)
    return axis.tickValues(values.filter((value) => format(value) !== "")).tickFormat(format);
  const wide = scale.base && !isShort(scale);
  return wide ?
      axis.ticks(about, ",") :
      axis.tickValues(values).tickFormat(scaleLinear().domain(scale.domain()).tickFormat(about));
}

// Below one power of 10, a logarithmic scale has round numbers as a linear one has.
function ticksOf(scale, about) {
  return scale.base && isShort(scale) ? scaleLinear().domain(scale.domain()).ticks(about) :
                                        scale.ticks(about);
}

function isShort(scale) {
  const [low, high] = scale.domain();
  return high < 10 * low;
}

// d3 gives the group its own font and a black text; style.css decides that here.
function draw(axis, group) {
  const made = svg("g");
  select(made).call(axis);
  for (const name of ["font-size", "font-family", "fill"]) made.removeAttribute(name);
  group.append(made);
}

/** Thin lines through the plot at the ticks of a scale. `upright` for a scale of the x axis. */
export function grid(chart, scale, upright) {
  const lines = svg("g", {class: "grid"});
  for (const value of ticksOf(scale, Math.max(2, (upright ? chart.width : chart.height) / 60))) {
    const at = scale(value);
    lines.append(
        upright ? svg("line", {x1: at, x2: at, y2: chart.height}) :
                  svg("line", {y1: at, y2: at, x2: chart.width}));
  }
  chart.plot.append(lines);
}

/**
 * The area between low and high. Where an end is null, the area has a gap.
 * @param {{x: number, low: number | null, high: number | null}[]} points in pixels
 */
export function band(points, attributes = {}) {
  let path = "";
  for (const piece of pieces(points, (point) => point.low !== null && point.high !== null)) {
    const there = piece.map((point) => `${round(point.x)},${round(point.low)}`);
    const back = piece.map((point) => `${round(point.x)},${round(point.high)}`).reverse();
    path += `M${there.join("L")}L${back.join("L")}Z`;
  }
  return svg("path", {class: "band", d: path, ...attributes});
}

/**
 * A line through points. Where y is null, the line has a gap.
 * @param {{x: number, y: number | null}[]} points in pixels
 */
export function line(points, attributes = {}) {
  let path = "";
  for (const piece of pieces(points, (point) => point.y !== null))
    path += "M" + piece.map((point) => `${round(point.x)},${round(point.y)}`).join("L");
  return svg("path", {class: "line", d: path, ...attributes});
}

// The stretches of neighbours that are known.
function pieces(points, known) {
  const found = [];
  let piece = null;
  for (const point of points) {
    if (!known(point)) {
      piece = null;
    } else if (piece === null) {
      found.push(piece = [point]);
    } else {
      piece.push(point);
    }
  }
  return found;
}

function round(value) { return Math.round(value * 10) / 10; }

/**
 * A dot with the bar of its interval. An end that is null is unknown: a figure whose two ends are
 * null gets an open dot without a bar; with one null end, the bar goes to the plot's edge with an
 * arrow. An exact figure has value = low = high.
 * @param {any} scale of the axis along which the interval lies
 * @param {{value: number | null, low: number | null, high: number | null}} figure
 * @param {object} [options]
 * @param {number} [options.across] place on the other axis, in pixels
 * @param {boolean} [options.upright] true if the interval is vertical
 * @param {string} [options.class]
 */
export function dotWithInterval(scale, figure, options = {}) {
  const {across = 0, upright = false} = options;
  const {value, low, high} = figure;
  const group = svg("g", {class: `mark ${options.class ?? ""}`});
  const place = (along) => (upright ? {x: across, y: along} : {x: along, y: across});
  const known = low !== null || high !== null;
  if (known) {
    const [start, end] = scale.range();
    const from = place(low === null ? start : scale(low));
    const to = place(high === null ? end : scale(high));
    group.append(svg("line", {class: "interval", x1: from.x, y1: from.y, x2: to.x, y2: to.y}));
    if (low === null) group.append(arrow(from, upright, start > end));
    if (high === null) group.append(arrow(to, upright, end > start));
  }
  if (value !== null) {
    const at = place(scale(value));
    group.append(svg("circle", {class: known ? "dot" : "dot open", cx: at.x, cy: at.y, r: 4}));
  }
  return group;
}

/**
 * The tip of a bar that goes on: its end is not known, or is beyond the picture.
 * @param {{x: number, y: number}} place
 * @param {boolean} upright
 * @param {boolean} forward it points right or down
 * @param {string} [kind] the CSS class of the bar
 */
export function arrow({x, y}, upright, forward, kind = "interval") {
  const length = forward ? -6 : 6;
  const sides = upright ? [[x - 4, y + length], [x + 4, y + length]] :
                          [[x + length, y - 4], [x + length, y + 4]];
  return svg("path", {class: `${kind} tip`, d: `M${sides[0]}L${x},${y}L${sides[1]}`});
}

const tooltip = element("div", {class: "tooltip", role: "status", hidden: true});

/**
 * @param {string} text
 * @param {number} x place in the window, in pixels
 * @param {number} y
 */
export function showTooltip(text, x, y) {
  tooltip.textContent = text;
  tooltip.hidden = false;
  if (!tooltip.isConnected) document.body.append(tooltip);
  const {width, height} = tooltip.getBoundingClientRect();
  const left = Math.max(4, Math.min(x + 14, innerWidth - width - 4));
  const top = y + 16 + height > innerHeight ? Math.max(4, y - height - 12) : y + 16;
  tooltip.style.left = `${left + scrollX}px`;
  tooltip.style.top = `${top + scrollY}px`;
}

export function hideTooltip() { tooltip.hidden = true; }

addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTooltip();
});

/**
 * Gives marks of a picture a text for pointer and keyboard. One Tab leads to the group; the arrows
 * go from mark to mark.
 * @param {Element} group
 * @param {{node: Element, text: string}[]} marks in reading order
 */
export function explain(group, marks) {
  marks.forEach(({node, text}, index) => {
    node.setAttribute("tabindex", index === 0 ? "0" : "-1");
    node.setAttribute("aria-label", text);
    node.setAttribute("role", "img");
    node.addEventListener("pointermove", (/** @type {any} */ event) => {
      showTooltip(text, event.clientX, event.clientY);
    });
    node.addEventListener("pointerleave", hideTooltip);
    node.addEventListener("focus", () => {
      const box = node.getBoundingClientRect();
      showTooltip(text, box.left + box.width / 2, box.bottom - 8);
    });
    node.addEventListener("blur", hideTooltip);
  });
  group.addEventListener("keydown", (/** @type {any} */ event) => {
    const at = marks.findIndex(({node}) => node === document.activeElement);
    const next = marks[nextIndex(event.key, at, marks.length)];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    marks[at].node.setAttribute("tabindex", "-1");
    next.node.setAttribute("tabindex", "0");
    /** @type {any} */ (next.node).focus();
  });
}

// The index that a key leads to; -1 for other keys.
function nextIndex(key, at, count) {
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return Math.min(count - 1, at + 1);
    case "ArrowLeft":
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return -1;
  }
}

/**
 * Lets the pointer, or the arrows of the keyboard, go along a curve: a vertical line marks the
 * nearest point, and the tooltip has its text. For curves with more points than `explain` can have.
 * @param {Frame} chart
 * @param {number[]} positions of the points on the x axis, ascending, in pixels
 * @param {(index: number) => string} textOf
 */
export function follow(chart, positions, textOf) {
  if (positions.length === 0) return;
  const cursor = svg("line", {class: "cursor", y2: chart.height, visibility: "hidden"});
  const area = svg("rect", {
    class: "catch",
    width: chart.width,
    height: chart.height,
    tabindex: 0,
    role: "img",
    "aria-label": `${positions.length} points. The arrow keys go from one to the next.`,
  });
  let at = 0;
  const show = (index, y) => {
    at = index;
    const x = positions[index];
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    cursor.setAttribute("visibility", "visible");
    showTooltip(textOf(index), area.getBoundingClientRect().left + x, y);
  };
  const hide = () => {
    cursor.setAttribute("visibility", "hidden");
    hideTooltip();
  };
  const middle = () => {
    const box = area.getBoundingClientRect();
    return box.top + box.height / 2;
  };
  area.addEventListener(
      "pointermove",
      (event) => show(
          nearest(positions, event.clientX - area.getBoundingClientRect().left), event.clientY));
  area.addEventListener("pointerleave", hide);
  area.addEventListener("focus", () => show(at, middle()));
  area.addEventListener("blur", hide);
  area.addEventListener("keydown", (event) => {
    const next = nextIndex(event.key, at, positions.length);
    if (next < 0) return;
    event.preventDefault();
    show(next, middle());
  });
  chart.plot.append(cursor, area);
}

/** The index of the number in an ascending list that is nearest to `wanted`. */
export function nearest(ascending, wanted) {
  let low = 0;
  let high = ascending.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle] <= wanted)
      low = middle;
    else
      high = middle;
  }
  return wanted - ascending[low] <= ascending[high] - wanted ? low : high;
}
