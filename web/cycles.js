// Where the cycles went: the metrics of the event set `why` as one stacked bar, unfolded below it.
import {arrow, frame, responsive} from "./chart.js";
import {element, svg} from "./elements.js";
import {isNumber, metricFigure, fixed} from "./numbers.js";

/** By the name of a metric of data/sets/why.toml: the row's label and its colour. */
const CAUSES = [
  {metric: "Waited for loads", label: "waited for loads", tone: "data-1"},
  {metric: "for stores", label: "waited for stores", tone: "data-2"},
  {metric: "for translations", label: "waited for translations", tone: "data-3"},
  {metric: "for operands", label: "waited for operands", tone: "core-1"},
  {metric: "for instructions", label: "waited for instructions", tone: "front-1"},
  {metric: "after mispredictions", label: "refilled after mispredictions", tone: "front-2"},
];

const ROW = 24;
const NARROW = 600;

/** Draws nothing if the metrics of the set are not there. */
export function drawCycles(main, document) {
  const parts = partsOf(document.metrics);
  if (parts.length === 0) return;
  const kind = document.pmu.kind === "simulated" ? "simulated" : "measured";
  const place = element("div");
  main.append(element(
      "section", {}, element("h2", {}, `Where the cycles went (${kind})`),
      element("p", {class: "note"}, sentence(parts, kind)), place));
  responsive(place, (width) => chart(width, parts));
}

/**
 * @returns {{label: string, tone: string, value: number, low: number | null, high: number | null,
 *            text: string}[]} in per cent of the cycles; none if a metric is missing
 */
function partsOf(metrics) {
  const found =
      CAUSES.map((cause) => ({
                   ...cause,
                   figure: metrics.find(({name, unit}) => name === cause.metric && unit === "%")
                 }));
  if (!found.every(({figure}) => figure && isNumber(figure.value))) return [];
  const parts = found.map(({label, tone, figure}) => {
    const known = isNumber(figure.ci95);
    const {value, spread} = metricFigure(figure);
    return {
      label,
      tone,
      value: figure.value,
      low: known ? figure.low : null,
      high: known ? figure.high : null,
      text: `${value} % ${spread}`.trim()
    };
  });
  return [rest(parts), ...parts];
}

// The cycles in which the core did not wait. It is exact if all others are.
function rest(parts) {
  const value = Math.max(0, 100 - parts.reduce((sum, part) => sum + part.value, 0));
  const exact = parts.every((part) => part.low === part.high && part.low !== null);
  return {
    label: "did not wait",
    tone: "work",
    value,
    low: exact ? value : null,
    high: exact ? value : null,
    text: `${exact ? "" : "~"}${fixed(value, 1)} %`
  };
}

function sentence(parts, kind) {
  const by = kind === "simulated" ? "The model's core" : "The core";
  const lines = parts.some(hasWidth) ?
      " Thin lines are 95 % intervals. One with an arrow goes on beyond the picture." :
      "";
  return `${by} did not wait in ${parts[0].text} of its cycles. ` +
      `${largestWait(parts.slice(1))}${lines}`;
}

function hasWidth({low, high}) { return low !== null && high > low; }

// Only a cause whose interval is above all others is the largest.
function largestWait(causes) {
  const byValue = [...causes].sort((a, b) => b.value - a.value);
  const rivals = byValue.filter((cause) => !isBelow(cause, byValue[0]));
  const names = rivals.map(({label}) => label.replace(/^\w+ /, ""));
  const texts = rivals.map(({text}) => text).join(", ");
  if (rivals.length === 1) return `It waited most ${names[0]}: ${texts}.`;
  const last = names.pop();
  return `It waited mostly ${names.join(", ")} or ${last}: ${texts}. Which of them is the ` +
      "largest is not certain.";
}

// The largest cause itself is not below, and nothing is if an interval is not known.
function isBelow(cause, largest) {
  return cause.high !== null && largest.low !== null && cause.high < largest.low;
}

function chart(width, parts) {
  const narrow = width < NARROW;
  const left = narrow ? 8 : 210;
  const row = narrow ? ROW * 1.7 : ROW;
  const made = frame({
    width,
    height: 48 + row * parts.length,
    label: parts.map(({label, text}) => `${label}: ${text}`).join("; "),
    margin: {top: 4, bottom: 4, left, right: narrow ? 8 : 190},
  });
  const whole = Math.max(100, parts.reduce((sum, part) => sum + part.value, 0));
  const x = (value) => value / whole * made.width;
  let start = 0;
  parts.forEach((part, index) => {
    const top = 40 + index * row;
    made.plot.append(
        svg("rect", {class: `cycles ${part.tone}`, x: x(start), width: x(part.value), height: 28},
            svg("title", {}, `${part.label}: ${part.text}`)),
        ...unfolded(part, {start, x, narrow, top, left, row, width: made.width}));
    start += part.value;
  });
  return made.picture;
}

// A row below the bar: the same piece at the same place, with its name, number and interval.
function unfolded(part, {start, x, narrow, top, left, row, width}) {
  const middle = top + (narrow ? row - ROW / 2 : ROW / 2);
  const nodes = [
    svg("rect", {
      class: `cycles ${part.tone}`,
      x: x(start),
      y: middle - 7,
      width: Math.max(1, x(part.value)),
      height: 14
    }),
    svg("line", {class: "guide", x1: x(start), x2: x(start), y1: 28, y2: middle - 7}),
  ];
  if (hasWidth(part))
    nodes.push(...whisker(x(start + part.low), x(start + part.high), middle, width));
  if (narrow) {
    nodes.push(svg("text", {x: 0, y: top + 12}, `${part.label}: ${part.text}`));
  } else {
    nodes.push(
        svg("text", {x: -left, y: middle, dy: "0.35em"}, part.label),
        svg("text", {x: width + 8, y: middle, dy: "0.35em"}, part.text));
  }
  return nodes;
}

// An interval that goes on beyond the picture ends with an arrow.
function whisker(from, to, y, width) {
  const end = Math.min(width, to);
  const line = svg("line", {class: "whisker", x1: from, x2: end, y1: y, y2: y});
  return to > width ? [line, arrow({x: end, y}, false, true, "whisker")] : [line];
}
