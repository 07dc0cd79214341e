// The waits of a recording in tables: what threads did, the critical path, where threads waited,
// and what ended the waits. They are of the whole page, whatever is chosen in the pictures.
import {element, section} from "./elements.js";
import {printable} from "./names.js";
import {percentOf, range, whole} from "./numbers.js";
import {intervalBar, table} from "./table.js";
import {atOnceText, chainOf, leftOut, note, threadsOf, time} from "./wait_words.js";

const WHOLE_PAGE =
    "These figures are of the whole page: a choice of time or threads does not change them.";
const OWN_WAKES =
    "A wait that a timer, a device or another process ended lasts until the thread has a CPU: " +
    "only wake-ups by recorded threads were recorded. 'record -a' records all.";
const NO_WAKES =
    "Waits last until the thread has a CPU, and the critical path is not known: wake-ups were not ";

/**
 * A sum of times: exact, or with a 95 % interval if only some of them have a place.
 * @typedef {object} Sum
 * @property {number} ns
 * @property {[number, number]} ci95
 * @property {number} times
 * @property {number} longest_ns
 */

/**
 * What threads did, and the critical path.
 * @param {HTMLElement} main
 * @param {any} waits `waits` of the page
 */
export function drawStates(main, waits) {
  const all = waits.all.life_ns;
  const known = (state) => ({state, ...exactly(waits.all[`${state}_ns`])});
  const rows = [
    known("running"),
    ...waits.reasons,
    ...waits.all.unknown_ns > 0 ? [{...known("unknown"), words: "records were lost"}] : [],
  ];
  const place = section(main, "What the threads did");
  place.append(element("p", {}, `Running at once: ${atOnceText(waits.running_at_once_ns)}.`), note([
                 `Shares are of the ${time(all)} that the threads lived together.`,
                 noWakeUps(waits),
                 WHOLE_PAGE,
               ]));
  const text = (row) => (row.words ? `${whatOf(row)}: ${row.words}` : whatOf(row));
  table(place, {
    caption: "",
    rows: rows.filter((row) => row.ns > 0 || row.state === "running"),
    columns: [
      {
        title: "What",
        value: whatOf,
        text,
        draw: (cell, row) => cell.append(element("div", {class: "what"}, text(row)))
      },
      ...sumColumns(all),
    ]
  });
  if (waits.critical_path) drawPath(main, waits);
}

function noWakeUps(waits) {
  const {wake_ups_recorded: recorded, wake_ups_unread: unread} = waits;
  if (recorded) return waits.wake_ups_by_others_recorded ? "" : OWN_WAKES;
  return NO_WAKES +
      (unread ? "read, because the recording was cut short before their fields were described." :
                "recorded. They need tracefs and permission (root).");
}

function exactly(ns) { return {ns, ci95: [ns, ns], times: null, longest_ns: null}; }

/** "running", "waiting for lock", "ready, preempted" */
function whatOf({state, reason}) {
  if (!reason) return state;
  return state === "ready" ? `ready, ${reason}` : `waiting for ${reason}`;
}

function drawPath(main, {critical_path: path, path_parts_in_all: inAll, places}) {
  const place = section(main, "The critical path");
  const outside = `${time(path.outside_ns)} of it are waits that no recorded thread ended: ` +
      "devices, timers, other processes, or they were not over.";
  const notes = [
    `What the end waited for, from thread to thread, over ${time(path.ns)}.`,
    path.outside_ns > 0 ? outside : "",
    path.certain ? "" : "Not each wake-up was recorded, so the path may be another one.",
    leftOut(path.parts.length, inAll),
  ];
  place.append(note(notes));
  const placeOf = new Map(places.map((each) => [each.place, each]));
  const rows = path.parts.map((part) => ({...part, where: placeOf.get(part.place)}));
  table(place, {
    caption: "",
    rows,
    columns: [
      {title: "Thread", value: threadsOf, text: threadsOf},
      {title: "What", value: stepOf, text: stepOf},
      ...sumColumns(path.ns),
      whereColumn((row) => (row.where ? placeFunctions(row.where) : null)),
    ]
  });
}

function stepOf({state, where}) {
  if (state !== "waiting") return state === "unknown" ? "not known: records were lost" : state;
  return `waiting for ${where?.reason ?? "unknown"}`;
}

