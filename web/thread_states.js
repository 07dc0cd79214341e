// What each thread did over time: it ran, was ready, or waited. Decodes the states of a recording
// of `record --wall`, stacks them as bars, and says them in words. Pure functions.
import {shownName} from "./names.js";
import {fixed, percentOf, plural, seconds} from "./numbers.js";
import {summed, withRest} from "./sample_bars.js";
import {threadName} from "./thread_choice.js";
import {duration, startOf} from "./time_fields.js";

/** Keys of the data, in the order in which bars are stacked. */
export const STATES = ["running", "ready", "waiting", "unknown"];
const RUNNING = STATES.indexOf("running");
export const UNKNOWN = STATES.indexOf("unknown");
const HARDLY = 0.01;      // of their lives: threads that ran for less did not run much
const ROUNDING = 0.0005;  // of a bar: the ends of slices are whole ns

/**
 * @typedef {object} States
 * @property {number} width of a slice (ns)
 * @property {number} count slices
 * @property {number} threads
 * @property {number[]} total ns of all threads in each of STATES
 * @property {{thread: number, total: number[]}} longest the thread that ran longest
 * @property {StateRow[]} rows
 */

/**
 * A thread, or several that share a row.
 * @typedef {object} StateRow
 * @property {number | null} thread of the profile; null: several
 * @property {number} members how many threads they are
 * @property {number[]} total ns in each of STATES
 * @property {Float64Array[]} times ns in each slice, for each of STATES
 */

/**
 * @param {any} columns `states` of the profile
 * @returns {States}
 */
export function decodeStates(columns) {
  const {slice_ns: width, count, threads, others} = columns;
  const totals = threads.map((each) => STATES.map((state) => each[`${state}_ns`]));
  const indexes = [...threads.keys()];
  const [single, rest] = withRest(indexes);
  const groups = single.map((index) => [index]);
  if (rest.length > 0) groups.push(rest);
  const membersOf = (index) => (threads[index].thread === null ? others : 1);
  const added = (group, valueOf) => group.reduce((sum, index) => sum + valueOf(index), 0);
  const sumOf = (group) => STATES.map((_, state) => added(group, (index) => totals[index][state]));
  const times = timesOf(columns, groups);
  return {
    width,
    count,
    threads: added(indexes, membersOf),
    total: sumOf(indexes),
    longest: {thread: threads[0].thread, total: totals[0]},
    rows: groups.map((group, row) => ({
                       thread: group.length === 1 ? threads[group[0]].thread : null,
                       members: added(group, membersOf),
                       total: sumOf(group),
                       times: times[row],
                     })),
  };
}

// For each group of rows of the data and each state, ns in each slice.
function timesOf({slice, row, count, threads, ...columns}, groups) {
  const groupOf = new Int32Array(threads.length);
  groups.forEach((group, index) => group.forEach((each) => groupOf[each] = index));
  const times = groups.map(() => STATES.map(() => new Float64Array(count)));
  let at = 0;
  for (let i = 0; i < slice.length; ++i) {
    at += slice[i];
    STATES.forEach((state, index) => times[groupOf[row[i]]][index][at] += columns[state][i]);
  }
  return times;
}

/**
 * The bars of a row: for each of STATES, the share of each bar's full height. A bar is full if the
 * thread lived all the time; of several threads, the bar in which most of them lived.
 * @param {StateRow} row
 * @param {States} states
 * @param {number} slicesInBar
 * @returns {Float64Array[]}
 */
export function stacked({members, times}, {width, count}, slicesInBar) {
  const sums = times.map((each) => summed(each, slicesInBar));
  const lengthOf = (bar) => width * Math.min(slicesInBar, count - bar * slicesInBar);
  const shares = sums.map((each) => each.map((sum, bar) => sum / lengthOf(bar)));
  if (members === 1) return shares;
  const lived = shares[0].map((_, bar) => shares.reduce((sum, each) => sum + each[bar], 0));
  const most = lived.reduce((a, b) => Math.max(a, b), 0);
  return shares.map((each) => each.map((share) => (most > 0 ? share / most : 0)));
}

/** "worker 123", "37 other threads" */
export function nameOfRow({thread, members}, threads) {
  return thread === null ? plural(members, "other thread") : threadName(threads[thread]);
}

/** "worker, thread 123: running 1.200 s, ready 0.1000 s, waiting 3.700 s" */
export function titleOfRow(row, threads) {
  const {thread, total} = row;
  const name = thread === null ?
      nameOfRow(row, threads) :
      `${shownName(threads[thread].name)}, thread ${threads[thread].tid}`;
  const times = STATES.map((state, index) => `${state} ${seconds(total[index] / 1e9)}`);
  return `${name}: ${(total[UNKNOWN] > 0 ? times : times.slice(0, UNKNOWN)).join(", ")}`;
}

/**
 * What a row did in some slices: "running 80.0 %, ready 5.0 %, waiting 15.0 %".
 * @param {StateRow} row
 * @param {States} states
 * @param {number} from first slice
 * @param {number} to the slice behind the last one
 */
export function textOfBar({members, times}, {width, count}, from, to) {
  const end = Math.min(to, count);
  const sums = times.map((each) => each.subarray(from, end).reduce((sum, time) => sum + time, 0));
  const lived = sums.reduce((a, b) => a + b);
  const length = (end - from) * width;
  const whole = members === 1 ? length : lived;
  const parts = STATES.map((name, index) => ({name, share: sums[index] / whole}));
  const gone = 1 - lived / length;
  if (members === 1 && gone > ROUNDING) parts.push({name: "not alive", share: gone});
  const written = parts.filter(({share}) => share > 0)
                      .map(({name, share}) => `${name} ${percentOf(share)}`)
                      .join(", ");
  const alive = `${fixed(lived / length, 1)} of ${plural(members, "thread")} alive`;
  return members === 1 ? written : [alive, written].filter((part) => part !== "").join(": ");
}

/** "1.234 s to 1.236 s" */
export function timeOfBar(states, from, to) {
  return `${startOf(from, states)} s to ${startOf(Math.min(to, states.count), states)} s`;
}

/**
 * @param {States} states
 * @param {any[]} threads of the profile
 */
export function findingOf({longest, total, threads: count}, threads) {
  const areMany = count > 1 && total[RUNNING] < HARDLY * sum(total);  // they mostly wait
  const times = areMany ? total : longest.total;
  const [running, ready, waiting, unknown] = times.map((time) => seconds(time / 1e9));
  const name = threadName(threads[longest.thread]);
  const subject = areMany ? `The ${plural(count, "thread")} together` :
      count > 1 ? `The thread that ran longest is ${name}. It` :
                  name;
  const [they, were] = areMany ? ["they", "were"] : ["it", "was"];
  const lost = times[UNKNOWN] > 0 ? ` For ${unknown}, it is not known what ${they} did.` : "";
  return `${subject} ran for ${running} of the ${seconds(sum(times) / 1e9)} that ${they} lived, ` +
      `${were} ready for ${ready}, and waited for ${waiting}.${lost}`;
}

/** @param {number[]} times */
function sum(times) { return times.reduce((a, b) => a + b); }

/** What the picture is, in words. @param {States} states */
export function whatIsShown({rows, width, count}) {
  return `What threads did over ${duration(count * width / 1e9)}, in ` +
      `${plural(rows.length, "row")}.`;
}
