// Histograms of the cycles of a code run, of one side or of two, with modes, floor, median and
// mean.
import {max, sum} from "d3-array";
import {scaleLinear} from "d3-scale";
import {bottomAxis, clipped, dotWithInterval, follow, frame, grid, leftAxis} from "./chart.js";
import {element, svg} from "./elements.js";
import {MOST_CYCLES} from "./block_words.js";
import {LABEL_ROW, labelRows, rowCount} from "./label_rows.js";
import {percent, plural, whole} from "./numbers.js";

/**
 * The executions of one recording, or of one side of a comparison.
 * @typedef {object} Side
 * @property {string} name "before", "after", or "" if there is one side
 * @property {"before" | "after"} kind a CSS class
 * @property {[number, number][]} histogram cycles and executions, ascending
 * @property {any[]} modes
 * @property {{value: number | null, ends: number[] | null}} median
 * @property {{value: number | null, ends: number[] | null}} mean
 */

/**
 * @param {number} width
 * @param {object} options
 * @param {Side[]} options.sides
 * @param {{at: number, label: string}[]} options.floors
 * @param {boolean} options.all false: up to the 99th percentile
 * @param {string} options.label the finding
 */
export function cyclesChart(width, {sides, floors, all, label}) {
  const shown = rangeOf(sides, floors, all);
  const plotWidth = Math.max(1, width - 64 - 12);
  const x = scaleLinear().domain(shown).range([0, plotWidth]);
  const within = (value) => value !== null && value >= shown[0] && value <= shown[1];
  const labels = labelRows(
      [
        ...floors.filter(({at}) => within(at))
            .map(({at, label: text}) => ({x: x(at), label: text, kind: "floor"})),
        ...sides.flatMap(
            (side) => side.modes
                          .map((mode, index) => ({
                                 x: x(mode.cycles),
                                 label: modeLabel(side, index),
                                 kind: `mode ${side.kind}`,
                                 mode,
                               }))
                          .filter(({mode}) => within(mode.cycles))),
      ],
      plotWidth);
  const figures = sides
                      .flatMap(
                          (side) =>
                              [{name: `${side.name} median`.trim(), side, ...side.median},
                               {name: `${side.name} mean`.trim(), side, ...side.mean},
  ]).filter(({value}) => within(value));
  const figuresTop = rowCount(labels) * (LABEL_ROW + 6) + 8;
  const top = figuresTop + figures.length * 16 + 26;
  const chart = frame({width, height: 260 + top, label, margin: {top}});
  const step = Math.max(1, Math.ceil((shown[1] - shown[0]) / Math.max(20, chart.width / 5)));
  const columns = sides.map((side) => columnsOf(side, shown, step));
  const y = scaleLinear().domain([0, 1.05 * (max(columns.flat(), ({share}) => share) || 1)]).range([
    chart.height, 0
  ]);
  grid(chart, y, false);
  const plot = clipped(chart);
  const two = sides.length > 1;
  sides.forEach((side, index) => {
    plot.append(
        two ? outline(columns[index], x, y, chart.height, side.kind, step) :
              bars(columns[index], x, y, chart.height, step));
  });
  labels.forEach((each) => chart.plot.append(...labelMarks(each, x, chart.height)));
  figures.forEach(
      (figure, index) =>
          chart.plot.append(...figureMarks(figure, x, -figuresTop - 16 * index, shown)));
  bottomAxis(
      chart, x, "cycles of an execution",
      (value) =>
          (Number.isInteger(value) ? (value === MOST_CYCLES ? "≥" : "") + whole(value) : ""));
  leftAxis(
      chart, y,
      step > 1 ? `share of executions, ${whole(step)} cycles each` : "share of executions",
      percentTick)
      .querySelector(".axis-label")
      .setAttribute("y", 12 - top);
  const beyond =
      sum(sides,
          ({histogram}) =>
              sum(histogram.filter(([cycles]) => cycles > shown[1]), ([, count]) => count));
  if (beyond > 0)
    chart.plot.append(
        svg("text", {class: "halo", x: chart.width, y: 12, "text-anchor": "end"},
            `${whole(beyond)} more to the right →`));
  const places = placesOf(columns);
  follow(
      chart, places.map((at) => x(at + step / 2)),
      (index) => textOf(places[index], step, sides, columns));
  return chart.picture;
}

function percentTick(share) { return percent(share).replace(".0 ", " "); }

function modeLabel(side, index) {
  return side.name ? `${side.name} ${index + 1}` : String(index + 1);
}

/** The cycles that so many of the executions do not exceed. */
export function quantile(histogram, part) {
  const wanted = part * sum(histogram, ([, count]) => count);
  let seen = 0;
  for (const [cycles, count] of histogram) {
    seen += count;
    if (seen >= wanted) return cycles;
  }
  return 0;
}

/** True if a few executions take much longer than the rest. */
export function hasTail(histograms) {
  const known = histograms.filter((histogram) => histogram.length > 0);
  return known.some((histogram) => histogram.at(-1)[0] > 1.3 * quantile(histogram, 0.99) + 20);
}

