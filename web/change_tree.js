// The call trees of two programs, laid over each other: totals before and after, what was tested,
// and where frames are in the picture. Pure functions. Node 0 is the root, above all outermost
// frames.

const LEAST_WIDTH = 1;  // pixels; a narrower frame is not drawn, and its callees are not either

/**
 * @typedef {object} ChangeTree
 * @property {number} size nodes, with the root
 * @property {Int32Array} depth 0 for the root
 * @property {Int32Array} parent -1 for the root
 * @property {Int32Array} end the first node behind the subtree, as nodes are in preorder
 * @property {Int32Array} functionOf -1 for the root
 * @property {Float64Array} before events of a node with its callees, as a mean over recordings
 * @property {Float64Array} after
 * @property {Float64Array} low 95 % interval of after - before; NaN if it was not tested
 * @property {Float64Array} high
 * @property {Int8Array} changed 1 if the change is significant, 0 if not, -1 if not tested
 */

/**
 * @param {any} columns `tree` of a page's profile
 * @param {{changed: boolean | null, count_gained: {ci95: number[] | null}}} all the change of
 *     everything, which is that of the root
 * @returns {ChangeTree}
 */
export function decodeChanges(columns, all) {
  const size = (columns?.depth.length ?? 0) + 1;
  const tree = {
    size,
    depth: new Int32Array(size),
    parent: new Int32Array(size).fill(-1),
    end: new Int32Array(size).fill(size),
    functionOf: new Int32Array(size).fill(-1),
    before: new Float64Array(size),
    after: new Float64Array(size),
    low: new Float64Array(size).fill(NaN),
    high: new Float64Array(size).fill(NaN),
    changed: new Int8Array(size).fill(-1),
  };
  for (let node = 1; node < size; ++node) {
    tree.functionOf[node] = columns.function [node - 1];
    tree.before[node] = columns.before[node - 1];
    tree.after[node] = columns.after[node - 1];
  }
  link(tree, columns?.depth ?? []);
  for (let node = size - 1; node > 0; --node) {
    tree.before[tree.parent[node]] += tree.before[node];
    tree.after[tree.parent[node]] += tree.after[node];
  }
  setTested(tree, 0, all.count_gained.ci95 ?? [null, null], all.changed);
  const known = columns?.known ?? {node: []};
  known.node.forEach(
      (node, i) => setTested(tree, node + 1, [known.low[i], known.high[i]], known.changed[i]));
  return tree;
}

// Finds parents and ends of subtrees from the depths in preorder.
function link(tree, depths) {
  const open = [0];  // by depth, the node whose subtree is not complete
  for (let node = 1; node < tree.size; ++node) {
    const depth = depths[node - 1] + 1;
    for (let at = depth; at < open.length; ++at) tree.end[open[at]] = node;
    open.length = depth;
    tree.depth[node] = depth;
    tree.parent[node] = open[depth - 1];
    open.push(node);
  }
}

function setTested(tree, node, interval, changed) {
  tree.low[node] = interval[0] ?? NaN;
  tree.high[node] = interval[1] ?? NaN;
  tree.changed[node] = changed === null ? -1 : Number(changed);
}

/** @returns {boolean} */
export function isSignificant(tree, node) { return tree.changed[node] === 1; }

/** @returns {number} of all significant changes the largest, in events */
export function largestChange(tree) {
  let largest = 0;
  for (let node = 0; node < tree.size; ++node)
    if (isSignificant(tree, node))
      largest = Math.max(largest, Math.abs(tree.after[node] - tree.before[node]));
  return largest;
}

/**
 * @returns {number[]} frames without a time after, but with a caller that has one; largest first
 */
export function vanished(tree) {
  const found = [];
  for (let node = 1; node < tree.size; ++node)
    if (tree.after[node] === 0 && tree.before[node] > 0 &&
        (tree.parent[node] === 0 || tree.after[tree.parent[node]] > 0))
      found.push(node);
  return found.sort((a, b) => tree.before[b] - tree.before[a]);
}

/** The callers of a node, outermost first, and the node itself. The root is not among them. */
export function pathTo(tree, node) {
  const path = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/**
 * A frame of the picture.
 * @typedef {{node: number, row: number, x: number, width: number}} Frame
 */

/**
 * Places the frames of a node and its callees. Its callers are above it, over the whole width.
 * @param {ChangeTree} tree
 * @param {Float64Array} total which time is the width: tree.before or tree.after
 * @param {number} zoomed the node that has the whole width
 * @param {number} width in pixels
 * @returns {Frame[]} row by row, from left to right
 */
export function placeFrames(tree, total, zoomed, width) {
  const x = new Float64Array(tree.size);
  const next = new Float64Array(tree.size);  // where the next callee begins
  const frames = [];
  for (let at = zoomed; at >= 0; at = tree.parent[at])
    frames.push({node: at, row: tree.depth[at], x: 0, width});
  if (!(total[zoomed] > 0)) return frames.reverse();
  const scale = width / total[zoomed];
  for (let node = zoomed + 1; node < tree.end[zoomed]; ++node) {
    const wide = total[node] * scale;
    if (wide < LEAST_WIDTH) {
      node = tree.end[node] - 1;
      continue;
    }
    const caller = tree.parent[node];
    x[node] = next[caller];
    next[caller] += wide;
    next[node] = x[node];
    frames.push({node, row: tree.depth[node], x: x[node], width: wide});
  }
  return frames.sort((a, b) => a.row - b.row || a.x - b.x);
}
