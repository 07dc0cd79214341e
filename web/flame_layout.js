// Places the frames of a flame graph: by weight, or in the order of time. Only frames that can be
// seen are placed, so that the work depends on the picture, not on the recording. Pure functions.
import {bisectRight} from "d3-array";

import {callerAt} from "./call_tree.js";

export const NARROWEST = 0.5;  // CSS pixels; narrower frames are not drawn

/**
 * Frames, row by row from the outermost, in each row from left to right.
 * @typedef {object} Frames
 * @property {number} count
 * @property {number} rows
 * @property {number[]} rowStart first frame of each row; one more for the end
 * @property {number[]} node -1: callees that are too narrow to be drawn
 * @property {number[]} row
 * @property {number[]} x in pixels
 * @property {number[]} width in pixels
 * @property {number[]} caller the frame below, -1 in the first row
 * @property {number[]} before the sibling to the left, -1 if there is none
 * @property {number[]} first of entries in the order of time; by weight it is 0
 * @property {number[]} last the entry behind the last one
 */

/** @returns {Frames} */
function noFrames() {
  return {
    count: 0,
    rows: 0,
    rowStart: [0],
    node: [],
    row: [],
    x: [],
    width: [],
    caller: [],
    before: [],
    first: [],
    last: [],
  };
}

function add(frames, node, x, width, caller, before, first = 0, last = 0) {
  frames.node.push(node);
  frames.row.push(frames.rows);
  frames.x.push(x);
  frames.width.push(width);
  frames.caller.push(caller);
  frames.before.push(before);
  frames.first.push(first);
  frames.last.push(last);
  return frames.count++;
}

function endRow(frames) {
  ++frames.rows;
  frames.rowStart.push(frames.count);
}

/**
 * Siblings by weight: the largest on the left.
 * @param {import("./call_tree.js").Tree} tree
 * @param {import("./call_tree.js").Figures} figures
 * @param {number} root the node that has the whole width
 * @param {number} width in pixels
 * @returns {Frames}
 */
export function layoutByWeight(tree, figures, root, width) {
  const frames = noFrames();
  const scale = width / figures.total[root];
  if (!Number.isFinite(scale)) return frames;
  add(frames, root, 0, width, -1, -1);
  endRow(frames);
  for (let row = 0; frames.rowStart[row] < frames.rowStart[row + 1]; ++row) {
    for (let i = frames.rowStart[row]; i < frames.rowStart[row + 1]; ++i)
      if (frames.node[i] >= 0) addCallees(frames, tree, figures.total, i, scale);
    if (frames.count === frames.rowStart[row + 1]) break;
    endRow(frames);
  }
  return frames;
}

function addCallees(frames, tree, total, caller, scale) {
  const node = frames.node[caller];
  const seen = [];
  let narrow = 0;
  for (let callee = node + 1; callee < tree.end[node]; callee = tree.end[callee]) {
    if (total[callee] * scale >= NARROWEST)
      seen.push(callee);
    else
      narrow += total[callee];
  }
  seen.sort((a, b) => total[b] - total[a] || a - b);
  let x = frames.x[caller];
  let before = -1;
  for (const callee of seen) {
    before = add(frames, callee, x, total[callee] * scale, caller, before);
    x += total[callee] * scale;
  }
  if (narrow * scale >= 1) add(frames, -1, x, narrow * scale, caller, -1);
}

/**
 * Entries of time slices in the order in which they are drawn: thread by thread, slice by slice,
 * and in a slice, whose order is not known, as in the tree. For one thread, x is time, in slices
 * from the start of the choice. For several threads, x is weight: most slices of most threads are
 * empty, and would leave no room for the others.
 * @typedef {object} Sequence
 * @property {Int32Array} node
 * @property {Int32Array} entry
 * @property {Float64Array} begin
 * @property {Float64Array} end
 * @property {Int32Array} joined how many callers, with the root, it shares with the entry before
 * @property {Int32Array[]} starts by depth: the entries that share as many callers as the depth,
 *     so that a frame of this depth begins there
 * @property {number} span of the whole picture
 * @property {number[]} threads in the order of the picture
 * @property {number[]} threadEnds where each thread ends
 * @property {number} reach slices: entries that are further apart have a gap between them
 */

/**
 * @param {import("./call_tree.js").Tree} tree
 * @param {import("./call_tree.js").Slices} slices
 * @param {Int32Array} entries the chosen ones
 * @param {import("./call_tree.js").Choice} choice
 * @param {number[]} threads all threads, the busiest first
 * @returns {Sequence}
 */
