// Every run of the compared commands in the order of time, and the change of each pair, for a
// metric that can be chosen.
import {amount, changeText, endsOf, rangeText} from "./change_text.js";
import {
  bottomAxis,
  clipped,
  explain,
  extent,
  frame,
  grid,
  leftAxis,
  linear,
  responsive
} from "./chart.js";
import {
  firstName,
  isPaired,
  median,
  primaryIndex,
  shownUnit,
  toneOf,
  withUnit
} from "./compared_commands.js";
import {element, section, svg} from "./elements.js";
import {printable} from "./names.js";
import {isNumber, signed, whole} from "./numbers.js";

const MOST_DOTS = 4000;  // runs of a command that a chart draws: the first ones

// Every run, and the change of every pair, of a metric that can be chosen.
export function drawRuns(main, document, names) {
  const {metrics, runs} = document;
  const shown = metrics.map((metric, index) => ({metric, index}))
                    .filter(({index}) => runs.some((run) => isNumber(run.values[index])));
  if (shown.length === 0) return;
  const place = element("div");
  const start = primaryIndex(document);
  const choice = element(
      "select", {onchange: () => show()},
      ...shown.map(
          ({metric, index}) => element(
              "option", {value: index, selected: index === start}, printable(metric.name))));
  section(
      main, "Every run", element("p", {class: "controls"}, element("label", {}, "Metric ", choice)),
      place);
  const show = () => {
    place.replaceChildren();
    drawRunsOf(place, document, names, Number(choice.value));
  };
  show();
}

function drawRunsOf(place, document, names, index) {
  const first = document.members.findIndex(
      ({role, command}) => role === "compared" && command === document.commands[0].label);
  document.members.forEach((member, at) => {
    if (at === first || member.role === "fixed") return;
    const change = document.changes.find(
        ({metric, command, role}) => role === member.role && command === member.command &&
            metric === document.metrics[index].name);
    const sides = [runsOf(document, first, index), runsOf(document, at, index)];
    const other = member.role === "control" ? `${names.get(member.command)} again` :
                                              names.get(member.command) ?? member.command;
    const content = {
      document,
      metric: document.metrics[index],
      change,
      sides,
      names: [firstName(document, names), other],
      paired: isPaired(document)
    };
    const box = element("div", {class: "runs"});
    if (sides.some((side) => side.length > MOST_DOTS))
      place.append(element(
          "p", {class: "note"},
          `Only the first ${whole(MOST_DOTS)} runs of each command are drawn.`));
    place.append(box);
    responsive(box, (width) => {
      const pictures = element("div", {}, runsChart(width, content));
      if (content.paired && change && change.verdict !== "missing")
        pictures.append(pairsChart(width, content));
      return pictures;
    });
  });
}

function runsOf({runs}, member, index) {
  return runs.filter((run) => run.member === member)
      .map(
          (run) => ({block: run.block, value: run.values[index] ?? null, warmUp: run.block === 0}));
}

// The scale's upper end: few runs that took far longer must not flatten all others.
function upperEnd(values) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  if (sorted.length === 0) return 1;
  const [low, high] = [sorted[0], sorted[Math.floor(0.95 * (sorted.length - 1))]];
  const most = sorted[sorted.length - 1];
  const limit = high + 1.5 * (high - low);
  return most > limit && high > low ? limit : most;
}

function runsChart(width, {metric, sides, names, paired}) {
  const values = sides.flatMap((side) => side.map(({value}) => value));
  const judged =
      sides.flatMap((side) => side.filter(({warmUp}) => !warmUp).map(({value}) => value));
  const {factor, unit} = shownUnit(values, metric.unit);
  const medians =
      sides.map((side) => median(side.filter(({warmUp}) => !warmUp).map(({value}) => value)));
  const middles = medians.map((value) => amount(value, Math.max(...medians), metric.unit));
  const text = middles.map((middle, side) => `${names[side]}: median ${middle}`).join("; ");
  const chart = frame({
    width,
    height: 240,
    margin: {top: 44, left: 72},
    label: `${printable(metric.name)} of every run in order. ${text}`
  });
  const limit = upperEnd(judged) * factor;
  const y = linear([extent(values)[0] * factor, limit], [chart.height, 0]).clamp(true);
  const x = blockScale(sides, chart.width);
  grid(chart, y, false);
  leftAxis(chart, y, withUnit(metric.name, unit));
  bottomAxis(
      chart, x, orderText(paired, sides), (value) => (Number.isInteger(value) ? whole(value) : ""));
  drawLegend(chart, names, middles);
  const inside = clipped(chart);
  if (paired) inside.append(...joined(sides, x, y, factor));
  medians.forEach((value, side) => {
    if (value !== null)
      inside.append(svg("line", {
        class: `median side-${side}`,
        x2: chart.width,
        y1: y(value * factor),
        y2: y(value * factor)
      }));
  });
  const marks = sides.flatMap(
      (side, number) =>
          side.slice(0, MOST_DOTS)
              .filter(({value}) => value !== null)
              .map((run) => ({
                     node: runMark(run, number, x, y, factor),
                     text: `${names[number]}, ${run.warmUp ? "warm-up" : `run ${run.block}`}: ` +
                         amount(run.value, run.value, metric.unit)
                   })));
  const group = svg("g", {}, ...marks.map(({node}) => node));
  explain(group, marks);
  chart.plot.append(group);
  return chart.picture;
}

