// Axes below pictures over time: seconds, or which thread is where.
import {axisBottom} from "d3-axis";
import {scaleLinear} from "d3-scale";
import {select} from "d3-selection";
import {svg} from "./elements.js";
import {shortened} from "./names.js";
import {seconds} from "./numbers.js";

export const AXIS = 22;  // height in pixels
const LETTER = 7.5;      // width that a letter of 12 pixels takes at most, on average
const MOST_NAMES = 12;   // in the words that describe the picture

/**
 * An axis whose first and last label stay inside the picture.
 * @param {any} scale from seconds to pixels
 * @param {number} width of the picture, in pixels
 */
export function secondsAxis(scale, width) {
  const axis = svg("g", {class: "axis"});
  const ticks = scale.ticks(Math.max(2, width / 110));
  const written = scale.tickFormat(ticks.length);
  select(axis).call(axisBottom(scale).tickValues(ticks).tickSizeOuter(0).tickFormat(
      (value) => `${written(value)} s`));
  for (const name of ["font-size", "font-family", "fill"]) axis.removeAttribute(name);
  const labels = [...axis.querySelectorAll("text")];
  labels.forEach((label, index) => {
    if (scale(ticks[index]) < 25)
      label.setAttribute("text-anchor", "start");
    else if (scale(ticks[index]) > width - 25)
      label.setAttribute("text-anchor", "end");
  });
  return axis;
}

/**
 * The axis below the frames of one thread.
 * @param {number[]} range seconds from the start of the recording
 * @param {number} width in pixels
 */
export function timeRuler(range, width) {
  return svg(
      "svg", {
        class: "chart",
        width,
        height: AXIS,
        role: "img",
        "aria-label": `Time, from ${seconds(range[0])} to ${seconds(range[1])}`
      },
      secondsAxis(scaleLinear().domain(range).range([0, width]), width));
}

/**
 * Says which thread is where below the frames of several threads.
 * @param {string[]} names
 * @param {number[]} ends of the threads, ascending
 * @param {number[]} range that is shown, on the same scale
 * @param {number} width in pixels
 */
export function threadRuler(names, ends, range, width) {
  const scale = scaleLinear().domain(range).range([0, width]).clamp(true);
  const picture = svg("svg", {
    class: "chart",
    width,
    height: AXIS,
    role: "img",
    "aria-label": `Threads: ${names.slice(0, MOST_NAMES).join(", ")}`
  });
  names.forEach((name, index) => {
    const left = scale(index === 0 ? 0 : ends[index - 1]);
    const right = scale(ends[index]);
    if (right - left < 2) return;
    picture.append(svg("path", {class: "extent", d: `M${left + 1},0v5H${right - 1}v-5`}));
    const room = Math.floor((right - left - 4) / LETTER);
    if (room >= 3)
      picture.append(
          svg("text", {class: "thread", x: left + 3, y: AXIS - 4}, shortened(name, room)));
  });
  return picture;
}
