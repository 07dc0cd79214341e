// The ruler below frames in the order of time: seconds for one thread, else where each thread is.
import {shownRange} from "./flame_layout.js";
import {threadName} from "./thread_choice.js";
import {duration} from "./time_fields.js";
import {threadRuler, timeRuler} from "./time_rulers.js";

/**
 * @param {import("./frame_facts.js").View} view
 * @param {import("./call_tree.js").Choice} choice
 * @param {{node: number, first: number, last: number} | null} zoom
 * @param {number} width in pixels
 * @returns {SVGElement}
 */
export function flameRuler({profile, data, sequence}, choice, zoom, width) {
  const range = shownRange(sequence, zoom);
  if (hasTimes(sequence))
    return timeRuler(range.map((place) => (choice.from + place) * data.slices.width / 1e9), width);
  const names = sequence.threads.map((thread) => threadName(profile.threads[thread]));
  return threadRuler(names, sequence.threadEnds, range, width);
}

/** What the horizontal axis is. */
export function axisText(sequence, slices) {
  const what = hasTimes(sequence) ?
      "The horizontal axis is time. A sample reaches to the next one. A stretch of more than " +
          `${duration(sequence.reach * slices.width / 1e9)} without samples is empty.` :
      "Threads follow each other, each in the order of time; widths are shares of samples. " +
          "Choose one thread to see it over time.";
  return `${what} Widths have no intervals here.`;
}

function hasTimes(sequence) { return sequence.threads.length === 1; }
