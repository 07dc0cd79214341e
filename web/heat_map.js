// A matrix of times between CPUs or NUMA nodes as a heat map, with the distribution of the times
// over its colour scale. The cells are on a canvas, because 256 CPUs have 65,536 of them.
import {max, median, min} from "d3-array";
import {scaleLinear} from "d3-scale";
import {bottomAxis, dotWithInterval, frame, linear, responsive} from "./chart.js";
import {choice} from "./choice.js";
import {onThemeChange} from "./colours.js";
import {element, svg} from "./elements.js";
import {boxesOf, paintCells, shade} from "./heat_map_cells.js";
import {withEnds} from "./latency_words.js";
import {fixed, isNumber, plural, whole} from "./numbers.js";
import {similarOrder} from "./similar_order.js";
import {table} from "./table.js";

const FEW_TIMES = 150;  // so many have a bar each
const COLUMNS = 80;     // of the histogram of more

/**
 * One time of the matrix.
 * @typedef {object} Time
 * @property {number} row index
 * @property {number} column index
 * @property {number} ns
 * @property {number[] | null} ends
 */

/**
 * @param {HTMLElement} main
 * @param {{what: string, rows: number[], columns: number[], ns: (number | null)[][],
 *          ns_ci95: (number[] | null)[][], partial: boolean}} matrix
 * @param {(number: number) => string} nameOf a row or a column: "CPU 3"
 */
export function heatMap(main, matrix, nameOf) {
  const times = timesOf(matrix);
  if (matrix.partial)
    main.append(element(
        "p", {class: "note"}, "The measurement was ended early, so some times are missing."));
  main.append(element("p", {class: "finding"}, rangeText(times, matrix, nameOf)));
  if (times.length > 0) drawCells(main, {matrix, times, nameOf, scale: scaleOf(times)});
}

function drawCells(main, view) {
  const {matrix} = view;
  const cells = cellsOf(view);
  const canvas = element("canvas", {
    class: "cells",
    tabindex: 0,
    role: "img",
    "aria-label": `${matrix.what}, ns: ${matrix.rows.length} by ${matrix.columns.length} cells. ` +
        "The arrow keys go from cell to cell.",
  });
  const frameOfChosen = element("div", {class: "chosen-cell"});
  const said = element("p", {role: "status", class: "cell-text"});
  const place = element("div", {class: "scroll"});
  const strip = element("div", {class: "picture"});
  const map = element("div", {class: "cells-place"}, canvas, frameOfChosen);
  const state = {layout: null, chosen: view.times[0], mark: null};

  function paint(width) {
    state.layout = paintCells(canvas, cells, width);
    showChosen();
    return map;
  }

  function choose(cell) {
    state.chosen = cell;
    showChosen();
    said.textContent = cellText(view, cell);
    state.mark(matrix.ns[cell.row][cell.column]);
  }

  function showChosen() {
    const {x, y} = boxesOf(cells, state.layout)(state.chosen);
    const {width, height} = state.layout;
    Object.assign(frameOfChosen.style, {
      left: `${x - 2}px`,
      top: `${y - 2}px`,
      width: `${width + 3}px`,
      height: `${height + 3}px`
    });
  }

  const repaint = () => paint(place.clientWidth || 800);
  if (canReorder(matrix)) main.append(orderChoice(matrix, cells, repaint));
  main.append(said, place, element("p", {class: "note"}, legendText(view)), strip);
  responsive(place, paint);
  const drawStrip = responsive(strip, (width) => {
    const {picture, mark} = distribution(view, width);
    state.mark = mark;
    mark(matrix.ns[state.chosen.row][state.chosen.column]);
    return picture;
  });
  listen(canvas, cells, state, choose);
  onThemeChange(() => {
    repaint();
    drawStrip();
  });
  choose(state.chosen);
  drawTable(main, view);
}

function timesOf({ns, ns_ci95: ends}) {
  const times = [];
  ns.forEach((row, index) => row.forEach((value, column) => {
    if (isNumber(value)) times.push({row: index, column, ns: value, ends: ends[index][column]});
  }));
  return times;
}

