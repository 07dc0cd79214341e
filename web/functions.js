// The table of a report: functions, or whatever the report's rows are, with their shares and the
// intervals of these.
import {element} from "./elements.js";
import {nameless, printable, shownName} from "./names.js";
import {
  countColumn,
  countSpread,
  figureText,
  isNumber,
  metricFigure,
  percent,
  plural,
  range,
  whole
} from "./numbers.js";
import {intervalBar, nameOnOneLine, table} from "./table.js";

const NAMES_OF_ROWS = {
  module: "modules",
  function: "functions",
  line: "source lines",
  instruction: "instructions",
  comm: "commands",
  pid: "processes",
  tid: "threads",
  cpu: "CPUs",
};
// Rows of these kinds belong to a function, whose code can be shown.
const WITH_CODE = ["function", "line", "instruction"];
const MOST_TIMES = 100;  // as many samples: nobody records a hundred times as long

/**
 * A part of the time or of the threads.
 * @typedef {object} Part
 * @property {string} words "0.20 s to 0.45 s, thread worker 123"
 * @property {string[]} notes sentences about what is not known of it
 */

/**
 * @param {Element} parent
 * @param {any} report what `tacho report --json` prints, or what reportOfPart() made
 * @param {any} profile of the page
 * @param {number} eventIndex of profile.events: the event of shares and of the order
 * @param {(functionName: string, moduleName: string) => void} onOpen shows the code of a function
 * @param {Part | null} [part] what the report is of; null: the whole recording
 * @returns {HTMLElement} the table
 */
export function drawFunctions(parent, report, profile, eventIndex, onOpen, part = null) {
  const name = profile?.events[eventIndex]?.name ?? report.event;
  const chosen = name === report.event;
  const rows = rowsOf(report, name);
  const hasCode = WITH_CODE.includes(report.sort);
  const kinds = NAMES_OF_ROWS[report.sort] ?? "rows";
  const events = new Map((profile?.events ?? []).map((event) => [event.name, event]));
  const columns = [
    rankColumn(),
    ...nameColumns(report.sort),
    ...shareColumns(rows, chosen, events.get(name)?.off_cpu === true),
    ...moduleColumns(report.sort),
    ...countColumns(rows, report, events, name),
    ...metricColumns(rows),
  ];
  const made = table(parent, {
    columns,
    rows,
    filter: rows.length > 1 ? `Filter ${kinds}` : null,
    caption: captionOf(report, name, kinds, hasCode, rows, part),
    onOpen: hasCode ? (row) => openCode(row, onOpen) : undefined,
  });
  made.classList.add("functions");
  for (const sentence of [...orderNotes(report, rows, chosen), ...part?.notes ?? []])
    made.append(element("p", {class: "note"}, sentence));
  return made;
}

function openCode({row}, onOpen) { onOpen(row.function ?? "", row.module); }

/**
 * A row of the table.
 * @typedef {object} ShownRow
 * @property {any} row of the document
 * @property {number} rank from 1, by the shares of the event
 * @property {number | null} share
 * @property {number[] | null} ci95
 * @property {{uncertain: boolean, reason: string} | null} order compared with the row above, null
 * if that was not compared
 */

/** @returns {ShownRow[]} */
function rowsOf(report, name) {
  if (name === report.event)
    return report.rows.map((row, index) => ({
                             row,
                             rank: index + 1,
                             share: row.share,
                             ci95: row.ci95,
                             order: orderOf(report, index)
                           }));
  const event = report.events.findIndex((each) => each.name === name);
  const total = report.events[event]?.count || 0;
  const made = report.rows.map((row) => {
    const count = row.events[event];
    const known = count !== undefined && total > 0;
    return {
      row,
      rank: 0,
      share: known ? count.count / total : null,
      ci95: known && count.ci95 ? count.ci95.map((end) => end / total) : null,
      order: null
    };
  });
  made.sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  made.forEach((each, index) => {
    each.rank = index + 1;
  });
  return made;
}

function orderOf(report, index) {
  const comparison = report.comparisons.find((each) => each.rows[1] === index);
  if (!comparison) return null;
  return {
    uncertain: !comparison.apart,
    reason: comparison.apart ? "" : whyNotApart(comparison, chosenSamples(report))
  };
}

function chosenSamples(report) {
  return report.events.find((each) => each.name === report.event)?.samples ?? 0;
}

