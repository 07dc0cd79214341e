// The scale of a row over time. A stretch that is much shorter than the others may have a rate far
// above the possible, because few events decide it. It does not set the scale. Pure functions.
import {extent} from "./chart.js";
import {isNumber} from "./numbers.js";

const SHORT = 1 / 4;    // of the median length: rates of counts then vary twice as much
const MOST_HEIGHT = 4;  // of an interval's end, in largest figures
const NOTABLE = 1.01;   // of the top: what is less above it cannot be seen, and may be rounding

/** @typedef {import("./time_tracks.js").Track} Track */

/**
 * How long a stretch of a track must be to set the scale, in seconds.
 * @param {Track} track
 */
export function leastLength({start, end}) {
  const lengths = start.map((from, index) => end[index] - from).sort((a, b) => a - b);
  return SHORT * lengths[lengths.length >> 1];
}

/**
 * The top of the scale for the stretches of a view; 0 if their figures are 0.
 * @param {Track} track
 * @param {number} first
 * @param {number} last behind the last one
 * @param {number} least length of a stretch that sets the scale, if there is one
 */
export function topOf({start, end, figure, high}, first, last, least) {
  const all = [...start.keys()].slice(first, last);
  const long = all.filter((index) => end[index] - start[index] >= least);
  const largest = (indices) => extent([0, ...indices.map((index) => figure[index])])[1];
  const shown = long.some((index) => figure[index] > 0) ? long : all;
  const top = largest(shown);
  // An interval may be hundreds of times as wide as its figure: it then leaves the picture.
  const ends = shown.map((index) => high?.[index]).filter(isNumber);
  return Math.max(top, Math.min(extent([0, ...ends])[1], MOST_HEIGHT * top));
}

/**
 * The stretches whose figures are visibly above the top of the scale.
 * @param {Track} track
 * @param {number} first
 * @param {number} last behind the last one
 * @param {number} top
 * @returns {number[]} their indices
 */
export function beyondTop({start, figure}, first, last, top) {
  return [...start.keys()].slice(first, last).filter((index) => figure[index] > NOTABLE * top);
}
