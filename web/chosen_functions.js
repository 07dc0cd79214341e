// The rows of the table of functions for a part of the time or of the threads. They are sums over
// time slices, which the flame graph uses, too. Pure functions.
import * as callTree from "./call_tree.js";
import {isNumber, percentOf} from "./numbers.js";

/**
 * Sums by function, in the shape of `Figures`.
 * @typedef {object} Sums
 * @property {Uint32Array} samples
 * @property {Float64Array} total weight
 * @property {Float64Array} squares of the weights of samples
 */

/**
 * By function: weight of the whole recording that slices have at another function, because its
 * stacks are counted at a caller. It may be in the chosen part, or not.
 * @typedef {object} Moved
 * @property {Float64Array} ownIn weight that slices have and the function does not
 * @property {Float64Array} ownOut weight that the function has and slices do not
 * @property {Float64Array} totalOut the same, with what the function called
 */

/** @typedef {import("./profile_event.js").EventData} EventData */

/** @returns {Sums} */
function noSums(functions) {
  return {
    samples: new Uint32Array(functions),
    total: new Float64Array(functions),
    squares: new Float64Array(functions),
  };
}

/** @returns {Sums} the samples in each function itself */
function ownSums(tree, slices, entries, functions) {
  const sums = noSums(functions);
  for (const entry of entries) {
    const at = tree.functionOf[slices.node[entry]];
    sums.samples[at] += slices.samples[entry];
    sums.total[at] += slices.weight[entry];
    if (slices.samples[entry] > 0)
      sums.squares[at] += slices.weight[entry] ** 2 / slices.samples[entry];
  }
  return sums;
}

// A function that called itself, also by others, counts its samples once: at its outermost call.
/** @returns {Sums} the samples whose call chain has the function */
function totalSums(tree, figures, functions) {
  const sums = noSums(functions);
  const end = new Int32Array(functions);  // of the subtree of its last outermost call
  for (let node = 1; node < tree.size; ++node) {
    const at = tree.functionOf[node];
    if (node < end[at]) continue;
    end[at] = tree.end[node];
    sums.samples[at] += figures.samples[node];
    sums.total[at] += figures.total[node];
    sums.squares[at] += figures.squares[node];
  }
  return sums;
}

/**
 * @param {EventData} data
 * @param {number} functions
 * @returns {Moved}
 */
function movedInSlices({tree, slices, wholeFigures}, functions) {
  const own = new Float64Array(tree.size);
  for (let i = 0; i < slices.node.length; ++i) own[slices.node[i]] += slices.weight[i];
  const moved = {
    ownIn: new Float64Array(functions),
    ownOut: new Float64Array(functions),
    totalOut: totalSums(tree, wholeFigures, functions).total,
  };
  for (let node = 1; node < tree.size; ++node) {
    const at = tree.functionOf[node];
    moved.ownIn[at] += Math.max(0, own[node] - tree.own[node]);
    moved.ownOut[at] += Math.max(0, tree.own[node] - own[node]);
  }
  const all = callTree.figuresOfEntries(tree, slices, Int32Array.from(slices.node.keys()));
  totalSums(tree, all, functions).total.forEach((total, at) => moved.totalOut[at] -= total);
  return moved;
}

/**
 * The chosen samples of an event, by function.
 * @typedef {object} EventPart
 * @property {EventData} data
 * @property {{total: number, samples: number, squares: number}} all
 * @property {Sums} own
 * @property {Sums} totals
 * @property {number} unsampled upper bound of the share that no sample can show
 * @property {Moved | null} moved null: nothing is counted elsewhere
 */

/**
 * @param {EventData} data
 * @param {import("./call_tree.js").Choice} choice
 * @param {number} functions
 * @returns {EventPart}
 */
function partOfEvent(data, choice, functions) {
  const {tree, slices} = data;
  const entries = callTree.chosenEntries(slices, choice);
  const figures = callTree.figuresOfEntries(tree, slices, entries);
  const all = callTree.partOf(figures, 0);
  return {
    data,
    all,
    unsampled: callTree.unsampledOfPart(data.unsampled, data.wholeFigures.total[0], all.total),
    own: ownSums(tree, slices, entries, functions),
    totals: totalSums(tree, figures, functions),
    moved: slices.leastShare > 0 ? movedInSlices(data, functions) : null,
  };
}

function withWeight(part, total, all) {
  const mean = part.total > 0 ? part.squares / part.total : all.squares / all.total;
  return {...part, total, squares: total * mean};
}

/**
 * The share of a function, with its 95 % interval. The interval allows for weight that slices have
 * at another function.
 * @returns {{share: number, ci95: [number, number]}}
 */