function whyNotApart(comparison, samples) {
  const missing = comparison.samples_missing;
  if (comparison.hidden) return "what could not be sampled may reverse it";
  if (missing === null) return "their shares are equal so far";
  if (missing / MOST_TIMES > samples)
    return `their shares are so alike that ${MOST_TIMES} times as many samples would not show it`;
  return `about ${plural(missing, "sample")} more would show it, with 80 % probability`;
}

function rankColumn() {
  return {
    title: "#",
    number: true,
    value: ({rank}) => rank,
    text: ({rank}) => whole(rank),
    help:
        "The order of the rows. ≈: it is not certain that this row is smaller than the row above it",
    draw: (cell, {rank, order}) => {
      cell.textContent = whole(rank);
      if (!order?.uncertain) return;
      const words = `The order of rows ${rank - 1} and ${rank} is not significant: ${order.reason}`;
      cell.prepend(element(
          "span", {class: "unsure-order", role: "img", "aria-label": words, title: words}, "≈"));
    },
  };
}

// The largest end of the intervals, so that all bars of a column have one scale.
function domainOf(rows, value, interval) {
  let most = 0;
  for (const row of rows) most = Math.max(most, interval(row)?.[1] ?? 0, value(row) ?? 0);
  return /** @type {[number, number]} */ ([0, most || 1]);
}

// Each time off the CPU is in the kernel's function that switches threads: only totals tell more.
function shareColumns(rows, chosen, offCpu) {
  const share = shareColumn(rows, {
    title: "share, 95 %",
    what: "own share",
    value: (each) => each.share,
    interval: (each) => each.ci95,
    atLeast: () => false,
    help: "Part of the event's samples that fell into the row itself, with its 95 % interval"
  });
  if (!chosen || !rows.some(({row}) => isNumber(row.total))) return [share];
  const total = shareColumn(rows, {
    title: "total, 95 %",
    what: "total share",
    value: ({row}) => row.total,
    interval: ({row}) => row.total_ci95,
    atLeast: ({row}) => row.total_is_at_least,
    help: "Part of the samples whose call chain contains the row, with its 95 % interval. ≥: " +
        "chains that were cut may contain it, too"
  });
  return offCpu ? [total] : [share, total];
}

function shareColumn(rows, {title, what, help, value, interval, atLeast}) {
  const domain = domainOf(rows, value, interval);
  const figure = (row) =>
      isNumber(value(row)) ? (atLeast(row) ? "≥ " : "") + percent(value(row)) : "-";
  const ends = (row) => interval(row) ? range(interval(row)) : "";
  return {
    title,
    number: true,
    value,
    help: `${help}. Bars go from 0 to ${percent(domain[1])}`,
    text: (row) => `${figure(row)} ${ends(row)}`,
    draw: (cell, row) => {
      if (!isNumber(value(row))) return void (cell.textContent = "-");
      const [low, high] = interval(row) ?? [null, null];
      const label = low === null ? `${what} ${figure(row)}, interval not known` :
                                   `${what} ${figure(row)}, 95 % interval ${ends(row)}`;
      cell.append(element(
          "div", {class: "estimate"}, intervalBar({value: value(row), low, high, domain, label}),
          element("b", {}, figure(row)), element("span", {class: "ends"}, ends(row))));
    },
  };
}

// Samples and events of the chosen event, then the events of the others: all of the row itself.
function countColumns(rows, report, eventsOfPage, name) {
  const columns = [];
  const ofPage = (index) => eventsOfPage.get(report.events[index].name);
  const hasTotals = rows.some(({row}) => isNumber(row.total));
  const indexes = report.events.map((_, index) => index)
                      .filter((index) => report.events[index].samples > 0)
                      .filter((index) => !(hasTotals && ofPage(index)?.off_cpu));
  indexes.sort(
      (a, b) =>
          Number(report.events[b].name === name) - Number(report.events[a].name === name) || a - b);
  indexes.forEach((index, place) => {
    const event = report.events[index];
    if (place === 0 && event.name === name)
      columns.push({
        title: "samples",
        number: true,
        value: ({row}) => row.events[index]?.samples ?? null,
        text: ({row}) => row.events[index] ? whole(row.events[index].samples) : "-",
        help: `Samples of ${printable(event.name)} in the row`
      });
    columns.push(eventColumn(rows, event, index, ofPage(index)?.unit ?? null));
  });
  return columns;
}