export function inOrderOfTime(tree, slices, entries, choice, threads) {
  const {place, shown} = places(slices, entries, threads);
  const order = sorted(tree, slices, entries, place, choice);
  const sequence = {
    node: order.map((entry) => slices.node[entry]),
    entry: order,
    begin: new Float64Array(order.length),
    end: new Float64Array(order.length),
    joined: new Int32Array(order.length).fill(1),
    starts: [],
    span: 0,
    threads: shown,
    threadEnds: new Array(shown.length).fill(0),
    reach: Infinity,
  };
  if (shown.length === 1)
    placeByTime(slices, sequence, choice);
  else
    placeByWeight(slices, sequence, place);
  for (let i = 1; i < order.length; ++i)
    if (follows(slices, order[i - 1], order[i], sequence))
      sequence.joined[i] = shared(tree, sequence.node[i - 1], sequence.node[i]);
  sequence.starts = byNumber(sequence.joined, tree.rows + 1);
  return sequence;
}

// For each number: the places that have it, ascending.
function byNumber(numbers, most) {
  const places = countingSort(Int32Array.from(numbers.keys()), (place) => numbers[place], most);
  const found = [];
  for (let number = 0, from = 0, to = 0; number < most; ++number, from = to) {
    while (to < places.length && numbers[places[to]] === number) ++to;
    found.push(places.subarray(from, to));
  }
  return found;
}

// Whether nothing is between two entries in the picture.
function follows(slices, before, entry, sequence) {
  return slices.thread[before] === slices.thread[entry] &&
      slices.slice[entry] - slices.slice[before] <= sequence.reach;
}

// The samples of a slice reach to the next slice with samples, unless it is far: more than twice
// the median distance. They share this width as their weights do.
function placeByTime(slices, sequence, choice) {
  const {entry, begin, end} = sequence;
  const firsts = firstsOfSlices(slices, entry);
  const starts = firsts.map((first) => slices.slice[entry[first]] - choice.from);
  const distances = starts.slice(1).map((start, i) => start - starts[i]);
  const usual = distances.sort((a, b) => a - b)[distances.length >> 1] ?? 1;
  sequence.reach = 2 * usual;
  sequence.span = sequence.threadEnds[0] = choice.to - choice.from;
  starts.forEach((start, i) => {
    const distance = (starts[i + 1] ?? Infinity) - start;
    const width = Math.min(distance <= sequence.reach ? distance : usual, sequence.span - start);
    const last = firsts[i + 1] ?? entry.length;
    let sum = 0;
    for (let at = firsts[i]; at < last; ++at) sum += slices.weight[entry[at]];
    let before = 0;
    for (let at = firsts[i]; at < last; ++at) {
      const part = sum > 0 ? slices.weight[entry[at]] / sum : 1 / (last - firsts[i]);
      begin[at] = start + before * width;
      before = at === last - 1 ? 1 : Math.min(1, before + part);
      end[at] = start + before * width;
    }
  });
}

// Of entries that are sorted by slice: the first one of each slice.
function firstsOfSlices(slices, entries) {
  const firsts = [];
  for (let i = 0; i < entries.length; ++i)
    if (i === 0 || slices.slice[entries[i]] !== slices.slice[entries[i - 1]]) firsts.push(i);
  return firsts;
}

function placeByWeight(slices, sequence, place) {
  const {entry, begin, end, threadEnds} = sequence;
  for (let i = 0; i < entry.length; ++i) {
    begin[i] = sequence.span;
    end[i] = sequence.span += slices.weight[entry[i]];
    threadEnds[place[slices.thread[entry[i]]]] = sequence.span;
  }
}

// The threads that have entries, and the place of each among them.
function places(slices, entries, threads) {
  const busy = new Uint8Array(threads.length);
  for (const entry of entries) busy[slices.thread[entry]] = 1;
  const shown = threads.filter((thread) => busy[thread]);
  const place = new Int32Array(threads.length);
  shown.forEach((thread, index) => place[thread] = index);
  return {place, shown};
}

// Sorts by thread, then by slice, then by node, with stable sorts in the other order.
function sorted(tree, slices, entries, place, choice) {
  const keys =
      Float64Array.from(entries, (entry, i) => slices.node[entry] * entries.length + i).sort();
  const byNode = Int32Array.from(keys, (key) => entries[key % entries.length]);
  const bySlice =
      countingSort(byNode, (entry) => slices.slice[entry] - choice.from, choice.to - choice.from);
  return countingSort(bySlice, (entry) => place[slices.thread[entry]], place.length);
}

