// Samples over time, a row for each of the busiest threads. A brush, or two fields for numbers,
// choose a stretch of time; the name of a thread chooses the thread.
import {axisBottom} from "d3-axis";
import {brushX} from "d3-brush";
import {scaleLinear} from "d3-scale";
import {event as brushEvent, select} from "d3-selection";
import {element, svg} from "./elements.js";
import {shortened, shownName} from "./names.js";
import {brief, plural, seconds, whole} from "./numbers.js";
import {startOf, TimeFields} from "./time_fields.js";

const MOST_ROWS = 12;
const ROW = 24;  // height in pixels, as .thread-names button in style.css
const AXIS = 22;
const LETTER = 7.5;  // width that a letter of 12 pixels takes at most, on average

/**
 * The busiest threads, and the rest as one row.
 * @param {import("./call_tree.js").Slices} slices
 * @param {number} threads
 * @returns {{order: number[], rows: {threads: number[], samples: number}[]}}
 */
export function rowsOfThreads(slices, threads) {
  const samples = new Float64Array(threads);
  for (let i = 0; i < slices.thread.length; ++i) samples[slices.thread[i]] += slices.samples[i];
  const order = [...samples.keys()].sort((a, b) => samples[b] - samples[a] || a - b);
  const busy = order.filter((thread) => samples[thread] > 0);
  const single = busy.length <= MOST_ROWS ? busy.length : MOST_ROWS - 1;
  const rows =
      busy.slice(0, single).map((thread) => ({threads: [thread], samples: samples[thread]}));
  const rest = busy.slice(single);
  if (rest.length > 0) {
    const sum = rest.reduce((total, thread) => total + samples[thread], 0);
    rows.push({threads: rest, samples: sum});
  }
  return {order, rows};
}

// Samples in each slice, for each row.
function bars(slices, rows, threads) {
  const rowOf = new Int32Array(threads).fill(-1);
  rows.forEach((row, index) => row.threads.forEach((thread) => rowOf[thread] = index));
  const counts = rows.map(() => new Float64Array(slices.count));
  for (let i = 0; i < slices.slice.length; ++i)
    if (rowOf[slices.thread[i]] >= 0)
      counts[rowOf[slices.thread[i]]][slices.slice[i]] += slices.samples[i];
  return counts;
}

