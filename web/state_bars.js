// What the timeline shows of states: for each thread, when it ran, was ready, and waited. Draws
// what thread_states.js computes, and its legend.
import {readCells} from "./cell_readout.js";
import {element, svg} from "./elements.js";
import {hatching} from "./hatching.js";
import {plural, seconds} from "./numbers.js";
import {baseLine, bottomOf, FULL_HEIGHT, ROW} from "./sample_bars.js";
import * as threadStates from "./thread_states.js";

/** @typedef {import("./thread_states.js").States} States */
/** @typedef {import("./sample_bars.js").Place} Place */

const {STATES, UNKNOWN} = threadStates;
const MEANINGS =
    ["running", "ready (it had work, but no CPU)", "waiting", "unknown (records were lost)"];
const LEAST_RUNNING = 1;  // height in pixels, so that a short burst can be seen

/**
 * @param {any} columns `states` of the profile
 * @param {any[]} threads of the profile
 * @returns {import("./sample_bars.js").Bars & {sentence: string, legend: Element,
 *     read: (picture: SVGElement, place: Place) => Element}}
 */
export function stateBars(columns, threads) {
  const states = threadStates.decodeStates(columns);
  const sentence = threadStates.findingOf(states, threads);
  return {
    rows: states.rows.map((row) => ({
                            thread: row.thread,
                            name: threadStates.nameOfRow(row, threads),
                            figure: seconds(row.total[0] / 1e9),
                            title: threadStates.titleOfRow(row, threads),
                          })),
    finding: `${threadStates.whatIsShown(states)} ${sentence} The arrow keys go from bar to bar.`,
    sentence,
    legend: legend(states),
    draw: (place) => states.rows.flatMap((row, index) => drawRow(states, row, index, place)),
    read: (picture, place) => read(picture, states, threads, place),
  };
}

// A state reaches from the bottom to its top, and those below it in the stack cover it. So no
// background shines through between them.
function drawRow(states, row, index, place) {
  const shares = threadStates.stacked(row, states, place.slicesInBar);
  const tops = STATES.map(() => new Float64Array(shares[0].length));
  shares[0].forEach((_, bar) => {
    let top = 0;
    STATES.forEach((_, state) => {
      top += shares[state][bar] * FULL_HEIGHT;
      if (state === 0 && top > 0) top = Math.max(top, LEAST_RUNNING);
      tops[state][bar] = Math.min(top, FULL_HEIGHT);
    });
  });
  const nodes = [baseLine(index, place.scale)];
  for (let state = STATES.length - 1; state >= 0; --state) {
    const path = pathOf(shares[state], tops[state], bottomOf(index), place);
    if (path !== "") nodes.push(...filled(state, path));
  }
  return nodes;
}

function filled(state, d) {
  if (state !== UNKNOWN) return [svg("path", {class: `state ${STATES[state]}`, d})];
  const pattern = hatching();
  return [pattern, svg("path", {class: "state unknown", d, fill: `url(#${pattern.id})`})];
}

function pathOf(shares, tops, bottom, place) {
  let path = "";
  shares.forEach((share, bar) => {
    if (share === 0) return;
    const {left, right} = endsOf(bar, place);
    path += `M${left},${bottom}v${- tops[bar].toFixed(2)}H${right}V${bottom}Z`;
  });
  return path;
}

// Whole pixels, so that neighbours touch without a seam.
function endsOf(bar, {scale, slicesInBar}) {
  const [least, most] = scale.range();
  const at = (slice) => Math.round(Math.max(least, Math.min(most, scale(slice))));
  return {left: at(bar * slicesInBar), right: at((bar + 1) * slicesInBar)};
}

function read(picture, states, threads, place) {
  const {scale, slicesInBar} = place;
  const slicesOf = (column) => [column * slicesInBar, (column + 1) * slicesInBar];
  return readCells(picture, {
    rows: states.rows.length,
    columns: Math.ceil(states.count / slicesInBar),
    at: (x, y) => ({row: Math.floor(y / ROW), column: Math.floor(scale.invert(x) / slicesInBar)}),
    boxOf: (row, column) => {
      const {left, right} = endsOf(column, place);
      const top = bottomOf(row) - FULL_HEIGHT;
      return {x: left - 1, y: top - 1, width: right - left + 2, height: FULL_HEIGHT + 2};
    },
    textOf: (row, column) => {
      const [from, to] = slicesOf(column);
      const name = threadStates.nameOfRow(states.rows[row], threads);
      return `${name}, ${threadStates.timeOfBar(states, from, to)}:\n` +
          threadStates.textOfBar(states.rows[row], states, from, to);
    },
  });
}

/** @param {States} states */
function legend({threads, total}) {
  const shown =
      STATES.map((_, state) => state).filter((state) => state !== UNKNOWN || total[state] > 0);
  return element(
      "ul", {class: "key", "aria-label": "Colours of the states"},
      element("li", {}, `Time of ${plural(threads, "thread")}:`),
      ...shown.map(
          (state) => element(
              "li", {}, swatch(state), `${MEANINGS[state]}: ${seconds(total[state] / 1e9)}`)));
}

function swatch(state) {
  return svg(
      "svg", {class: "chart swatch", width: 28, height: 14, "aria-hidden": "true"},
      ...filled(state, "M0,0H28V14H0Z"));
}
