// The call tree of a recording in typed arrays, and the figures of its nodes: of all samples, or of
// a selection of time and threads. Pure functions. Node 0 is the root, above all outermost frames.

const Z = 1.959963984540054;    // 97.5 % of the normal distribution
export const FEW_SAMPLES = 20;  // below this, nothing is called certain

/**
 * @typedef {object} Tree
 * @property {number} size nodes, with the root
 * @property {number} rows depth of the deepest node, plus 1
 * @property {Int32Array} depth 0 for the root
 * @property {Int32Array} parent -1 for the root
 * @property {Int32Array} end the first node behind the subtree of a node, as nodes are in preorder
 * @property {Int32Array} functionOf -1 for the root
 * @property {Float64Array} own weight of the samples in the node itself
 * @property {Uint32Array} ownSamples
 * @property {Map<number, {low: number, high: number, tied: boolean}>} known by node: the interval
 *     of the share of a node with its callees, and whether it is perhaps as large as the sibling
 *     before it
 */

/**
 * @param {any} columns `tree` of an event
 * @returns {Tree}
 */
export function decodeTree(columns) {
  const size = columns.depth.length + 1;
  /** @type {Tree} */
  const tree = {
    size,
    rows: 1,
    depth: new Int32Array(size),
    parent: new Int32Array(size).fill(-1),
    end: new Int32Array(size).fill(size),
    functionOf: new Int32Array(size).fill(-1),
    own: new Float64Array(size),
    ownSamples: new Uint32Array(size),
    known: new Map(),
  };
  tree.functionOf.set(columns.function, 1);
  tree.own.set(columns.self, 1);
  tree.ownSamples.set(columns.samples, 1);
  link(tree, columns.depth);
  const {node, low, high, tied} = columns.known;
  for (let i = 0; i < node.length; ++i)
    if (low[i] !== null && high[i] !== null)
      tree.known.set(node[i] + 1, {low: low[i], high: high[i], tied: tied[i] === 1});
  return tree;
}

// Finds parents and ends of subtrees from the depths in preorder.
function link(tree, depths) {
  const {depth, parent, end} = tree;
  let before = 0;
  for (let node = 1; node < tree.size; ++node) {
    depth[node] = depths[node - 1] + 1;
    while (depth[before] >= depth[node]) {  // the subtrees of these are complete
      end[before] = node;
      before = parent[before];
    }
    parent[node] = before;
    if (depth[node] >= tree.rows) tree.rows = depth[node] + 1;
    before = node;
  }
}

/**
 * Samples over time, an entry for each slice of time, thread and node.
 * @typedef {object} Slices
 * @property {number} start start of the first slice (ns)
 * @property {number} width of a slice (ns)
 * @property {number} count slices
 * @property {number} leastShare stacks with a smaller share are counted at a caller; 0: none are
 * @property {Int32Array} slice
 * @property {Int32Array} thread
 * @property {Int32Array} node
 * @property {Uint32Array} samples
 * @property {Float64Array} weight
 */

/**
 * @param {any} columns `slices` of an event, or null
 * @returns {Slices | null}
 */
export function decodeSlices(columns) {
  if (!columns || columns.count < 1) return null;
  const slice = Int32Array.from(columns.slice);
  for (let i = 1; i < slice.length; ++i) slice[i] += slice[i - 1];
  const node = Int32Array.from(columns.node);
  for (let i = 0; i < node.length; ++i) ++node[i];
  return {
    start: columns.start_ns,
    width: columns.slice_ns,
    count: columns.count,
    leastShare: columns.least_share,
    slice,
    thread: Int32Array.from(columns.thread),
    node,
    samples: Uint32Array.from(columns.samples),
    weight: Float64Array.from(columns.weight),
  };
}

/**
 * What is chosen of the samples.
 * @typedef {object} Choice
 * @property {number} from first slice
 * @property {number} to the slice behind the last one
 * @property {Uint8Array | null} threads 1 for each chosen thread; null: all
 */

/**
 * @param {Slices} slices
 * @param {Choice} choice
 * @returns {Int32Array} the chosen entries
 */
export function chosenEntries(slices, choice) {
  const chosen = new Int32Array(slices.slice.length);
  let count = 0;
  for (let i = 0; i < chosen.length; ++i) {
    const inTime = slices.slice[i] >= choice.from && slices.slice[i] < choice.to;
    if (inTime && (!choice.threads || choice.threads[slices.thread[i]])) chosen[count++] = i;
  }
  return chosen.subarray(0, count);
}

/**
 * Figures of each node. `squares` is the sum of the squares of the samples' weights: a sample that
 * stands for much makes a share less certain.
 * @typedef {object} Figures
 * @property {boolean} whole of all samples: the intervals of the program hold
 * @property {Uint32Array} ownSamples
 * @property {Uint32Array} samples with all callees
 * @property {Float64Array} total weight with all callees
 * @property {Float64Array} squares with all callees
 */

/**
 * @param {Tree} tree
 * @returns {Figures}
 */
