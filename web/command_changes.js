// The table of changes between commands: each metric with its interval around a common line at 0.
import {
  amount,
  changeText,
  endsOf,
  isBounded,
  rangeText,
  sentence,
  verdictWord
} from "./change_text.js";
import {dotWithInterval, extent, linear} from "./chart.js";
import {firstName, otherName, toneOf} from "./compared_commands.js";
import {element, section, svg} from "./elements.js";
import {printable} from "./names.js";
import {fixed, isNumber, signed} from "./numbers.js";

/** The changes of all metrics: a table, with each interval around a common line at 0. */
export function drawChanges(main, document, names) {
  const known = document.changes.filter(({verdict}) => verdict !== "missing");
  const commands = [...new Set(known.map(({command, role}) => JSON.stringify([command, role])))];
  const domain = changeDomain(known);
  for (const key of commands) {
    const [command, role] = JSON.parse(key);
    const rows = known.filter((change) => change.command === command && change.role === role);
    const first = firstName(document, names);
    const other = otherName(rows[0], names);
    const title = role === "control" ? `Control: ${first} against itself` :
                                       `Changes from ${first} to ${other}`;
    const place = section(main, title, element("p", {class: "note"}, confidenceText(rows)));
    if (role === "control")
      place.append(element(
          "p", {},
          `${sentence(rows[0], first, other)}. ` +
              "What a control claims is false."));
    place.append(element("div", {class: "scroll"}, changeTable(rows, domain, first, other)));
  }
}

// The interval of each metric has the confidence 1 - level.
function confidenceText(rows) {
  const levels = rows.map(({level}) => level).filter(isNumber);
  const least = levels.length > 0 ? Math.max(...levels) : 0.05;
  const bound = fixed(100 * (1 - least), 1).replace(/\.0$/, "");
  return `Left of the line at 0: less. Right: more. Intervals have a confidence of ${bound} % or ` +
      "more. Their ends are in brackets.";
}

// The common scale, in logarithms of the ratio: it shows the primary metric and all claims well.
// Wider intervals of other metrics leave it.
function changeDomain(changes) {
  const ratios = changes.filter(({scale}) => scale === "ratio");
  const widest = (chosen) => extent([
    0,
    ...chosen.flatMap(
        (change) => endsOf(change).concat(change.change).map((end) => Math.abs(logRatio(end))))
  ])[1];
  const claims = ratios.filter(({verdict}) => verdict === "less" || verdict === "more");
  const most =
      Math.max(1.5 * widest(ratios.filter(({primary}) => primary)), 1.1 * widest(claims), 0.002);
  return [-most, most];
}

function logRatio(change) { return change > -1 ? Math.log1p(change) : -Infinity; }

const PICTURE = {
  width: 320,
  height: 22
};

function changeTable(rows, domain, first, other) {
  const title = (text, kind = "") => element("th", {scope: "col", class: kind}, text);
  const head = element(
      "tr", {}, title("Metric"), element("th", {scope: "col"}, changeAxis(domain)),
      title("Verdict"), title("Change", "number"), title("Interval"), title(first, "number"),
      title(other, "number"));
  return element(
      "table", {class: "changes"}, element("thead", {}, head),
      element("tbody", {}, ...rows.map((change) => changeRow(change, domain))));
}

function changeRow(change, domain) {
  const scaleOf = Math.max(Math.abs(change.before ?? 0), Math.abs(change.after ?? 0));
  const cell = (text, kind) => element("td", {class: kind}, text);
  return element(
      "tr", {class: `${change.primary ? "primary " : ""}${toneOf(change)}`},
      element("th", {scope: "row"}, printable(change.metric)),
      cell(
          change.scale === "ratio" ? changePicture(change, domain) : "no ratio: a value was 0",
          "note"),
      cell(verdictWord(change), "word"), cell(changeText(change), "number"),
      cell(rangeText(change), "spread"),
      cell(amount(change.before, scaleOf, change.unit), "number"),
      cell(amount(change.after, scaleOf, change.unit), "number"));
}

function changeScale(domain) {
  return linear(domain, [8, PICTURE.width - 8]).domain(domain).clamp(true);
}

// Changes that may have a tick, the rounder ones first.
const ROUND_CHANGES = [
  9,    -0.9, 99,    -0.99, 1,     -0.5, 3,     -0.75, 0.5,    -0.3,  0.2,    -0.2,  0.1,
  -0.1, 0.05, -0.05, 0.02,  -0.02, 0.01, -0.01, 0.005, -0.005, 0.002, -0.002, 0.001, -0.001
];

function changeAxis(domain) {
  const x = changeScale(domain);
  const ticks = [0];
  for (const tick of ROUND_CHANGES) {
    const at = x(logRatio(tick));
    const inside = at > 20 && at < PICTURE.width - 20;
    if (inside && ticks.every((other) => Math.abs(x(logRatio(other)) - at) > 54)) ticks.push(tick);
  }
  const picture = svg("svg", {
    class: "chart",
    width: PICTURE.width,
    height: 30,
    viewBox: `0 0 ${PICTURE.width} 30`,
    role: "img",
    "aria-label": "the scale of the changes, in per cent",
  });
  for (const tick of ticks) {
    const at = x(logRatio(tick));
    const text = `${signed(100 * tick)} %`;
    picture.append(
        svg("g", {class: "axis"}, svg("line", {x1: at, x2: at, y1: 22, y2: 30}),
            svg("text", {x: at, y: 16, "text-anchor": "middle"}, text)));
  }
  return picture;
}

function changePicture(change, domain) {
  const x = changeScale(domain);
  const middle = PICTURE.height / 2;
  const label =
      `${change.metric}: ${changeText(change)} ${rangeText(change)}, ` + verdictWord(change);
  const picture =
      svg("svg", {
        class: "chart",
        role: "img",
        "aria-label": label,
        width: PICTURE.width,
        height: PICTURE.height,
        viewBox: `0 0 ${PICTURE.width} ${PICTURE.height}`
      },
          svg("title", {}, label),
          svg("line", {class: "zero", x1: x(0), x2: x(0), y2: PICTURE.height}));
  const [low, high] = endsOf(change).map(logRatio);
  const inside = (end) => (end >= domain[0] && end <= domain[1] ? end : null);
  const value = logRatio(change.change);
  const figure = isBounded(change) ? {value: inside(value), low: inside(low), high: inside(high)} :
                                     {value: inside(value), low: null, high: null};
  picture.append(dotWithInterval(x, figure, {across: middle, class: toneOf(change)}));
  if (isBounded(change) && figure.low === null && figure.high === null)
    picture.append(
        svg("line", {class: "interval off", x1: x(low), x2: x(high), y1: middle, y2: middle}));
  return picture;
}
