// An event of a recording, decoded, and the samples of it that are chosen. Pure functions.
import * as callTree from "./call_tree.js";
import {rowsOfThreads} from "./sample_bars.js";

/**
 * @typedef {object} EventData
 * @property {any} event of the profile
 * @property {import("./call_tree.js").Tree} tree
 * @property {import("./call_tree.js").Slices | null} slices null: samples have no times
 * @property {import("./call_tree.js").Figures} wholeFigures
 * @property {ReturnType<typeof rowsOfThreads> | null} threadRows
 * @property {number} unsampled upper bound of the share that no sample can show; intervals of the
 *     program contain it already
 */

/**
 * @param {import("./data.js").Page} page
 * @param {number} index of the event
 * @returns {EventData}
 */
export function decodeEvent({profile, document}, index) {
  const event = profile.events[index];
  const tree = callTree.decodeTree(event.tree);
  const slices = callTree.decodeSlices(event.slices);
  const row = (document?.events ?? []).find(({name}) => name === event.name);
  return {
    event,
    tree,
    slices,
    wholeFigures: callTree.figuresOfAll(tree),
    threadRows: slices ? rowsOfThreads(slices, profile.threads.length) : null,
    unsampled: row?.unsampled ?? 0,
  };
}

/** The weight of each module, with what its functions called. */
export function weightsOfModules({modules, functions}, {tree, wholeFigures}) {
  const weights = new Float64Array(modules.length);
  for (let node = 1; node < tree.size; ++node)
    weights[functions.module[tree.functionOf[node]]] += wholeFigures.total[node];
  return weights;
}

/**
 * @typedef {object} ChosenSamples
 * @property {boolean} everything
 * @property {Int32Array | null} entries of the slices; null if samples have no times
 * @property {import("./call_tree.js").Figures} figures
 * @property {{total: number, samples: number, squares: number}} all
 * @property {number} unsampled
 */

/**
 * @param {EventData} data
 * @param {import("./call_tree.js").Choice} choice
 * @returns {ChosenSamples}
 */
export function chosenSamples({tree, slices, wholeFigures, unsampled}, choice) {
  const everything =
      !slices || (choice.from === 0 && choice.to === slices.count && choice.threads === null);
  const entries = slices ? callTree.chosenEntries(slices, choice) : null;
  const figures = everything ? wholeFigures : callTree.figuresOfEntries(tree, slices, entries);
  const all = callTree.partOf(figures, 0);
  return {
    everything,
    entries,
    figures,
    all,
    unsampled: everything ? unsampled :
                            callTree.unsampledOfPart(unsampled, wholeFigures.total[0], all.total),
  };
}
