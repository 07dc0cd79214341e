// The threads of a recording of waits: what each did, and its longest waits.
import {element, section} from "./elements.js";
import {printable} from "./names.js";
import {table} from "./table.js";
import {chainOf, leftOut, note, threadsOf, time} from "./wait_words.js";

/**
 * Those that ran longest first. Where running time was not sampled, those that waited longest.
 * @param {HTMLElement} main
 * @param {any} waits `waits` of the page
 */
export function drawThreads(main, waits) {
  const {threads, threads_in_all: inAll, places, running_samples: samples} = waits;
  if (threads.length === 0) return;
  const placeOf = new Map(places.map((each) => [each.place, each]));
  const rows = threads.map(
      (row) => ({...row, longest: row.longest.map((wait) => described(wait, placeOf))}));
  const made = section(main, "Threads");
  made.append(note([
    `Those that ${samples > 0 ? "ran" : "waited"} longest are first.`,
    "# is the row of a wait in the table of places.",
    leftOut(threads.length, inAll),
  ]));
  const named = (row) => threadsOf({thread: row.name, tids: [row.tid]});
  const timeColumn = (title, key) => ({
    title,
    number: true,
    value: (row) => row[`${key}_ns`],
    text: (row) => time(row[`${key}_ns`])
  });
  table(made, {
    caption: "",
    rows,
    filter: rows.length > 1 ? "Show threads with" : null,
    columns: [
      {title: "Thread", value: named, text: named},
      timeColumn("Life", "life"),
      timeColumn("Running", "running"),
      timeColumn("Ready", "ready"),
      timeColumn("Waiting", "waiting"),
      ...waits.all.unknown_ns > 0 ? [timeColumn("Unknown", "unknown")] : [],
      {
        title: "Longest waits",
        help: "At most three of each thread: how long, when, for what, and where.",
        value: ({longest}) => longest[0]?.ns ?? null,
        text: ({longest}) => longest.map(({words}) => words).join("\n"),
        draw: (cell, {longest}) => cell.append(...longest.map(
            ({words, whole}) => element("div", {class: "name long-wait", title: whole}, words)))
      },
    ]
  });
}

/** "1.006 s at 0.2 s for lock (#2): pthread_mutex_lock ← worker ← main" */
function described(wait, placeOf) {
  const place = placeOf.get(wait.place);
  const head = `${time(wait.ns)} at ${time(wait.begin_ns)}`;
  if (!place) return {...wait, words: `${head}: not recorded`, whole: ""};
  const words = (chain) => `${head} for ${place.reason} (#${place.place + 1}): ${chain}`;
  return {
    ...wait,
    words: words(chainOf(place.functions)),
    whole: words(place.functions.map((name) => printable(name)).join(" ← ")),
  };
}