// What is painted.
function cellsOf({matrix, times, nameOf, scale}) {
  const part = scale.copy().range([0, 1]);
  return {
    rowNames: matrix.rows.map(nameOf),
    columnNames: matrix.columns.map(String),
    rows: matrix.rows.map((_, index) => index),
    columns: matrix.columns.map((_, index) => index),
    known: times.map(
        ({row, column, ns, ends}) =>
            ({row, column, part: part(ns), text: withEnds(ns, ends, 1), sure: ends !== null})),
    missing: missingOf(matrix),
  };
}

// A CPU and itself is no pair.
function missingOf({ns, rows, columns}) {
  const missing = [];
  ns.forEach((times, row) => times.forEach((value, column) => {
    if (!isNumber(value) && rows[row] !== columns[column]) missing.push({row, column});
  }));
  return missing;
}

/** "446.0 ± 9.0 ns" */
function timeText({ns, ends}) { return `${withEnds(ns, ends, 1)} ns`; }

// From the least to the greatest time, and whether they differ at all.
function rangeText(times, {what, rows, columns}, nameOf) {
  const start = `${what.charAt(0).toUpperCase()}${what.slice(1)}:`;
  if (times.length === 0) return `${start} no time was measured.`;
  const byTime = times.slice().sort((a, b) => a.ns - b.ns);
  const one = (time) => `${timeText(time)} (${nameOf(rows[time.row])} to ` +
      `${nameOf(columns[time.column])})`;
  if (times.length === 1) return `${start} ${one(times[0])}.`;
  const text = `${start} from ${one(byTime[0])} to ${one(byTime.at(-1))}, median ` +
      `${fixed(median(byTime, (time) => time.ns), 1)} ns.`;
  const overlap = times.every((time) => time.ends) &&
      max(times, (time) => time.ends[0]) <= min(times, (time) => time.ends[1]);
  return overlap ? `${text} All intervals overlap, so the times may be equal.` : text;
}

// Colours begin at 0: otherwise noise would look like a difference.
function scaleOf(times) { return scaleLinear().domain([0, max(times, (time) => time.ns)]); }

function legendText({matrix, times}) {
  const parts = ["Rows are from, columns are to. The colours begin at 0 ns and are below."];
  if (times.some((time) => !time.ends))
    parts.push("(?) and a dot in the corner: the measurements differ too much for an interval.");
  if (missingOf(matrix).length > 0) parts.push("A struck-out cell was not measured.");
  return parts.join(" ");
}

function cellText({matrix, nameOf}, {row, column}) {
  const from = nameOf(matrix.rows[row]);
  const to = nameOf(matrix.columns[column]);
  const name = `${from} to ${to}`;
  const ns = matrix.ns[row][column];
  if (!isNumber(ns)) {
    if (matrix.rows[row] === matrix.columns[column]) return `${name}: this is no pair.`;
    return `${name}: not measured.`;
  }
  const text = `${name}: ${timeText({ns, ends: matrix.ns_ci95[row][column]})}.`;
  const back = matrix.ns[column]?.[row];
  if (!isNumber(back) || row === column) return text;
  return `${text} ${to} to ${from}: ${timeText({ns: back, ends: matrix.ns_ci95[column][row]})}.`;
}

function listen(canvas, cells, state, choose) {
  canvas.addEventListener("pointermove", (event) => {
    const {left, top, width, height} = state.layout;
    const row = cells.rows[Math.floor((event.offsetY - top) / height)];
    const column = cells.columns[Math.floor((event.offsetX - left) / width)];
    const {chosen} = state;
    if (row === undefined || column === undefined) return;
    if (row !== chosen.row || column !== chosen.column) choose({row, column});
  });
  canvas.addEventListener("keydown", (event) => {
    const [down, right] = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [0, -Infinity],
      End: [0, Infinity],
      PageUp: [-Infinity, 0],
      PageDown: [Infinity, 0]
    }[event.key] ??
        [];
    if (down === undefined) return;
    event.preventDefault();
    choose({
      row: moved(cells.rows, state.chosen.row, down),
      column: moved(cells.columns, state.chosen.column, right)
    });
  });
}

