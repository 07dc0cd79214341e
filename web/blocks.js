// Draws `tacho blocks`: the code runs of a recording's branch stacks with their cycles, and for one
// of them the histogram, the cost that it should have, its code, and loops and chains with it.
import {drawBlockComparison} from "./block_comparison.js";
import {drawCyclesPicture} from "./block_picture.js";
import {
  adviceText,
  cyclesCell,
  cyclesOf,
  floorText,
  headText,
  ipcCell,
  measuredText,
  medianCell,
  mispredictedCell,
  modeText,
  moduleName,
  noAdviceText,
  runName,
  tripsText,
  windowText
} from "./block_words.js";
import {element} from "./elements.js";
import {printable, shownName} from "./names.js";
import {isNumber, percent, plural, whole} from "./numbers.js";
import {intervalBar, table} from "./table.js";

const FEWEST_NOPS = 4;  // equal ones that are one line of the code

/** @param {HTMLElement} main @param {import("./data.js").Page} page */
export function drawBlocks(main, page) {
  if (page.kind === "blocks-compare") return drawBlockComparison(main, page.document);
  const document = page.document;
  const runs = document.runs;
  main.append(element("p", {class: "note"}, headText(document)));
  if (runs.length === 0) {
    main.append(element("p", {class: "finding"}, "The stacks contain no code run."));
    return;
  }
  const details = detailsOf(document);
  const all = document.cycles_sum;
  const panel = element("section", {class: "code-run", "aria-live": "polite"});
  const open = (run) => drawRun(panel, run, details.get(run));
  main.prepend(element("p", {class: "finding"}, finding(document, all, details)));
  main.append(
      element("h2", {}, "Code runs"),
      element(
          "p", {class: "note"},
          "A code run is the straight-line code between two taken branches. Click a row, or press " +
              "Enter on it, to see its histogram and code below."));
  const list = element("div", {class: "tall"});
  main.append(list);
  runTable(list, document, all, (run) => {
    open(run);
    panel.scrollIntoView({block: "nearest"});
  });
  main.append(panel);
  open(runs[0]);
  drawSequences(main, document, open, panel);
}

function finding(document, all, details) {
  const run = document.runs[0];
  const {median} = run.cycles;
  if (!document.has_cycles || !isNumber(median))
    return "The branches have no cycles, so only executions and mispredictions are shown.";
  const part = all > 0 ? `${percent(run.cycles.sum / all)} of the cycles of all code runs` : "";
  const floor = details.get(run)?.explanation?.floor;
  const cost = floor && floor.basis !== "observed" ?
      ` If nothing missed, it should take ${cyclesOf(floor.cycles)}.` :
      "";
  return `${runName(run)} has ${part}: half of its executions take up to ` +
      `${medianCell(run.cycles)} cycles.${cost}`;
}

// Code and explanation of the runs that have them. They name a run by its addresses. Runs of two
// files can have the same ones: then the first of the document is meant.
function detailsOf({runs, listings, explanations}) {
  const byAddress = new Map();
  for (const run of runs) {
    const address = `${run.start} ${run.end}`;
    if (!byAddress.has(address)) byAddress.set(address, run);
  }
  const found = new Map();
  for (const [key, list] of [["listing", listings], ["explanation", explanations]]) {
    for (const detail of list) {
      const run = byAddress.get(`${detail.start} ${detail.end}`);
      if (run) found.set(run, {...found.get(run), [key]: detail});
    }
  }
  return found;
}

function runTable(main, document, all, onOpen) {
  const {runs} = document;
  const cycles = (title, key, help) => ({
    title,
    help,
    number: true,
    value: (run) => run.cycles[key],
    text: (run) => cyclesCell(run.cycles[key]),
  });
  table(main, {
    rows: runs,
    onOpen,
    filter: runs.length > 10 ? "Find" : null,
    caption: `${plural(runs.length, "code run")}. (?) means that there are too few stacks for an ` +
        "interval.",
    columns: [
      {
        title: "run",
        value: runName,
        text: runName,
        help: "function and offset in bytes",
        draw: (cell, run) => {
          cell.className = "name";
          cell.textContent = runName(run);
        }
      },
      {
        title: "cycles",
        number: true,
        help: "part of the cycles of all code runs",
        value: (run) => (all > 0 ? run.cycles.sum : null),
        text: (run) => (all > 0 ? percent(run.cycles.sum / all) : "-")
      },
      {
        title: "executions",
        number: true,
        help: "that the stacks contain",
        value: (run) => run.count,
        text: (run) => whole(run.count)
      },
      {
        title: "median",
        number: true,
        help: "cycles of an execution, with the 95 % interval",
        value: (run) => run.cycles.median,
        text: (run) => medianCell(run.cycles)
      },
      medianPicture(runs),
      cycles("min", "min", "least cycles of an execution"),
      cycles("p90", "p90", "90 % of the executions take up to so many cycles"),
      cycles("p99", "p99", "99 % of the executions take up to so many cycles"),
      {
        title: "mispredicted",
        number: true,
        help: "share of executions whose last branch was mispredicted, with its interval",
        value: (run) => (isNumber(run.mispredicted) ? run.mispredicted / run.count : null),
        text: mispredictedCell
      },
      {
        title: "instructions",
        number: true,
        value: (run) => run.instructions,
        text: (run) => (isNumber(run.instructions) ? whole(run.instructions) : "-")
      },
      {
        title: "IPC",
        number: true,
        help: "instructions per cycle over all executions",
        value: (run) => run.ipc,
        text: ipcCell
      },
      {title: "module", value: moduleName, text: moduleName},
    ].filter((column) => document.has_cycles || !isOfCycles(column)),
  });
}

