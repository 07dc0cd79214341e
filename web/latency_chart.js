// The staircase of `tacho latency`: the time of a load over the size of the list, with the interval
// of each list, the levels as bands, and the sizes of caches and TLBs as upright lines.
import {scaleLinear, scaleLog} from "d3-scale";
import {bottomAxis, clipped, extent, follow, frame, grid, leftAxis, line} from "./chart.js";
import {element, svg} from "./elements.js";
import {LABEL_ROW, labelRows, labelWidth, rowCount} from "./label_rows.js";

/**
 * A size at which something ends.
 * @typedef {object} Upright
 * @property {number} at
 * @property {number[] | null} ends of the interval
 * @property {string} label
 * @property {string} kind a CSS class: "measured", "advertised" or "reach"
 */

/**
 * @typedef {object} Level
 * @property {string} label
 * @property {number} from
 * @property {number} to
 * @property {number} value
 * @property {number | null} halfWidth of the interval
 */

/**
 * A kind of lists: they are connected by a line.
 * @typedef {object} Series
 * @property {string} name
 * @property {string} kind a CSS class: "first", "second" or "third"
 * @property {any[]} lists undisturbed and disturbed ones
 */

/**
 * @param {number} width
 * @param {object} options
 * @param {string} options.label the finding
 * @param {Series[]} options.series
 * @param {Level[]} options.levels
 * @param {Upright[]} options.uprights
 * @param {string} options.access "load", "write" or "atomic addition"
 * @param {"cycles" | "ns"} options.unit
 * @param {boolean} options.logarithmic the axis of the time
 * @param {(list: any) => number} options.place of a list on the x axis
 * @param {string} options.xLabel
 * @param {(value: number) => string} options.xText
 * @param {(list: any) => string} options.textOf
 */
export function staircase(width, options) {
  const all = options.series.flatMap(({lists}) => lists);
  const places = extent(all.map(options.place));
  const plotWidth = Math.max(1, width - 64 - 12);
  const x = scaleLog().base(2).domain(widened(places)).range([0, plotWidth]);
  const labels =
      labelRows(options.uprights.map((upright) => ({...upright, x: x(upright.at)})), plotWidth);
  const top = (1 + rowCount(labels)) * LABEL_ROW;
  const chart = frame({width, height: 380 + top, label: options.label, margin: {top: top + 12}});
  const quiet = all.filter((list) => !list.disturbed);
  const y = timeScale(quiet.length > 0 ? quiet : all, options, chart.height);
  grid(chart, y, false);
  const plot = clipped(chart);
  for (const upright of options.uprights) plot.append(uprightMark(upright, x, chart.height));
  for (const level of options.levels) plot.append(levelBand(level, x, y));
  for (const series of options.series) plot.append(seriesMarks(series, x, y, options));
  plot.append(...options.levels.map((level) => levelLabel(level, x, y)));
  chart.plot.append(...labels.map((label) => uprightLabel(label)));
  bottomAxis(chart, x, options.xLabel, options.xText);
  leftAxis(chart, y, `${options.unit} per ${options.access}`)
      .querySelector(".axis-label")
      .setAttribute("y", 4 - top);
  const ordered = all.slice().sort((a, b) => options.place(a) - options.place(b));
  follow(
      chart, ordered.map((list) => x(options.place(list))),
      (index) => options.textOf(ordered[index]));
  return chart.picture;
}

function widened(places) {
  const [low, high] = places;
  return low > 0 ? [low / 1.1, high * 1.1] : [1, 2];
}

// How many of the chosen unit a cycle of this list is.
function scaleOf(list, unit) { return unit === "ns" ? list.ns / list.cycles : 1; }

function timeScale(lists, {unit, logarithmic, levels}, height) {
  const ends = [...levels.map(({value}) => value)];
  for (const list of lists) {
    const scale = scaleOf(list, unit);
    ends.push((list.cycles - list.ci95) * scale, (list.cycles + list.ci95) * scale);
    if (!list.from_blocks)
      ends.push(...list.modes.flatMap((mode) => mode.range.map((at) => at * scale)));
  }
  const positive = ends.filter((value) => value > 0);
  const [low, high] = extent(positive);
  return logarithmic ? scaleLog()
                           .domain(positive.length ? [low / 1.3, high * 1.3] : [1, 10])
                           .range([height, 0])
                           .clamp(true) :
                       scaleLinear().domain([0, high * 1.05]).range([height, 0]);
}

function levelBand({from, to, value, halfWidth: known}, x, y) {
  const halfWidth = known ?? 0;
  const left = x(Math.max(from, x.domain()[0]));
  const right = x(Math.min(to, x.domain()[1]));
  const top = y(value + halfWidth);
  const low = y(Math.max(value - halfWidth, y.domain()[0]));
  const thick = Math.max(3, low - top);  // a narrow interval must be seen, too
  return svg("rect", {
    class: "level",
    x: left,
    y: (top + low - thick) / 2,
    height: thick,
    width: Math.max(1, right - left)
  });
}

// At the band's right end: the staircase rises to the right, so there is room above it.
function levelLabel({label, from, to, value, halfWidth}, x, y) {
  const right = x(Math.min(to, x.domain()[1]));
  const left = x(Math.max(from, x.domain()[0]));
  const fits = right - labelWidth(label) > 0;
  return svg(
      "text", {
        class: "level-label halo",
        x: fits ? right - 6 : left + 4,
        y: Math.max(12, y(value + (halfWidth ?? 0)) - 8),
        "text-anchor": fits ? "end" : "start"
      },
      label);
}

