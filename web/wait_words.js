// Words of the tables of waits: times, threads, call chains, and notes.
import {element} from "./elements.js";
import {shownName} from "./names.js";
import {percentOf, plural, seconds, whole} from "./numbers.js";

const SHOWN_FUNCTIONS = 8;  // of a call chain; the rest is in its title
const SHOWN_LEVELS = 8;     // numbers of threads at once that have a share of their own

export function time(ns) { return seconds(ns / 1e9); }

/** "make[1234]", "logger (4 threads)" */
export function threadsOf({thread, tids}) {
  if (tids.length === 0) return "";
  const name = shownName(thread);
  return tids.length === 1 ? `${name}[${tids[0]}]` : `${name} (${plural(tids.length, "thread")})`;
}

/** The innermost functions of a call chain: "nanosleep ← worker ← main". */
export function chainOf(names) {
  if (names.length === 0) return "not recorded";
  const shown = names.slice(0, SHOWN_FUNCTIONS).map((name) => shownName(name));
  return [...shown, ...names.length > SHOWN_FUNCTIONS ? ["…"] : []].join(" ← ");
}

/**
 * "no thread ran for 12.0 % of the time, 1 for 80.1 %, 2 for 7.9 %"
 * @param {number[]} times ns for which so many threads ran, by their number
 */
export function atOnceText(times) {
  const all = sumOf(times);
  const levels = times.map((ns, count) => ({ns, count})).slice(0, SHOWN_LEVELS);
  const parts = levels.filter(({ns}) => ns > 0).map(({ns, count}, place) => {
    const subject = place > 0 ? count :
        count === 0           ? "no thread ran" :
                                `${plural(count, "thread")} ran`;
    return `${subject} for ${percentOf(ns / all)}${place > 0 ? "" : " of the time"}`;
  });
  const more = sumOf(times.slice(SHOWN_LEVELS));
  if (more > 0) parts.push(`more for ${percentOf(more / all)}`);
  return parts.join(", ");
}

function sumOf(times) { return times.reduce((sum, ns) => sum + ns, 0); }

export function note(sentences) {
  return element("p", {class: "note"}, sentences.filter((each) => each !== "").join(" "));
}

export function leftOut(shown, all) {
  return shown < all ?
      `The page has ${whole(shown)} of ${whole(all)} rows; 'tacho report' has all.` :
      "";
}