function countingSort(entries, keyOf, keys) {
  const start = new Int32Array(keys + 1);
  for (const entry of entries) ++start[keyOf(entry) + 1];
  for (let key = 0; key < keys; ++key) start[key + 1] += start[key];
  const result = new Int32Array(entries.length);
  for (const entry of entries) result[start[keyOf(entry)]++] = entry;
  return result;
}

// The number of nodes, with the root, that are on the paths to both nodes.
function shared(tree, a, b) {
  while (a !== b) {
    if (tree.depth[a] > tree.depth[b])
      a = tree.parent[a];
    else if (tree.depth[b] > tree.depth[a])
      b = tree.parent[b];
    else {
      a = tree.parent[a];
      b = tree.parent[b];
    }
  }
  return tree.depth[a] + 1;
}

/**
 * Frames in the order of time.
 * @param {import("./call_tree.js").Tree} tree
 * @param {Sequence} sequence
 * @param {{node: number, first: number, last: number} | null} zoom the frame that has the whole
 *     width; null: everything
 * @param {number} width in pixels
 * @returns {Frames}
 */
export function layoutByTime(tree, sequence, zoom, width) {
  const frames = noFrames();
  const all = {node: 0, first: 0, last: sequence.node.length};
  const {node, first, last} = zoom ?? all;
  const [left, right] = shownRange(sequence, zoom);
  const scale = width / (right - left);
  if (last <= first || !Number.isFinite(scale)) return frames;
  add(frames, node, 0, width, -1, -1, first, last);
  endRow(frames);
  for (let row = 0; frames.rowStart[row] < frames.rowStart[row + 1]; ++row) {
    const depth = tree.depth[node] + row + 1;
    for (let i = frames.rowStart[row]; i < frames.rowStart[row + 1]; ++i)
      addRuns(frames, tree, sequence, i, depth, left, scale);
    if (frames.count === frames.rowStart[row + 1]) break;
    endRow(frames);
  }
  return frames;
}

/**
 * The frame of a caller of the zoomed frame.
 * @param {import("./call_tree.js").Tree} tree
 * @param {Sequence} sequence
 * @param {{node: number, first: number, last: number}} zoom
 * @param {number} node
 */
export function widened(tree, {joined}, zoom, node) {
  let {first, last} = zoom;
  while (first > 0 && joined[first] > tree.depth[node]) --first;
  while (last < joined.length && joined[last] > tree.depth[node]) ++last;
  return {node, first, last};
}

/** The part of a sequence that has the whole width: its left and right end. */
export function shownRange(sequence, zoom) {
  return zoom ? [sequence.begin[zoom.first], sequence.end[zoom.last - 1]] : [0, sequence.span];
}

// Neighbouring entries with the same callers down to `depth` are one frame. Neighbouring frames
// that are too narrow are shown as one area. All entries of a caller share the callers above
// `depth`, so its frames begin at its first entry and at `starts` of this depth. Each entry is in
// one of these lists: a picture takes time for its frames and for each entry once, not once a row.
function addRuns(frames, tree, sequence, caller, depth, left, scale) {
  let before = -1;
  const narrow = {from: 0, to: 0};
  const endNarrow = () => {
    if (narrow.to - narrow.from >= 1)
      add(frames, -1, narrow.from, narrow.to - narrow.from, caller, -1);
    narrow.from = narrow.to = 0;
  };
  const starts = sequence.starts[depth] ?? [];
  const end = frames.last[caller];
  let next = bisectRight(starts, frames.first[caller]);
  for (let first = frames.first[caller], last; first < end; first = last) {
    last = Math.min(end, starts[next++] ?? end);
    if (tree.depth[sequence.node[first]] < depth) continue;
    const x = (sequence.begin[first] - left) * scale;
    const width = (sequence.end[last - 1] - sequence.begin[first]) * scale;
    if (width < NARROWEST) {
      if (x - narrow.to > 1) {
        endNarrow();
        narrow.from = x;
      }
      narrow.to = x + width;
      continue;
    }
    endNarrow();
    const node = callerAt(tree, sequence.node[first], depth);
    before = add(frames, node, x, width, caller, before, first, last);
  }
  endNarrow();
}

/** @returns {number} the frame at a point, -1 if there is none */
export function frameAt(frames, row, x) {
  if (row < 0 || row >= frames.rows) return -1;
  let low = frames.rowStart[row];
  let high = frames.rowStart[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames.x[middle] + frames.width[middle] <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return low < frames.rowStart[row + 1] && frames.x[low] <= x ? low : -1;
}