/** @returns {[number, number]} */
function rangeOf(sides, floors, all) {
  const known = sides.map(({histogram}) => histogram).filter(({length}) => length > 0);
  const low = Math.min(...known.map((histogram) => histogram[0][0]), ...floors.map(({at}) => at));
  const high = Math.max(
      ...known.map((histogram) => (all ? histogram.at(-1)[0] : quantile(histogram, 0.99))),
      ...floors.map(({at}) => at));
  const room = Math.max(1, 0.02 * (high - low));
  return [Math.max(0, Math.floor(low - room)), Math.ceil(high + room) + 1];
}

function columnsOf({histogram}, [low, high], step) {
  const total = sum(histogram, ([, count]) => count);
  const made = new Map();
  for (const [cycles, count] of histogram) {
    if (cycles > high) continue;
    const at = low + Math.floor((cycles - low) / step) * step;
    made.set(at, (made.get(at) ?? 0) + count);
  }
  return [...made].map(([at, count]) => ({at, count, share: count / total}));
}

function bars(columns, x, y, height, step) {
  const width = Math.max(1, x(step) - x(0) - 1);
  return svg(
      "g", {class: "counts"},
      ...columns.map(
          ({at, share}) => svg("rect", {x: x(at), width, y: y(share), height: height - y(share)})));
}

// A line around the columns, which two sides can share.
function outline(columns, x, y, height, kind, step) {
  let path = "";
  let end = null;
  for (const {at, share} of columns) {
    if (end !== at) path += `${end === null ? "" : `V${height}`}M${x(at)},${height}`;
    path += `V${y(share)}H${x(at + step)}`;
    end = at + step;
  }
  if (end !== null) path += `V${height}`;
  return svg("path", {class: `outline ${kind}`, d: path});
}

// A floor is a dashed line; a mode is a number on the bar of its interval, with a thin line.
/** @param {any} mark */
function labelMarks({x: at, middle, row, label, kind, mode}, x, height) {
  const y = -10 - row * (LABEL_ROW + 6);
  const marks = [
    svg("line", {class: `upright-line ${kind}`, x1: at, x2: at, y1: y + 4, y2: height}),
    svg("text", {class: `upright-label halo ${kind}`, x: middle, y, "text-anchor": "middle"},
        label),
  ];
  if (mode)
    marks.push(svg("line", {
      class: `mode-interval ${kind}`,
      x1: x(mode.ci95[0]),
      x2: x(mode.ci95[1]),
      y1: y + 5,
      y2: y + 5
    }));
  return marks;
}

function figureMarks({name, side, value, ends}, x, y, shown) {
  const [low, high] =
      (ends ?? [
        null, null
      ]).map((end) => (end === null ? null : Math.max(shown[0], Math.min(shown[1], end))));
  const mark = dotWithInterval(
      x, {value, low, high}, {across: y, class: side.kind === "after" ? "orange" : ""});
  const right = x(high ?? value) + 8;
  const fits = right + 7 * name.length < x.range()[1];
  return [
    mark,
    svg("text", {
      class: "halo",
      x: fits ? right : x(low ?? value) - 8,
      y: y + 4,
      "text-anchor": fits ? "start" : "end"
    },
        name)
  ];
}

function placesOf(columns) {
  const places = new Set(columns.flat().map(({at}) => at));
  return [...places].sort((a, b) => a - b);
}

function textOf(at, step, sides, columns) {
  const cycles =
      step === 1 ? plural(at, "cycle") : `${whole(at)} to ${whole(at + step - 1)} cycles`;
  const parts = sides.map((side, index) => {
    const column = columns[index].find((each) => each.at === at);
    const count = plural(column?.count ?? 0, "execution");
    return `${side.name ? `${side.name}: ` : ""}${count}, ${percent(column?.share ?? 0)}`;
  });
  return [cycles, ...parts].join("\n");
}

/**
 * What the marks of a histogram mean.
 * @param {boolean} two sides
 * @param {boolean} floor is drawn
 */
export function cyclesLegend(two, floor) {
  const entries = two ?
      [
        [svg("path", {class: "outline before", d: "M2,13V4H26V13"}), "before (solid)"],
        [svg("path", {class: "outline after", d: "M2,13V4H26V13"}), "after (dashed)"]
      ] :
      [[
        svg("g", {class: "counts"}, svg("rect", {x: 4, y: 4, width: 6, height: 10}),
            svg("rect", {x: 11, y: 1, width: 6, height: 13})),
        "executions that took so long"
      ]];
  entries.push([
    svg("text", {class: "upright-label mode before", x: 14, y: 9, "text-anchor": "middle"}, "1"),
    "a mode: a peak of its own, with the interval of its place"
  ]);
  if (floor)
    entries.push([
      svg("line", {class: "upright-line floor", x1: 14, x2: 14, y2: 14}),
      "cycles that the code should take if nothing missed: an estimate"
    ]);
  entries.push([
    dotWithInterval(
        scaleLinear().range([0, 28]).domain([0, 28]), {value: 14, low: 3, high: 25}, {across: 7}),
    "median or mean, with the 95 % interval; an open dot has none"
  ]);
  return element(
      "ul", {class: "key"},
      ...entries.map(
          ([mark, text]) => element(
              "li", {},
              svg("svg", {class: "chart swatch", width: 28, height: 14, "aria-hidden": "true"},
                  mark),
              text)));
}
