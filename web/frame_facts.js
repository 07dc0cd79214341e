// What is known of a frame of the flame graph: its name, share and interval, as marks for the
// picture and as words. Pure functions of what is shown.
import * as callTree from "./call_tree.js";
import {UNKNOWN_SLOT} from "./frame_colours.js";
import {nameless, shownName} from "./names.js";
import {eventFigure, percentOf, plural, range, seconds, whole} from "./numbers.js";
import {threadName} from "./thread_choice.js";

// The width of an interval of so few samples, as a part of a small share: 2 · 1.96 / √n.
const WIDTH_OF_FEW = 2 * 1.96 / Math.sqrt(callTree.FEW_SAMPLES);

/**
 * What the graph shows.
 * @typedef {object} View
 * @property {any} profile of the page
 * @property {import("./profile_event.js").EventData} data
 * @property {import("./profile_event.js").ChosenSamples} chosen
 * @property {"weight" | "time"} order
 * @property {import("./flame_layout.js").Sequence | null} sequence in the order of time
 * @property {Uint8Array} slots of the palette, by module
 * @property {Uint8Array | null} matches 1 for each function that the search found
 */

/** The module of a node's function, by number. */
export function moduleOf({profile, data}, node) {
  return profile.functions.module[data.tree.functionOf[node]];
}

export function nameOf(view, node) {
  if (node === 0) return "all";
  const {functions, modules} = view.profile;
  return functions.name[view.data.tree.functionOf[node]] || nameless(modules[moduleOf(view, node)]);
}

function moduleNameOf(view, node) {
  return node === 0 ? "" : view.profile.modules[moduleOf(view, node)];
}

function shareOf({chosen}, node) { return chosen.figures.total[node] / chosen.all.total; }

/** @returns {[number, number]} the interval of a node's share */
function intervalOf(view, node) {
  const {data, chosen} = view;
  const share = shareOf(view, node);
  if (data.event.exact || node === 0) return [share, share];
  const known = chosen.figures.whole ? data.tree.known.get(node) : undefined;
  if (known) return [known.low, known.high];
  const interval = callTree.shareInterval(callTree.partOf(chosen.figures, node), chosen.all);
  return callTree.withUnsampled(interval, chosen.unsampled);
}

// Few samples, of which none weighs as much as a long wait that was counted.
function isFew(view, node) {
  const [low, high] = intervalOf(view, node);
  return view.chosen.figures.samples[node] < callTree.FEW_SAMPLES &&
      high - low > WIDTH_OF_FEW * shareOf(view, node);
}

/** Whether a frame is not certainly smaller than the one before it. */
function isTied({data, chosen, order}, frames, index) {
  const before = frames.before[index];
  if (before < 0 || data.event.exact || order === "time") return false;
  const node = frames.node[index];
  const larger = frames.node[before];
  const {figures, all} = chosen;
  const known = figures.whole ? data.tree.known.get(node) : undefined;
  if (known && data.tree.end[larger] === node) return known.tied;
  return callTree.mayBeEqual(callTree.partOf(figures, larger), callTree.partOf(figures, node), all);
}

/**
 * @param {View} view
 * @param {import("./flame_layout.js").Frames} frames
 * @param {number} index
 * @returns {import("./flame_graph.js").Mark}
 */
export function markOf(view, frames, index) {
  const {data, chosen, order, slots, matches} = view;
  const node = frames.node[index];
  const exact = order === "time" || data.event.exact || node === 0;
  const share = shareOf(view, node);
  const [low, high] = exact ? [share, share] : intervalOf(view, node);
  return {
    label: nameOf(view, node),
    slot: node === 0 ? UNKNOWN_SLOT : slots[moduleOf(view, node)],
    few: !exact && isFew(view, node),
    matched: node > 0 && matches?.[data.tree.functionOf[node]] === 1,
    tied: !exact && isTied(view, frames, index),
    lowPart: exact ? 1 : Math.min(1, low / share),
    highPart: exact ? 1 : Math.max(1, high / share),
  };
}

/** "54.2 % of all samples (50.2…58.1 %)" */
function shareText({data, chosen}, share, interval) {
  const of = chosen.figures.whole ? "of all samples" : "of the chosen samples";
  if (data.event.exact || interval[0] === interval[1]) return `${percentOf(share)} ${of}`;
  return `${percentOf(share)} ${of} (${rangeOf(interval)})`;
}