function orderText(paired, sides) {
  const warmUp = sides.some((side) => side.some((run) => run.warmUp)) ? " (0: warm-up)" : "";
  return `${paired ? "pair" : "run"}, in the order of time${warmUp}`;
}

function blockScale(sides, width) {
  const [low, high] = extent(sides.flatMap((side) => side.map(({block}) => block)));
  return linear([low, high], [0, width]).domain([low - 0.6, high + 0.6]);
}

// Circles for the first command, squares for the other; triangles leave the scale.
function runMark({block, value, warmUp}, side, x, y, factor) {
  const [across, along] = [x(block), y(value * factor)];
  const name = `run side-${side}${warmUp ? " warm-up" : ""}`;
  if (value * factor > y.domain()[1])
    return svg("path", {class: name, d: `M${across - 5},8H${across + 5}L${across},0Z`});
  if (side === 0) return svg("circle", {class: name, cx: across, cy: along, r: 4});
  return svg("rect", {class: name, x: across - 4, y: along - 4, width: 8, height: 8});
}

function joined([before, after], x, y, factor) {
  const partner = new Map(after.map((run) => [run.block, run]));
  return before.slice(0, MOST_DOTS).flatMap(({block, value, warmUp}) => {
    const other = partner.get(block)?.value ?? null;
    if (value === null || other === null || warmUp) return [];
    return [svg(
        "line",
        {class: "pair", x1: x(block), x2: x(block), y1: y(value * factor), y2: y(other * factor)})];
  });
}

function drawLegend(chart, names, medians) {
  const most = Math.max(6, Math.floor(chart.width / 16) - 16);
  const cut = (name) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
  const half = chart.width / 2;
  const top = -chart.margin.top + 12;
  [0, 1].forEach((side) => {
    const left = side * half;
    const mark = side === 0 ?
        svg("circle", {class: "run side-0", cx: left, cy: top - 4, r: 4}) :
        svg("rect", {class: "run side-1", x: left - 4, y: top - 8, width: 8, height: 8});
    chart.plot.append(
        mark, svg("text", {x: left + 9, y: top}, `${cut(names[side])}: median ${medians[side]}`));
  });
}

// The change of each pair around 0, and the estimate with its interval as a band.
function pairsChart(width, {change, sides, names, metric}) {
  const after = new Map(sides[1].map((run) => [run.block, run.value]));
  const ratio = change.scale === "ratio";
  const pairs = sides[0].slice(0, MOST_DOTS).flatMap(({block, value, warmUp}) => {
    const other = after.get(block) ?? null;
    if (warmUp || value === null || other === null || (ratio && !(value > 0))) return [];
    return [{block, change: ratio ? other / value - 1 : other - value}];
  });
  if (pairs.length === 0) return "";
  const {factor, unit} = ratio ? {factor: 100, unit: "%"} :
                                 shownUnit(pairs.map((pair) => Math.abs(pair.change)), metric.unit);
  const text = `Change of each pair from ${names[0]} to ${names[1]}`;
  const chart = frame({
    width,
    height: 190,
    margin: {top: 26, left: 72},
    label: `${text}. Estimate ${changeText(change)} ${rangeText(change)}`
  });
  const [low, high] = endsOf(change);
  const ends = [low, high].filter(Number.isFinite);
  const y = linear(
      [0, ...ends, ...pairs.map((pair) => pair.change)].map((value) => value * factor),
      [chart.height, 0]);
  const x = blockScale(sides, chart.width);
  grid(chart, y, false);
  leftAxis(chart, y, `${text}, ${unit}`.replace(/, $/, ""), signed);
  bottomAxis(chart, x, "pair", (value) => (Number.isInteger(value) ? whole(value) : ""));
  if (ends.length === 2)
    chart.plot.append(svg("rect", {
      class: `band ${toneOf(change)}`,
      width: chart.width,
      y: y(high * factor),
      height: Math.max(1, y(low * factor) - y(high * factor))
    }));
  const estimate = y(change.change * factor);
  chart.plot.append(
      svg("line", {class: `line ${toneOf(change)}`, x2: chart.width, y1: estimate, y2: estimate}),
      svg("line", {class: "zero", x2: chart.width, y1: y(0), y2: y(0)}));
  const marks = pairs.map(
      (pair) => ({
        node:
            svg("circle",
                {class: "run difference", cx: x(pair.block), cy: y(pair.change * factor), r: 3.5}),
        text: `pair ${pair.block}: ${signed(pair.change * factor)} ${unit}`
      }));
  const group = svg("g", {}, ...marks.map(({node}) => node));
  explain(group, marks);
  chart.plot.append(group);
  return chart.picture;
}