function shareOf({data, all, unsampled}, sums, at, less, more) {
  const part = callTree.partOf(sums, at);
  const share = part.total / all.total;
  const least = Math.max(0, part.total - less);
  const most = Math.min(all.total, part.total + more);
  if (data.event.exact) return {share, ci95: [least / all.total, most / all.total]};
  const [low] = callTree.shareInterval(withWeight(part, least, all), all);
  const [, high] = callTree.shareInterval(withWeight(part, most, all), all);
  return {share, ci95: callTree.withUnsampled([low, high], unsampled)};
}

function ownShare(part, at) {
  return shareOf(part, part.own, at, part.moved?.ownIn[at] ?? 0, part.moved?.ownOut[at] ?? 0);
}

function totalShare(part, at) {
  return shareOf(part, part.totals, at, 0, part.moved?.totalOut[at] ?? 0);
}

/** The function's own events: the member `events` of a row of the report. */
function countOf(part, at) {
  if (!part || !(part.all.total > 0)) return null;
  const {event} = part.data;
  const total = part.all.total * (event.scale ?? 1);
  const {share, ci95} = ownShare(part, at);
  return {
    samples: part.own.samples[at],
    count: Math.round(share * total),
    ci95: ci95.map((end) => end * total),
  };
}

/**
 * The table of functions of a part of the recording.
 * @typedef {object} PartOfReport
 * @property {any} report what the table needs of the document that --json prints
 * @property {string[]} notes what is not known of a part
 */

/**
 * @param {import("./data.js").Page} page
 * @param {EventData[]} events all of the profile
 * @param {number} shown index of the event of the shares
 * @param {import("./call_tree.js").Choice} choice
 * @returns {PartOfReport}
 */
export function reportOfPart(page, events, shown, choice) {
  const whole = page.document;
  const {functions, modules} = page.profile;
  const parts = new Map(
      events.filter((data) => data.slices)
          .map((data) => [data.event.name, partOfEvent(data, choice, functions.name.length)]));
  const chosen = parts.get(events[shown].event.name);
  const ofEvents = whole.events.map(({name}) => parts.get(name) ?? null);
  const known = new Map(whole.rows.map((row) => [keyOf(row.function, row.module), row]));
  const hasTotals = whole.rows.some((row) => isNumber(row.total));
  const cut = whole.rows.some((row) => row.total_is_at_least);
  const rows = [];
  functions.name.forEach((name, at) => {
    if (!(chosen.totals.total[at] > 0) && !ofEvents.some((part) => part?.own.samples[at] > 0))
      return;
    const module = modules[functions.module[at]];
    const {signature = null, path = module} = known.get(keyOf(name, module)) ?? {};
    const {share, ci95} = chosen.all.total > 0 ? ownShare(chosen, at) : {share: null, ci95: null};
    const total = hasTotals && share !== null ? totalShare(chosen, at) : null;
    const totalInterval = total && !cut ? [Math.max(total.ci95[0], ci95[0]), total.ci95[1]] : null;
    rows.push({
      function: name || null,
      signature,
      module,
      path,
      share,
      ci95,
      total: total?.share ?? null,
      total_ci95: totalInterval,
      total_is_at_least: cut,
      events: ofEvents.map((part) => countOf(part, at)),
      metrics: {},
    });
  });
  if (events[shown].event.off_cpu && hasTotals)
    rows.sort((a, b) => b.total - a.total || b.share - a.share);
  else
    rows.sort((a, b) => b.share - a.share || b.total - a.total);
  const report = {
    ...whole,
    sort: "function",
    event: events[shown].event.name,
    rows,
    comparisons: [],
    events: whole.events.map((event, index) => eventOfPart(event, ofEvents[index])),
  };
  return {report, notes: notesOf(whole, events, shown)};
}

function keyOf(name, module) { return JSON.stringify([name || null, module]); }

function eventOfPart({name}, part) {
  if (!part) return {name, samples: 0, count: null};
  const {total, samples} = part.all;
  return {name, samples, count: Math.round(total * (part.data.event.scale ?? 1))};
}

function notesOf(whole, events, shown) {
  const notes = [];
  const least = Math.max(...events.map(({slices}) => slices?.leastShare ?? 0));
  if (!events[shown].event.exact)
    notes.push("Whether the order of the rows is significant was not tested for a part.");
  if (least > 0)
    notes.push(
        `Stacks with less than ${percentOf(least)} of all samples are counted at a caller, so a ` +
        "function may have samples of functions that it called. The intervals allow for this.");
  const metrics = new Set(whole.rows.flatMap(
      ({metrics}) => Object.keys(metrics).filter((name) => isNumber(metrics[name].value))));
  if (metrics.size > 0)
    notes.push("Metrics are not computed for a part. 'tacho report --time' prints them.");
  const timeless = events.filter(({slices}) => !slices).map(({event}) => event.name);
  if (timeless.length > 0)
    notes.push(`Samples of ${timeless.join(", ")} have no times, so their columns are left out.`);
  return notes;
}