function isOfCycles({title}) {
  return ["cycles", "median", "median, log", "min", "p90", "p99", "IPC"].includes(title);
}

// Medians of runs differ by powers of ten.
function medianPicture(runs) {
  const place = (cycles) => Math.log10(Math.max(1, cycles));
  let most = 1;
  for (const run of runs) most = Math.max(most, run.cycles.median_ci95?.[1] ?? run.cycles.median);
  return {
    title: "median, log",
    help: "the same as a picture, on a logarithmic scale from 1 cycle",
    value: (run) => run.cycles.median,
    number: true,
    text: () => "",
    draw: (cell, run) => {
      const {median, median_ci95: ends} = run.cycles;
      if (!isNumber(median)) return;
      cell.append(intervalBar({
        value: place(median),
        low: ends ? place(ends[0]) : null,
        high: ends ? place(ends[1]) : null,
        domain: [0, place(most) || 1],
        label: `median ${medianCell(run.cycles)} cycles`,
      }));
    },
  };
}

function drawRun(panel, run, {listing = null, explanation = null} = {}) {
  const blocks = run.blocks.length > 1 ? `, ${plural(run.blocks.length, "basic block")}` : "";
  panel.replaceChildren(
      element("h2", {}, runName(run)),
      element(
          "p", {class: "note"},
          `${moduleName(run)}, ${run.start} to ${run.end}: ` +
              `${plural(run.count, "execution")}${blocks}.`));
  if (run.cycles.histogram.length === 0)
    panel.append(element("p", {class: "note"}, "No execution of this run has cycles."));
  else
    drawCycles(panel, run, explanation, listing !== null);
  panel.append(element("h3", {}, "Code"));
  if (listing)
    panel.append(codeTable(listing, run));
  else
    panel.append(element(
        "p", {class: "note"},
        "The page does not have the code of this run. If the file is there, " +
            `"tacho blocks --address ${run.recorded?.[0] ?? run.start}" shows it.`));
}

function drawCycles(panel, run, explanation, hasCode) {
  const floors = explanation && explanation.floor.basis !== "observed" ?
      [{at: explanation.floor.cycles, label: `floor ${cyclesOf(explanation.floor.cycles)}`}] :
      [];
  const {cycles} = run;
  const side = {
    name: "",
    kind: /** @type {"before"} */ ("before"),
    histogram: cycles.histogram,
    modes: cycles.modes,
    median: {value: cycles.median, ends: cycles.median_ci95},
    mean: {value: cycles.mean, ends: cycles.mean_ci95},
  };
  const label = `Histogram of the cycles of ${runName(run)}. ${measuredText(run, explanation)}`;
  drawCyclesPicture(panel, {sides: [side], floors, label});
  panel.append(explanationList(run, explanation, hasCode));
}

function explanationList(run, explanation, hasCode) {
  const list = element("dl", {class: "words"});
  const add = (name, ...contents) =>
      list.append(element("dt", {}, name), element("dd", {}, ...contents));
  add("measured", measuredText(run, explanation));
  if (explanation) add("should cost", floorText(explanation, hasCode));
  const modes = explanation?.modes ?? run.cycles.modes;
  if (modes.length > 0)
    add(modes.length === 1 ? "one mode" : "modes",
        element("ol", {}, ...modes.map((mode) => element("li", {}, modeText(mode)))));
  if (run.cycles.saturated > 0)
    add("saturated",
        `${plural(run.cycles.saturated, "execution")} took 65,535 cycles or more, ` +
            "so sums and means are lower bounds.");
  if (explanation?.window) {
    add("window", windowText(explanation));
    add("advice", adviceText(explanation));
  } else if (explanation && noAdviceText(explanation, hasCode)) {
    add("advice", noAdviceText(explanation, hasCode));
  }
  return list;
}