export class Timeline {
  /**
   * @param {Element} parent
   * @param {any[]} threads of the profile
   * @param {object} handlers
   * @param {(from: number, to: number) => void} handlers.onTime slices
   * @param {(thread: number) => void} handlers.onThread
   */
  constructor(parent, threads, handlers) {
    this.threads = threads;
    this.handlers = handlers;
    this.names = element("div", {class: "thread-names"});
    this.plot = element("div", {class: "thread-plot"});
    this.fields = new TimeFields({
      onTime: (from, to) => this.choose(from, to),
      onFault: (fault) => this.refuse(fault),
    });
    this.clear = element(
        "button", {type: "button", id: "time-clear", onclick: () => this.all()}, "All of the time");
    this.note = element("span", {class: "note", role: "status"});
    parent.append(
        element("div", {class: "timeline"}, this.names, this.plot),
        element("p", {class: "note"}, howToChoose(threads.length)),
        element("div", {class: "controls"}, ...this.fields.nodes, this.clear, this.note));
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  /**
   * @param {import("./call_tree.js").Slices} slices
   * @param {{threads: number[], samples: number}[]} rows
   * @param {import("./call_tree.js").Choice} choice
   */
  show(slices, rows, choice) {
    if (this.slices !== slices) {
      this.slices = slices;
      this.rows = rows;
      this.counts = bars(slices, rows, this.threads.length);
      this.drawNames();
      this.width = 0;
    }
    this.choice = choice;
    this.fault = null;  // why the last typed time was refused
    this.mark();
    this.draw();
  }

  drawNames() {
    this.names.replaceChildren(...this.rows.map((row) => {
      const samples = whole(row.samples);
      if (row.threads.length > 1)
        return element(
            "span", {class: "rest"}, `${plural(row.threads.length, "other thread")}: ${samples}`);
      const {name, tid} = this.threads[row.threads[0]];
      return element(
          "button", {
            type: "button",
            "data-thread": row.threads[0],
            title: `${shownName(name)}, thread ${tid}: ${plural(row.samples, "sample")}`,
            onclick: () => this.handlers.onThread(row.threads[0]),
          },
          element("span", {class: "thread-name"}, `${shownName(name)} ${tid}`),
          element("span", {class: "thread-samples"}, samples));
    }));
  }

  // Shows the choice in the fields and at the names.
  mark() {
    const {slices, choice} = this;
    const all = choice.from === 0 && choice.to === slices.count;
    this.fields.show(slices, choice);
    this.clear.disabled = all;
    for (const button of this.names.querySelectorAll("button")) {
      const chosen = choice.threads !== null && choice.threads[+button.dataset.thread] === 1;
      button.setAttribute("aria-pressed", String(chosen));
    }
  }

  refuse(fault) {
    this.fault = fault;
    this.tell();
  }

  // At least one slice, inside the recording.
  choose(from, to) {
    const begin = Math.max(0, Math.min(this.slices.count - 1, from));
    const end = Math.max(begin + 1, Math.min(this.slices.count, to));
    this.handlers.onTime(begin, end);
  }

  all() { this.handlers.onTime(0, this.slices.count); }

  draw() {
    if (!this.slices || this.plot.clientWidth < 20) return;
    if (this.width !== this.plot.clientWidth) this.drawBars();
    this.moveBrush();
    this.tell();
  }

  tell() {
    this.note.classList.toggle("fault", this.fault !== null);
    this.note.textContent =
        this.fault ? `Refused: ${this.fault}. The times are as before.` : this.shownTime();
  }

  shownTime() {
    const {slices, choice} = this;
    const lengthOf = (count) => duration(count * slices.width / 1e9);
    if (choice.from === 0 && choice.to === slices.count)
      return `Shown: all of the time. A bar is ${lengthOf(this.slicesInBar())}.`;
    return `Shown: ${startOf(choice.from, slices)} s to ${startOf(choice.to, slices)} s ` +
        `(${lengthOf(choice.to - choice.from)}), in whole slices of ${lengthOf(1)}.`;
  }

  drawBars() {
    const {slices, rows, counts} = this;
    this.width = this.plot.clientWidth;
    const height = rows.length * ROW;
    const length = slices.count * slices.width / 1e9;
    this.x = scaleLinear().domain([0, slices.count]).range([1, this.width - 1]);
    const time = scaleLinear().domain([0, length]).range(this.x.range());
    const picture = svg("svg", {
      class: "chart",
      width: this.width,
      height: height + AXIS,
      role: "img",
      "aria-label": this.finding()
    });
    const heights = counts.map((row) => summed(row, this.slicesInBar()));
    const most = heights.reduce((a, row) => row.reduce((b, count) => Math.max(b, count), a), 1);
    heights.forEach((row, index) => {
      const bottom = (index + 1) * ROW - 1;
      picture.append(
          svg("line", {class: "base", x1: 0, x2: this.width, y1: bottom + 0.5, y2: bottom + 0.5}),
          svg("path", {class: "bars", d: barsPath(row, bottom, most, this.x, this.slicesInBar())}));
    });
    const axis = secondsAxis(time, this.width);
    axis.setAttribute("transform", `translate(0,${height})`);
    this.brush = brushX()
                     .extent([[this.x.range()[0], 0], [this.x.range()[1], height]])
                     .on("end", () => this.brushed());
    this.brushGroup = svg("g", {class: "brush"});
    select(this.brushGroup).call(this.brush);
    picture.append(axis, this.brushGroup);
    this.plot.replaceChildren(picture);
  }

  // A bar is at least two pixels wide.
  slicesInBar() {
    return Math.max(1, Math.ceil(this.slices.count * 2 / Math.max(2, this.plot.clientWidth)));
  }

  finding() {
    const {slices, rows} = this;
    const first = rows[0];
    if (!first) return "There are no samples.";
    const name = first.threads.length === 1 ? shownName(this.threads[first.threads[0]].name) : "";
    return `Samples over ${duration(slices.count * slices.width / 1e9)} in ` +
        `${plural(rows.length, "row")}. The busiest thread is ${name} with ` +
        `${plural(first.samples, "sample")}.`;
  }

  moveBrush() {
    const {choice, slices} = this;
    const all = choice.from === 0 && choice.to === slices.count;
    this.moving = true;
    select(this.brushGroup).call(this.brush.move, all ? null : [
      this.x(choice.from), this.x(choice.to)
    ]);
    this.moving = false;
  }

  // A click without a movement changes nothing.
  brushed() {
    if (this.moving) return;
    const {selection} = brushEvent;
    if (!selection) return this.moveBrush();
    const [from, to] = selection.map((place) => this.x.invert(place));
    this.choose(Math.round(from), Math.max(Math.round(from) + 1, Math.round(to)));
  }
}

function howToChoose(threads) {
  const time = "Drag over a stretch of time to choose it, or type its ends.";
  return threads > 1 ? `${time} A click on a thread's name chooses the thread.` : time;
}

/** "22 µs", "1.5 ms", "2.001 s" */
export function duration(time) {
  if (time >= 1) return seconds(time);
  return time >= 1e-3 ? `${brief(time * 1e3)} ms` : `${brief(time * 1e6)} µs`;
}

// An axis whose first and last label stay inside the picture.
function secondsAxis(scale, width) {
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
    "aria-label": `Threads: ${names.slice(0, MOST_ROWS).join(", ")}`
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

// Sums neighbouring slices.
function summed(counts, slicesInBar) {
  const sums = new Float64Array(Math.ceil(counts.length / slicesInBar));
  counts.forEach((count, slice) => sums[Math.floor(slice / slicesInBar)] += count);
  return sums;
}

function barsPath(counts, bottom, most, scale, slicesInBar) {
  let path = "";
  counts.forEach((count, index) => {
    if (count === 0) return;
    const height = Math.max(1, count / most * (ROW - 4));
    const left = scale(index * slicesInBar);
    const right = Math.min(scale((index + 1) * slicesInBar), scale.range()[1]);
    const gap = right - left > 4 ? 1 : 0;
    path += `M${left.toFixed(2)},${bottom}v${- height.toFixed(2)}H${(right - gap).toFixed(2)}` +
        `V${bottom}Z`;
  });
  return path;
}
