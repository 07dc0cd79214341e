// Draws `tacho blocks --compare`: the code runs of two programs, and the two histograms of one run.
import {
  bothText,
  changeText,
  evidenceText,
  modeShiftText,
  resultText
} from "./block_comparison_words.js";
import {drawCyclesPicture} from "./block_picture.js";
import {commandText} from "./block_words.js";
import {bottomAxis, dotWithInterval, explain, frame, linear, responsive} from "./chart.js";
import {element, svg} from "./elements.js";
import {printable, shownName} from "./names.js";
import {fixed, isNumber, plural, whole} from "./numbers.js";
import {intervalBar, table} from "./table.js";

/** @param {HTMLElement} main @param {any} document */
export function drawBlockComparison(main, document) {
  const {runs} = document;
  const panel = element("section", {class: "code-run", "aria-live": "polite"});
  const open = (run) => drawRun(panel, run, document.evidence);
  main.append(
      element(
          "p", {class: "finding"},
          runs.length > 0 ?
              `${shownName(runs[0].run)}: ${resultText(runs[0], document.evidence)}.` :
              "No code run is in the stacks of both sides."),
      sideText("before", document.before), sideText("after", document.after));
  if (runs.length > 0) {
    main.append(element("p", {class: "note"}, evidenceText(document)));
    const list = element("div", {class: "tall"});
    main.append(list);
    runTable(list, document, (run) => {
      open(run);
      panel.scrollIntoView({block: "nearest"});
    });
    main.append(panel);
    open(runs[0]);
  }
  for (const name of document.missing)
    main.append(element(
        "p", {class: "note"},
        `${shownName(name)}: one side does not have it, or not with cycles.`));
}

function sideText(name, {files, command, cpu}) {
  const first = printable(files[0] ?? "");
  const recordings = files.length > 1 ?
      `${plural(files.length, "recording")}, ${first} … ${printable(files.at(-1))}` :
      first;
  const parts = [recordings, cpu ? printable(cpu) : "", commandText(command)];
  return element(
      "p", {class: "note"}, element("span", {class: `compared ${name}`}, name), " ",
      parts.filter((part) => part !== "").join(": "));
}

function runTable(main, document, onOpen) {
  const ends = document.runs.flatMap(({mean_moved: {value, ci95}}) => ci95 ?? [value]);
  const reach = Math.max(1, ...ends.map(Math.abs));
  table(main, {
    rows: document.runs,
    onOpen,
    caption: plural(document.runs.length, "code run"),
    columns: [
      {
        title: "run",
        value: (run) => run.run,
        text: (run) => shownName(run.run),
        draw: (cell, run) => {
          cell.className = "name";
          cell.textContent = shownName(run.run);
        }
      },
      {
        title: "mean before",
        number: true,
        value: (run) => run.before.mean.value,
        text: (run) => fixed(run.before.mean.value, 1)
      },
      {
        title: "mean after",
        number: true,
        value: (run) => run.after.mean.value,
        text: (run) => fixed(run.after.mean.value, 1)
      },
      {
        title: "mean moved",
        number: true,
        value: (run) => run.mean_moved.value,
        text: (run) => changeText(run.mean_moved)
      },
      {
        title: "moved, drawn",
        text: () => "",
        value: (run) => run.mean_moved.value,
        number: true,
        help: `from -${fixed(reach, 0)} to +${fixed(reach, 0)} cycles; the line is no change`,
        draw: (cell, run) => {
          const {value, ci95} = run.mean_moved;
          cell.append(intervalBar({
            value,
            low: ci95?.[0] ?? null,
            high: ci95?.[1] ?? null,
            domain: [-reach, reach],
            label: changeText(run.mean_moved),
            tone: toneOf(run.mean_moved)
          }));
        }
      },
      {
        title: "result",
        value: (run) => resultText(run, document.evidence),
        text: (run) => resultText(run, document.evidence)
      },
    ],
  });
}

// A change that can be none has no colour.
function toneOf({value, ci95}) {
  if (!ci95 || (ci95[0] <= 0 && ci95[1] >= 0)) return "unsure";
  return value > 0 ? "more" : "less";
}

function drawRun(panel, run, evidence) {
  const side = (name) => ({
    name,
    kind: name,
    histogram: run[name].histogram,
    modes: run[name].modes,
    median: {value: run[name].median.value, ends: run[name].median.ci95},
    mean: {value: run[name].mean.value, ends: run[name].mean.ci95},
  });
  panel.replaceChildren(
      element("h2", {}, shownName(run.run)),
      element(
          "p", {class: "note"},
          `${plural(run.before.count, "execution")} before, ` +
              `${whole(run.after.count)} after.`));
  drawCyclesPicture(panel, {
    sides: [side("before"), side("after")],
    floors: [],
    label: `Histograms of the cycles before and after. ` +
        `Mean ${bothText(run.before.mean, run.after.mean, run.mean_moved)}.`,
  });
  const list = element("dl", {class: "words"});
  const add = (name, ...contents) =>
      list.append(element("dt", {}, name), element("dd", {}, ...contents));
  add("median", bothText(run.before.median, run.after.median, run.median_moved));
  add("mean", bothText(run.before.mean, run.after.mean, run.mean_moved));
  if (run.modes.length > 0)
    add("modes",
        element(
            "ul", {}, ...run.modes.map((shift) => element("li", {}, modeShiftText(shift, run)))));
  add("result", resultText(run, evidence));
  panel.append(list);
  drawMeans(panel, run);
}

// The mean of each recording: how much runs of one program differ.
function drawMeans(panel, run) {
  const sides = ["before", "after"].map((name) => ({name, means: run[name].means}));
  if (Math.max(...sides.map(({means}) => means.length)) < 2) return;
  const place = element("div", {class: "picture"});
  panel.append(element("h3", {}, "Mean of each recording"), place);
  responsive(place, (width) => {
    const chart =
        frame({width, height: 116, label: "Mean cycles of each recording.", margin: {top: 6}});
    const x = linear(sides.flatMap(({means}) => means.filter(isNumber)), [0, chart.width]);
    const group = svg("g");
    const marks = [];
    sides.forEach(({name, means}, row) => {
      const y = 16 + 34 * row;
      chart.plot.append(svg("text", {x: -8, y: y + 4, "text-anchor": "end"}, name));
      means.forEach((value, index) => {
        if (!isNumber(value)) return;
        const node = dotWithInterval(
            x, {value, low: null, high: null},
            {across: y, class: name === "after" ? "orange" : ""});
        marks.push({node, text: `${name}, recording ${index + 1}: ${fixed(value, 1)} cycles`});
        group.append(node);
      });
    });
    chart.plot.append(group);
    explain(group, marks);
    bottomAxis(chart, x, "cycles");
    return chart.picture;
  });
}