function eventColumn(rows, event, index, unit) {
  const of = ({row}) => row.events[index];
  const write =
      countColumn({total: event.count, unit, intervals: rows.map((row) => of(row)?.ci95 ?? null)});
  /** @returns {[string, string]} */
  const parts = (row) => {
    const count = of(row)?.count ?? null;
    const interval = of(row)?.ci95 ?? null;
    return [write(count, interval), countSpread(count, interval, unit)];
  };
  return {
    title: shownName(event.name),
    number: true,
    value: (row) => of(row)?.count ?? null,
    text: (row) => parts(row).join(" "),
    draw: (cell, row) => drawParts(cell, parts(row)),
    help: `How much of ${printable(event.name)} the samples stand for, and the 95 % interval`
  };
}

function metricColumns(rows) {
  const names = new Set(rows.flatMap(
      ({row}) => Object.keys(row.metrics).filter((name) => isNumber(row.metrics[name].value))));
  return [...names].map((name) => {
    const figure = ({row}) => metricFigure(row.metrics[name] ?? {value: null, ci95: null});
    return {
      title: shownName(name),
      number: true,
      value: ({row}) => row.metrics[name]?.value ?? null,
      text: (row) => figureText(figure(row)),
      help: `${printable(name)} of the row itself, and its 95 % interval`,
      draw: (cell, row) => {
        const {value, unit, spread} = figure(row);
        drawParts(cell, [value === "" ? "-" : `${value} ${unit}`.trim(), spread]);
      },
    };
  });
}

function drawParts(cell, [figure, spread]) {
  cell.append(figure, " ", element("span", {class: "ends"}, spread));
}

function nameColumns(sort) {
  const functions =
      nameColumn("function", ({row}) => row.function, ({row}) => row.signature ?? row.function);
  const line = nameColumn("line", ({row}) => place(row), ({row}) => row.file, () => "?");
  const address = nameColumn("address", ({row}) => row.address, () => null, () => "?");
  const command = nameColumn("command", ({row}) => row.command, () => null, () => "?");
  const number = (name) => ({
    title: name,
    number: true,
    value: ({row}) => row[name],
    help: `The ${name} of the samples`,
    text: ({row}) => row[name] === null ? "?" : String(row[name])
  });
  return {
    module: [moduleColumn()],
    function: [functions],
    line: [functions, line],
    instruction: [address, functions, line],
    comm: [command],
    pid: [command, number("pid")],
    tid: [command, number("pid"), number("tid")],
    cpu: [number("cpu")],
  }[sort] ??
      [functions];
}

function moduleColumn() { return nameColumn("module", ({row}) => row.module, ({row}) => row.path); }

function moduleColumns(sort) { return WITH_CODE.includes(sort) ? [moduleColumn()] : []; }

function place(row) {
  if (!row.file) return null;
  const file = row.file.slice(row.file.lastIndexOf("/") + 1);
  return row.line ? `${file}:${row.line}` : file;
}

function nameColumn(title, value, full, absent = ({row}) => nameless(row.module)) {
  return {
    title,
    value: (row) => value(row) || null,
    text: (row) => value(row) ? printable(value(row)) : absent(row),
    draw: (cell, row) => cell.append(nameOnOneLine(
        shownName(value(row), absent(row)), shownName(full(row) ?? value(row), absent(row)),
        title)),
  };
}

function captionOf(report, name, kinds, hasCode, rows, part) {
  const of = part ? `, of ${part.words}` : "";
  const parts = [`Samples of ${shownName(name)} by ${kinds}${of}.`];
  if (report.chosen) parts.push(`Only samples of ${printable(report.chosen.what)}.`);
  if (hasCode && rows.length > 0)
    parts.push("A click or Enter on a row shows the function's code.");
  return parts.join(" ");
}

// What is known about the order of the rows, as the text report says it.
function orderNotes(report, rows, chosen) {
  if (!chosen)
    return [
      "Whether the order of the rows is significant was tested for " +
      `${shownName(report.event)} only.`
    ];
  if (rows.length > 0 && rows.every(({ci95}) => ci95 && ci95[0] === ci95[1]))
    return ["Each event was a sample: the shares and their order are exact."];
  const compared = rows.filter(({order}) => order !== null);
  if (compared.length === 0) return [];
  const notes = compared.some(({order}) => order.uncertain) ?
      ["≈ in the first column: the order of the row and the row above it is not significant."] :
      [`Each of the first ${plural(compared.length + 1, "row")} is larger than the next at ` +
       "95 % confidence."];
  const tested = compared.at(-1).rank;
  if (rows.length > tested)
    notes.push(`The order of the rows after row ${whole(tested)} was not tested.`);
  return notes;
}