function uprightMark({at, ends, kind}, x, height) {
  const group = svg("g", {class: `upright ${kind}`});
  if (ends) {
    const [from, to] = ends.map((end) => x(Math.max(end, x.domain()[0])));
    group.append(svg("rect", {x: from, width: Math.max(1, to - from), height}));
  }
  group.append(svg("line", {x1: x(at), x2: x(at), y2: height}));
  return group;
}

function uprightLabel({label, kind, row, middle}) {
  return svg(
      "text",
      {class: `upright-label ${kind}`, x: middle, y: -6 - row * LABEL_ROW, "text-anchor": "middle"},
      label);
}

function seriesMarks({kind, lists}, x, y, options) {
  const group = svg("g", {class: `series ${kind}`});
  const loads = svg("g", {class: "loads"});
  const intervals = svg("g");
  const dots = svg("g");
  for (const list of lists) {
    if (!(list.cycles > 0)) continue;
    const at = x(options.place(list));
    const scale = scaleOf(list, options.unit);
    const middle = y(list.cycles * scale);
    if (list.disturbed) {
      dots.append(cross(at, middle));
      continue;
    }
    if (!list.from_blocks) loads.append(...loadRows(list.singles, at, y, scale));
    const low = Math.max((list.cycles - list.ci95) * scale, y.domain()[0]);
    intervals.append(svg(
        "line",
        {class: "interval", x1: at, x2: at, y1: y(low), y2: y((list.cycles + list.ci95) * scale)}));
    dots.append(mark(kind, at, middle));
  }
  group.append(loads, line(middles(lists, x, y, options)), intervals, dots);
  return group;
}

// Shades where the single loads of a list lie: the darker, the more of them. Each shade is a row of
// pixels with the loads that fall into it.
function loadRows(singles, at, y, scale) {
  const ROW = 3;  // pixels
  const [low, high] = y.domain();
  const shares = new Map();
  const all = singles.reduce((sum, [, count]) => sum + count, 0);
  for (const [cycles, count] of singles) {
    if (cycles * scale < low || cycles * scale > high) continue;
    const row = Math.floor(y(cycles * scale) / ROW);
    shares.set(row, (shares.get(row) ?? 0) + count / all);
  }
  return [...shares]
      .filter(([, share]) => share >= 0.001)
      .map(([row, share]) => svg("rect", {
             x: at - 4,
             width: 8,
             y: row * ROW,
             height: ROW,
             "fill-opacity": Math.min(0.8, 0.08 + share).toFixed(2)
           }));
}

function mark(kind, x, y) {
  return kind === "first" ?
      svg("circle", {class: "dot", cx: x, cy: y, r: 2.5}) :
      svg("rect", {class: "dot", x: x - 2.2, y: y - 2.2, width: 4.4, height: 4.4});
}

function cross(x, y) {
  return svg("path", {class: "cross", d: `M${x - 3},${y - 3}l6,6m0,-6l-6,6`});
}

// The line goes through the middle one of the lists of one size.
function middles(lists, x, y, options) {
  const bySize = new Map();
  for (const list of lists) {
    if (list.disturbed || !(list.cycles > 0)) continue;
    const place = options.place(list);
    if (!bySize.has(place)) bySize.set(place, []);
    bySize.get(place).push(list.cycles * scaleOf(list, options.unit));
  }
  return [...bySize].sort((a, b) => a[0] - b[0]).map(([place, times]) => {
    times.sort((a, b) => a - b);
    return {x: x(place), y: y(times[times.length >> 1])};
  });
}

/** What the marks mean. @param {{kind: string, text: string}[]} entries */
export function legend(entries) {
  return element(
      "ul", {class: "key"},
      ...entries.map(
          ({kind, text}) => element(
              "li", {},
              svg("svg", {class: "chart swatch", width: 28, height: 14, "aria-hidden": "true"},
                  ...swatch(kind)),
              text)));
}

function swatch(kind) {
  const across = {x1: 1, x2: 27, y1: 7, y2: 7};
  switch (kind) {
    case "first":
    case "second":
    case "third":
      return [svg(
          "g", {class: `series ${kind}`}, svg("line", {class: "line", ...across}),
          svg("line", {class: "interval", x1: 14, x2: 14, y1: 1, y2: 13}), mark(kind, 14, 7))];
    case "level":
      return [svg("rect", {class: "level", x: 1, y: 4, width: 26, height: 6})];
    case "mode":
      return [svg(
          "g", {class: "series first"},
          svg("g", {class: "loads"},
              svg("rect", {x: 6, y: 1, width: 8, height: 12, "fill-opacity": 0.2}),
              svg("rect", {x: 16, y: 1, width: 8, height: 12, "fill-opacity": 0.5})))];
    case "cross":
      return [cross(14, 7)];
    default:
      return [svg(
          "g", {class: `upright ${kind}`},
          ...(kind === "measured" ? [svg("rect", {x: 8, width: 12, height: 14})] : []),
          svg("line", {x1: 14, x2: 14, y2: 14}))];
  }
}