function rangeOf([low, high]) {
  return high < 0.0005 ? `${Number((100 * low).toPrecision(1))}…${percentOf(high)}` :
                         range([low, high]);
}

/** "~2,090,000 cycles", "~518 ms" */
function countText({data, chosen}, share, interval) {
  const {unit, exact, scale, name} = data.event;
  const total = chosen.all.total * (scale ?? 1);
  const [low, high] = interval.map((end) => end * total);
  const estimate = share * total;
  const figure = eventFigure({
    estimate,
    low,
    high,
    unit,
    ci95: Math.max(high - estimate, estimate - low),
    status: exact || low === high ? "counted" : "estimated",
  });
  return `${figure.value} ${figure.unit || name}`;
}

/**
 * The facts of a frame in words. What does not apply is empty.
 * @param {View} view
 * @param {import("./flame_layout.js").Frames} frames
 * @param {number} index
 */
export function factsOf(view, frames, index) {
  const {figures} = view.chosen;
  const node = frames.node[index];
  const share = shareOf(view, node);
  const interval = intervalOf(view, node);
  const samples = plural(figures.samples[node], "sample");
  return {
    name: shownName(nameOf(view, node)),
    module: node === 0 ? "" : shownName(moduleNameOf(view, node)),
    share: shareText(view, share, interval),
    count: countText(view, share, interval),
    samples: node === 0 ? samples : `${samples}, ${whole(figures.ownSamples[node])} in itself`,
    doubt: doubtText(view, frames, index),
    stretch: view.order === "time" && node > 0 ? stretchText(view, frames, index) : "",
  };
}

function doubtText(view, frames, index) {
  const node = frames.node[index];
  if (!view.data.event.exact && node > 0 && isFew(view, node)) return "So few samples show little.";
  if (!isTied(view, frames, index)) return "";
  const larger = frames.node[frames.before[index]];
  return `It is not certain that it is smaller than ${shownName(nameOf(view, larger))}.`;
}

/** "This stretch: 12 samples from 1.2 s to 1.4 s in naive 123." */
function stretchText({profile, data, sequence}, {first, last}, index) {
  const {slices} = data;
  const {entry} = sequence;
  let samples = 0;
  for (let i = first[index]; i < last[index]; ++i) samples += slices.samples[entry[i]];
  const begin = slices.slice[entry[first[index]]];
  const end = slices.slice[entry[last[index] - 1]] + 1;
  const thread = profile.threads[slices.thread[entry[first[index]]]];
  const [from, to] = [begin, end].map((slice) => seconds(slice * slices.width / 1e9));
  return `This stretch: ${plural(samples, "sample")} from ${from} to ${to} in ` +
      `${threadName(thread)}.`;
}

/** The facts in lines. */
export function tooltipOf(view, frames, index) {
  const facts = factsOf(view, frames, index);
  return [
    facts.name, facts.module, facts.share, `${facts.count}, ${facts.samples}`, facts.stretch,
    facts.doubt
  ].filter((text) => text !== "")
      .join("\n");
}

/**
 * What stacks with a matching function have together: "Matched: 54.2 % of all samples …".
 * @param {View} view
 */
export function matchText(view) {
  const {data, chosen, matches} = view;
  const count = matches.reduce((sum, match) => sum + match, 0);
  if (count === 0) return "No function matches.";
  if (!(chosen.all.total > 0)) return `${plural(count, "function")} match.`;
  const part = callTree.matchedPart(data.tree, chosen.figures, matches);
  const interval =
      callTree.withUnsampled(callTree.shareInterval(part, chosen.all), chosen.unsampled);
  return `Matched: ${shareText(view, part.total / chosen.all.total, interval)}, in ` +
      `${plural(count, "function")}.`;
}

/** The facts of a frame as values, for tests and scripts of readers. */
export function exposedFrame(view, frames, index) {
  const node = frames.node[index];
  const {figures} = view.chosen;
  const [low, high] = intervalOf(view, node);
  const {tied, few, matched} = markOf(view, frames, index);
  return {
    name: nameOf(view, node),
    module: moduleNameOf(view, node),
    row: frames.row[index],
    caller: frames.caller[index],
    samples: figures.samples[node],
    ownSamples: figures.ownSamples[node],
    share: shareOf(view, node),
    low,
    high,
    tied,
    few,
    matched,
  };
}