/**
 * Where threads waited, and what ended the waits.
 * @param {HTMLElement} main
 * @param {any} waits `waits` of the page
 */
export function drawPlaces(main, waits) {
  const all = waits.all.life_ns;
  const places =
      waits.places.map((row) => ({...row, number: row.place + 1})).filter(({ns}) => ns > 0);
  if (places.length === 0) return;
  const number = {
    title: "#",
    help: "The row of the waits in the table of places.",
    number: true,
    value: (row) => row.number,
    text: (row) => (row.number === null ? "-" : whole(row.number))
  };
  const place = section(main, "Where they waited");
  place.append(note([WHOLE_PAGE, leftOut(waits.places.length, waits.places_in_all)]));
  table(place, {
    caption: "",
    rows: places,
    filter: "Show places with",
    columns: [
      number,
      {title: "What", value: whatOf, text: whatOf},
      ...sumColumns(all),
      whereColumn(placeFunctions),
    ]
  });
  const rows =
      waits.wake_ups.map((row) => ({...row, number: row.place === null ? null : row.place + 1}));
  if (rows.length === 0) return;
  const ended = section(main, "What ended these waits");
  const rest = leftOut(rows.length, waits.wake_ups_in_all);
  if (rest !== "") ended.append(note([rest]));
  table(ended, {
    caption: "",
    rows,
    filter: "Show wake-ups with",
    columns: [
      number,
      {title: "Thread", value: wakerOf, text: wakerOf},
      ...sumColumns(all),
      whereColumn(wakerFunctions),
    ]
  });
}

function wakerOf(row) {
  const threads = threadsOf(row);
  if (threads === "") return "interrupt";
  return row.in_interrupt ? `interrupt in ${threads}` : threads;
}

/**
 * Time, share, number and longest of sums.
 * @param {number} all ns that the shares are of
 * @returns {import("./table.js").Column[]}
 */
function sumColumns(all) {
  const share = (ns) => (all > 0 ? ns / all : 0);
  const isEstimate = (row) => row.ci95[1] > row.ci95[0];
  const mark = (row) => (isEstimate(row) ? "~" : "");
  const shareText = (row) =>
      percentOf(share(row.ns)) + (isEstimate(row) ? ` (${range(row.ci95.map(share))})` : "");
  return [
    {title: "Time", number: true, value: ({ns}) => ns, text: (row) => mark(row) + time(row.ns)},
    {title: "Share", number: true, value: ({ns}) => ns, text: shareText},
    {
      title: "Interval",
      help: "The share and its 95 % interval. A dot without a bar: it was counted.",
      value: ({ci95: [low, high]}) => high - low,
      text: () => "",
      draw: (cell, row) => {
        const [low, high] = row.ci95.map(share);
        cell.append(
            intervalBar({value: share(row.ns), low, high, domain: [0, 1], label: shareText(row)}));
      }
    },
    {
      title: "Times",
      number: true,
      value: ({times}) => times,
      text: (row) => (row.times === null ? "" : mark(row) + whole(row.times))
    },
    {
      title: "Longest",
      help: "≥: one without a call chain may be longer.",
      number: true,
      value: (row) => row.longest_ns,
      text: (row) =>
          (row.longest_ns === null ? "" : (isEstimate(row) ? "≥" : "") + time(row.longest_ns))
    },
  ];
}

/** The names of the functions of a waker, or that it ended. */
function wakerFunctions({functions, by_end, inferred}) {
  return by_end ? [inferred ? "its end (inferred)" : "its end"] : functions;
}

/** The names of a place, with a mark where its call chain was cut. */
function placeFunctions({functions, cut}) { return cut ? [...functions, "[cut]"] : functions; }

/** The function of a row returns the names, from the innermost to its callers. Null: no place. */
function whereColumn(functionsOf) {
  const text = (row) => {
    const names = functionsOf(row);
    return names === null ? "" : chainOf(names);
  };
  return {
    title: "Where",
    value: text,
    text,
    draw: (cell, row) => {
      const all = (functionsOf(row) ?? []).map((name) => printable(name)).join(" ← ");
      cell.append(element("div", {class: "name chain", title: all}, text(row)));
    }
  };
}
