// What the timeline shows of samples: a row of bars for each of the busiest threads.
import {svg} from "./elements.js";
import {shownName} from "./names.js";
import {plural, whole} from "./numbers.js";
import {threadName} from "./thread_choice.js";
import {duration} from "./time_fields.js";

export const MOST_ROWS = 12;
export const ROW = 24;               // height in pixels, as .thread-names button in style.css
export const FULL_HEIGHT = ROW - 4;  // of a bar

/**
 * The rows of the timeline.
 * @typedef {object} Bars
 * @property {RowName[]} rows
 * @property {string} finding what the picture shows, in words
 * @property {(place: Place) => Element[]} draw
 */

/**
 * @typedef {object} RowName
 * @property {number | null} thread of the profile; null: several threads share the row
 * @property {string} name
 * @property {string} figure beside the name
 * @property {string} title all that is known of the row
 */

/**
 * Where bars are drawn.
 * @typedef {object} Place
 * @property {any} scale from slices to pixels
 * @property {number} slicesInBar
 */

/** @typedef {import("./call_tree.js").Slices} Slices */

/** @typedef {{threads: number[], samples: number}} SampleRow */

/**
 * The first rows are shown alone; the rest shares one row.
 * @param {any[]} all
 * @returns {[any[], any[]]} single ones, and the rest
 */
export function withRest(all) {
  const single = all.length <= MOST_ROWS ? all.length : MOST_ROWS - 1;
  return [all.slice(0, single), all.slice(single)];
}

/**
 * The busiest threads, and the rest as one row.
 * @param {Slices} slices
 * @param {number} threads
 * @returns {{order: number[], rows: SampleRow[]}}
 */
export function rowsOfThreads(slices, threads) {
  const samples = new Float64Array(threads);
  for (let i = 0; i < slices.thread.length; ++i) samples[slices.thread[i]] += slices.samples[i];
  const order = [...samples.keys()].sort((a, b) => samples[b] - samples[a] || a - b);
  const [single, rest] = withRest(order.filter((thread) => samples[thread] > 0));
  const rows = single.map((thread) => ({threads: [thread], samples: samples[thread]}));
  if (rest.length > 0) {
    const sum = rest.reduce((total, thread) => total + samples[thread], 0);
    rows.push({threads: rest, samples: sum});
  }
  return {order, rows};
}

/**
 * @param {Slices} slices
 * @param {SampleRow[]} rows
 * @param {any[]} threads of the profile
 * @returns {Bars}
 */
export function sampleBars(slices, rows, threads) {
  const counts = countsOf(slices, rows, threads.length);
  return {
    rows: rows.map((row) => rowName(row, threads)),
    finding: findingOf(slices, rows, threads),
    draw: (place) => drawBars(counts, place),
  };
}

/** @returns {RowName} */
function rowName({threads: members, samples}, threads) {
  const figure = whole(samples);
  if (members.length > 1) {
    const name = plural(members.length, "other thread");
    return {thread: null, name, figure, title: `${name}: ${plural(samples, "sample")}`};
  }
  const {name, tid} = threads[members[0]];
  return {
    thread: members[0],
    name: threadName(threads[members[0]]),
    figure,
    title: `${shownName(name)}, thread ${tid}: ${plural(samples, "sample")}`
  };
}

// Samples in each slice, for each row.
function countsOf(slices, rows, threads) {
  const rowOf = new Int32Array(threads).fill(-1);
  rows.forEach((row, index) => row.threads.forEach((thread) => rowOf[thread] = index));
  const counts = rows.map(() => new Float64Array(slices.count));
  for (let i = 0; i < slices.slice.length; ++i)
    if (rowOf[slices.thread[i]] >= 0)
      counts[rowOf[slices.thread[i]]][slices.slice[i]] += slices.samples[i];
  return counts;
}

function findingOf(slices, rows, threads) {
  const first = rows[0];
  if (!first) return "There are no samples.";
  const name = first.threads.length === 1 ? shownName(threads[first.threads[0]].name) : "";
  return `Samples over ${duration(slices.count * slices.width / 1e9)} in ` +
      `${plural(rows.length, "row")}. The busiest thread is ${name} with ` +
      `${plural(first.samples, "sample")}.`;
}

/** The sums of neighbouring slices. @param {Float64Array} values of the slices */
export function summed(values, slicesInBar) {
  const sums = new Float64Array(Math.ceil(values.length / slicesInBar));
  values.forEach((value, slice) => sums[Math.floor(slice / slicesInBar)] += value);
  return sums;
}

/** The line below the bars of a row. */
export function baseLine(row, scale) {
  const y = bottomOf(row) + 0.5;
  return svg("line", {class: "base", x1: 0, x2: scale.range()[1] + 1, y1: y, y2: y});
}

/** Where the bars of a row stand, in pixels. */
export function bottomOf(row) { return (row + 1) * ROW - 1; }

function drawBars(counts, {scale, slicesInBar}) {
  const heights = counts.map((row) => summed(row, slicesInBar));
  const most = heights.reduce((a, row) => row.reduce((b, count) => Math.max(b, count), a), 1);
  return heights.flatMap((row, index) => {
    const d = barsPath(row, bottomOf(index), most, scale, slicesInBar);
    return [baseLine(index, scale), svg("path", {class: "bars", d})];
  });
}

function barsPath(counts, bottom, most, scale, slicesInBar) {
  let path = "";
  counts.forEach((count, index) => {
    if (count === 0) return;
    const height = Math.max(1, count / most * FULL_HEIGHT);
    const left = scale(index * slicesInBar);
    const right = Math.min(scale((index + 1) * slicesInBar), scale.range()[1]);
    const gap = right - left > 4 ? 1 : 0;
    path += `M${left.toFixed(2)},${bottom}v${- height.toFixed(2)}H${(right - gap).toFixed(2)}` +
        `V${bottom}Z`;
  });
  return path;
}