function moved(order, index, by) {
  const at = order.indexOf(index) + by;
  return order[Math.max(0, Math.min(order.length - 1, at))];
}

function canReorder({rows, columns}) { return rows.length > 2 && rows.length === columns.length; }

function orderChoice(matrix, cells, repaint) {
  const byNumber = cells.rows;
  return element(
      "div", {class: "controls choices"},
      choice("Order", [["number", "by number"], ["similar", "near ones together"]], (order) => {
        cells.rows = cells.columns = order === "number" ? byNumber : similarOrder(matrix.ns);
        repaint();
      }));
}

// The times along an axis that has the colours below it: each with its interval, or as a histogram.
// `mark` shows one of them.
function distribution({matrix, times, scale}, width) {
  const few = times.length <= FEW_TIMES;
  const height = few ? Math.max(70, 12 * Math.min(times.length, 12)) : 110;
  const chart = frame({
    width,
    height: height + 58,
    margin: {left: 12, right: 12, bottom: 52, top: 6},
    label: `Distribution of ${plural(times.length, "time")}. Below it, the colours of the cells.`,
  });
  const x =
      linear(times.flatMap((time) => [time.ns, ...(few ? time.ends ?? [] : [])]), [0, chart.width]);
  const line = svg("line", {class: "chosen-time", y2: chart.height + 10});
  chart.plot.append((few ? bars : columns)(times, x, chart.height), colours(chart, x, scale), line);
  bottomAxis(chart, x, `${matrix.what}, ns`)
      .setAttribute("transform", `translate(0,${chart.height + 10})`);
  const mark = (ns) => {
    line.setAttribute("visibility", isNumber(ns) ? "visible" : "hidden");
    if (isNumber(ns)) line.setAttribute("transform", `translate(${x(ns)},0)`);
  };
  return {picture: chart.picture, mark};
}

function bars(times, x, height) {
  const byTime = times.slice().sort((a, b) => a.ns - b.ns);
  const step = height / (byTime.length + 1);
  const group = svg("g", {class: "small"});
  byTime.forEach((time, index) => {
    const [low, high] = time.ends ?? [null, null];
    group.append(
        dotWithInterval(x, {value: time.ns, low, high}, {across: height - (index + 1) * step}));
  });
  return group;
}

function columns(times, x, height) {
  const width = x.range()[1] / COLUMNS;
  const counts = new Array(COLUMNS).fill(0);
  for (const time of times) ++counts[Math.min(COLUMNS - 1, Math.floor(x(time.ns) / width))];
  const most = max(counts);
  return svg("g", {class: "counts"}, ...counts.map((count, index) => svg("rect", {
                                                     x: index * width,
                                                     width: Math.max(0.5, width - 1),
                                                     y: height * (1 - count / most),
                                                     height: height * count / most,
                                                   })));
}

function colours(chart, x, scale) {
  const part = scale.copy().range([0, 1]).clamp(true);
  const group = svg("g");
  const steps = Math.max(20, Math.min(200, Math.floor(chart.width / 4)));
  const width = chart.width / steps;
  for (let step = 0; step < steps; ++step)
    group.append(svg("rect", {
      x: step * width,
      width: width + 0.5,
      y: chart.height,
      height: 10,
      fill: shade(part(x.invert((step + 0.5) * width)))
    }));
  return group;
}

function drawTable(main, {matrix, times, nameOf}) {
  const place = element(
      "details", {}, element("summary", {}, `All times as a table (${whole(times.length)})`));
  main.append(place);
  table(place, {
    caption: `${matrix.what}, with the 95 % interval`,
    rows: times,
    filter: "Find",
    columns: [
      {
        title: "from",
        value: (time) => matrix.rows[time.row],
        text: (time) => nameOf(matrix.rows[time.row])
      },
      {
        title: "to",
        value: (time) => matrix.columns[time.column],
        text: (time) => nameOf(matrix.columns[time.column])
      },
      {
        title: "ns",
        number: true,
        value: (time) => time.ns,
        text: (time) => withEnds(time.ns, time.ends, 1)
      },
    ],
  });
}