function isNop({text}) { return text.startsWith("nop") || text.startsWith("data16 nop"); }

// How many equal instructions that do nothing stand here. The last of the run is not among them.
function equalNops(code, at) {
  if (!isNop(code[at])) return 1;
  let end = at + 1;
  while (end + 1 < code.length && code[end].text === code[at].text && !code[end].block) ++end;
  return end - at;
}

function codeTable({instructions: code}, run) {
  const body = element("tbody");
  for (let at = 0; at < code.length;) {
    const nops = equalNops(code, at);
    const folded = nops >= FEWEST_NOPS ? nops : 1;
    const remark = folded > 1 ? `${folded} times, to ${code[at + folded - 1].address}` :
        at + 1 === code.length ? endComment(run) :
                                 sourceOf(code[at]);
    body.append(instructionRow(code[at], remark));
    at += folded;
  }
  return element(
      "div", {class: "scroll"},
      element(
          "table", {class: "run-code mono"},
          element("caption", {}, "+ marks the start of a basic block."),
          element(
              "thead", {},
              element(
                  "tr", {},
                  ...["", "address", "instruction", "source"].map(
                      (title) => element("th", {scope: "col"}, title)))),
          body));
}

function instructionRow({address, text, target, block}, remark) {
  const words = target ? `${printable(text)} <${shownName(target)}>` : printable(text);
  return element(
      "tr", {}, element("td", {}, block ? "+" : ""), element("td", {}, address),
      element("td", {}, words), element("td", {class: "note"}, remark));
}

function sourceOf({file, line, inlined}) {
  if (!file) return "";
  const place = `${printable(file.slice(file.lastIndexOf("/") + 1))}:${line ?? "?"}`;
  return inlined ? `${place} [${shownName(inlined)}]` : place;
}

function endComment(run) {
  const parts = [];
  if (isNumber(run.cycles.median)) parts.push(`median ${medianCell(run.cycles)} cycles`);
  if (isNumber(run.mispredicted)) parts.push(`${mispredictedCell(run)} mispredicted`);
  return parts.join("; ");
}

function drawSequences(main, document, open, panel) {
  const byAddress = new Map();
  for (const run of document.runs) {
    const address = `${run.start} ${run.end}`;
    if (!byAddress.has(address)) byAddress.set(address, run);
  }
  const runOf = ({start, end}) => byAddress.get(`${start} ${end}`);
  const show = (run) => {
    open(run);
    panel.scrollIntoView({block: "start"});
  };
  if (document.loops.length > 0) {
    const place = element("div", {class: "tall"});
    main.append(element("h2", {}, "Loops"), place);
    table(place, {
      rows: document.loops,
      caption: "Iterations each time that the loop is entered, with the 95 % interval, and the " +
          "cycles of one iteration.",
      columns: [
        {
          title: "iterations each time",
          number: true,
          text: tripsText,
          value: (loop) => loop.trips ?? loop.trips_ci95[0]
        },
        ...sequenceColumns("an iteration", runOf, show),
      ],
    });
  }
  if (document.chains.length > 0) {
    const place = element(
        "details", {class: "tall"},
        element("summary", {}, plural(document.chains.length, "chain")));
    main.append(element("h2", {}, "Chains"), place);
    table(place, {
      rows: document.chains,
      caption: "Code runs that run one after the other.",
      columns: sequenceColumns("the chain", runOf, show),
    });
  }
}

function sequenceColumns(what, runOf, show) {
  const names = (sequence) => sequence.runs.map((each) => nameOf(each, runOf)).join(" → ");
  return [
    {
      title: "cycles",
      number: true,
      help: `median of ${what}`,
      value: ({cycles}) => cycles.median,
      text: ({cycles}) => cyclesCell(cycles.median)
    },
    {
      title: "least",
      number: true,
      value: ({cycles}) => cycles.min,
      text: ({cycles}) => cyclesCell(cycles.min)
    },
    {
      title: "seen",
      number: true,
      help: "times",
      value: ({count}) => count,
      text: ({count}) => plural(count, "time")
    },
    {
      title: "code runs",
      value: names,
      text: names,
      draw: (cell, sequence) => {
        cell.className = "name";
        sequence.runs.forEach((each, index) => {
          const run = runOf(each);
          const name = nameOf(each, runOf);
          cell.append(
              index > 0 ? " → " : "",
              run ? element(
                        "button", {type: "button", class: "run-link", onclick: () => show(run)},
                        name) :
                    name);
        });
      }
    },
  ];
}

function nameOf(address, runOf) {
  const run = runOf(address);
  return run ? runName(run) : `${address.start}…${address.end}`;
}
