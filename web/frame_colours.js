// Colours of frames: one for each module, of a palette that colour-blind people can tell apart
// (after Paul Tol's "light" scheme). The kernel differs by lightness. Text has WCAG AA contrast.

import {luminance, mixed, cssValue, readable} from "./colours.js";

// Modules, then the kernel, then code without a module.
const LIGHT = [
  "#9dbfe6", "#f0b394", "#9ed6c0", "#ecdf9f", "#efb8c4", "#b5e0f5", "#d0d77e", "#c9b8e0", "#5d6772",
  "#d5d9de"
];
const DARK = [
  "#2b578a", "#85482a", "#1f6650", "#6b5f1f", "#7c3d50", "#1f6177", "#525f1c", "#5c4783", "#c3cad2",
  "#3a424c"
];
const MODULES = LIGHT.length - 2;
const KERNEL_SLOT = MODULES;
export const UNKNOWN_SLOT = MODULES + 1;
const PALER = 0.6;  // how far frames with few samples go to the background

/**
 * The slot of the palette for each module. A module's name decides; if two of the hottest modules
 * have the same slot, the colder one takes the next free slot.
 * @param {string[]} modules
 * @param {Float64Array} weights of the modules' own samples
 * @returns {Uint8Array}
 */
export function slotsOfModules(modules, weights) {
  const slots = new Uint8Array(modules.length);
  const taken = new Set();
  const order = [...modules.keys()].sort((a, b) => weights[b] - weights[a] || a - b);
  for (const module of order) {
    slots[module] = slotOf(modules[module]);
    if (slots[module] >= MODULES || taken.size === MODULES) continue;
    while (taken.has(slots[module])) slots[module] = (slots[module] + 1) % MODULES;
    taken.add(slots[module]);
  }
  return slots;
}

function slotOf(name) {
  if (/^\[(kernel|guest\.kernel)|\.ko(\.\w+)?\]?$/.test(name)) return KERNEL_SLOT;
  if (name === "" || name === "[unknown]") return UNKNOWN_SLOT;
  let hash = 2166136261;  // FNV-1a
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  return ((hash ^ (hash >>> 15)) >>> 0) % MODULES;
}

/**
 * @typedef {object} Look
 * @property {string} fill
 * @property {string} text
 */

/**
 * The colours of the page as they are now.
 * @typedef {object} Theme
 * @property {string} back
 * @property {string} text
 * @property {string} quiet
 * @property {string} line
 * @property {string} focus
 * @property {Look[]} solid by slot
 * @property {Look[]} pale by slot, for few samples
 * @property {Look} matched
 */

/** @returns {Theme} */
export function readTheme() {
  const [back, text, orange] = ["--back", "--text", "--orange"].map(cssValue);
  const fills = luminance(back) < 0.5 ? DARK : LIGHT;
  const look = (fill) => ({fill, text: readable(fill, text, back)});
  return {
    back,
    text,
    quiet: cssValue("--quiet"),
    line: cssValue("--line"),
    focus: cssValue("--focus"),
    solid: fills.map(look),
    pale: fills.map((fill) => look(mixed(fill, back, PALER))),
    matched: look(orange),
  };
}