export function figuresOfAll(tree) {
  const figures = noFigures(tree, true);
  figures.ownSamples.set(tree.ownSamples);
  figures.total.set(tree.own);
  for (let node = 0; node < tree.size; ++node)
    if (tree.ownSamples[node] > 0)
      figures.squares[node] = tree.own[node] ** 2 / tree.ownSamples[node];
  addCallees(tree, figures);
  return figures;
}

/**
 * @param {Tree} tree
 * @param {Slices} slices
 * @param {Int32Array} entries
 * @returns {Figures}
 */
export function figuresOfEntries(tree, slices, entries) {
  const figures = noFigures(tree, false);
  for (const entry of entries) {
    const node = slices.node[entry];
    const samples = slices.samples[entry];
    figures.ownSamples[node] += samples;
    figures.total[node] += slices.weight[entry];
    if (samples > 0) figures.squares[node] += slices.weight[entry] ** 2 / samples;
  }
  addCallees(tree, figures);
  return figures;
}

function noFigures(tree, whole) {
  return {
    whole,
    ownSamples: new Uint32Array(tree.size),
    samples: new Uint32Array(tree.size),
    total: new Float64Array(tree.size),
    squares: new Float64Array(tree.size),
  };
}

// In preorder, all callees come behind their caller.
function addCallees(tree, {ownSamples, samples, total, squares}) {
  samples.set(ownSamples);
  for (let node = tree.size - 1; node > 0; --node) {
    if (samples[node] === 0 && total[node] === 0) continue;
    const caller = tree.parent[node];
    samples[caller] += samples[node];
    total[caller] += total[node];
    squares[caller] += squares[node];
  }
}

/**
 * Wilson's interval of a share. n is the number of equal samples that would know the share as well
 * as these do (docs/explanation/profile-accuracy.md), and never more than there are.
 * @param {{total: number, squares: number}} part
 * @param {{total: number, squares: number, samples: number}} all
 * @returns {[number, number]}
 */
export function shareInterval(part, all) {
  if (!(all.total > 0)) return [0, 1];
  const p = Math.min(1, part.total / all.total);
  const others = Math.max(0, all.squares - part.squares);
  const variance = ((1 - p) ** 2 * part.squares + p ** 2 * others) / all.total ** 2;
  const kish = all.total ** 2 / all.squares;
  const n = Math.min(all.samples, variance > 0 ? p * (1 - p) / variance : kish);
  if (!(n > 0)) return [0, 1];
  const middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
  const half = Z * Math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n);
  return [p === 0 ? 0 : Math.max(0, middle - half), p === 1 ? 1 : Math.min(1, middle + half)];
}

/**
 * Whether two parts of all samples that exclude each other may be equally large: the interval of
 * the difference of their shares includes 0, or they have too few samples.
 * @param {{total: number, samples: number, squares: number}} larger
 * @param {{total: number, samples: number, squares: number}} smaller
 * @param {{total: number, squares: number}} all
 */
export function mayBeEqual(larger, smaller, all) {
  if (larger.samples + smaller.samples < FEW_SAMPLES) return true;
  const difference = (larger.total - smaller.total) / all.total;
  const variance = (larger.squares + smaller.squares) / all.total ** 2 -
      difference ** 2 * all.squares / all.total ** 2;
  return difference <= Z * Math.sqrt(Math.max(0, variance));
}

/**
 * The part of the event that no sample can show may belong to any row.
 * @param {[number, number]} interval
 * @param {number} unsampled upper bound of this part, 0 to 1
 * @returns {[number, number]}
 */
export function withUnsampled([low, high], unsampled) {
  return [low * (1 - unsampled), high + (1 - high) * unsampled];
}

/**
 * The same for chosen samples: all events that no sample shows may belong to them.
 * @param {number} unsampled upper bound for the whole recording, 0 to 1
 * @param {number} whole weight of all samples
 * @param {number} chosen weight of the chosen samples
 */
export function unsampledOfPart(unsampled, whole, chosen) {
  const missed = unsampled < 1 ? whole * unsampled / (1 - unsampled) : Infinity;
  return missed > 0 ? 1 / (1 + chosen / missed) : 0;
}

/**
 * What stacks with a matching function have together. Each sample counts once.
 * @param {Tree} tree
 * @param {Figures} figures
 * @param {Uint8Array} matches 1 for each matching function
 */
export function matchedPart(tree, figures, matches) {
  const part = {total: 0, samples: 0, squares: 0};
  for (let node = 1; node < tree.size;) {
    if (!matches[tree.functionOf[node]]) {
      ++node;
      continue;
    }
    part.total += figures.total[node];
    part.samples += figures.samples[node];
    part.squares += figures.squares[node];
    node = tree.end[node];
  }
  return part;
}

/** The figures of one node, for shareInterval() and mayBeEqual(). */
export function partOf(figures, node) {
  return {
    total: figures.total[node],
    samples: figures.samples[node],
    squares: figures.squares[node],
  };
}

/** The callers of a node, outermost first, with the root and the node itself. */
export function pathTo(tree, node) {
  const path = [];
  for (let at = node; at >= 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** @returns {number} the caller of a node at a depth, or the node itself */
export function callerAt(tree, node, depth) {
  let at = node;
  while (tree.depth[at] > depth) at = tree.parent[at];
  return at;
}
