// Threads over time, a row for each of the busiest: their states if they are known, else samples. A
// brush, or two fields for numbers, choose a stretch of time; the name of a thread chooses the
// thread.
import {brushX} from "d3-brush";
import {scaleLinear} from "d3-scale";
import {event as brushEvent, select} from "d3-selection";
import {element, svg} from "./elements.js";
import {ROW, sampleBars} from "./sample_bars.js";
import {stateBars} from "./state_bars.js";
import {duration, startOf, TimeFields} from "./time_fields.js";
import {AXIS, secondsAxis} from "./time_rulers.js";

export class Timeline {
  /**
   * @param {Element} parent
   * @param {any} profile
   * @param {object} handlers
   * @param {(from: number, to: number) => void} handlers.onTime slices
   * @param {(thread: number) => void} handlers.onThread
   */
  constructor(parent, {threads, states}, handlers) {
    this.threads = threads;
    this.states = states ? stateBars(states, threads) : null;
    this.handlers = handlers;
    this.names = element("div", {class: "thread-names"});
    this.plot = element("div", {class: `thread-plot ${this.states ? "of-states" : ""}`});
    this.fields = new TimeFields({
      onTime: (from, to) => this.choose(from, to),
      onFault: (fault) => this.refuse(fault),
    });
    this.clear = element(
        "button", {type: "button", id: "time-clear", onclick: () => this.all()}, "All of the time");
    this.note = element("span", {class: "note", role: "status"});
    if (this.states)
      parent.append(element("p", {class: "finding"}, this.states.sentence), this.states.legend);
    parent.append(
        element("div", {class: "timeline"}, this.names, this.plot),
        element("p", {class: "note"}, this.howToUse()),
        element("div", {class: "controls"}, ...this.fields.nodes, this.clear, this.note));
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  /**
   * @param {import("./call_tree.js").Slices} slices
   * @param {import("./sample_bars.js").SampleRow[]} rows
   * @param {import("./call_tree.js").Choice} choice
   */
  show(slices, rows, choice) {
    if (this.slices !== slices) {
      this.slices = slices;
      this.bars = this.states ?? sampleBars(slices, rows, this.threads);
      this.drawNames();
      this.width = 0;
    }
    this.choice = choice;
    this.fault = null;  // why the last typed time was refused
    this.mark();
    this.draw();
  }

  howToUse() {
    const parts = ["Drag over a stretch of time to choose it, or type its ends."];
    if (this.threads.length > 1) parts.push("A click on a thread's name chooses the thread.");
    if (this.states) parts.push("Point at a bar, or go to it with the arrow keys, to read it.");
    return parts.join(" ");
  }

  drawNames() {
    this.names.replaceChildren(...this.bars.rows.map(({thread, name, figure, title}) => {
      const words = [
        element("span", {class: "thread-name"}, name),
        element("span", {class: "thread-figure"}, figure)
      ];
      if (thread === null) return element("span", {class: "rest", title}, ...words);
      return element(
          "button", {
            type: "button",
            "data-thread": thread,
            title,
            onclick: () => this.handlers.onThread(thread),
          },
          ...words);
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
    const {slices, bars} = this;
    this.width = this.plot.clientWidth;
    const height = bars.rows.length * ROW;
    const length = slices.count * slices.width / 1e9;
    this.x = scaleLinear().domain([0, slices.count]).range([1, this.width - 1]);
    const time = scaleLinear().domain([0, length]).range(this.x.range());
    const picture = svg("svg", {
      class: "chart",
      width: this.width,
      height: height + AXIS,
      role: "img",
      "aria-label": bars.finding
    });
    const place = {scale: this.x, slicesInBar: this.slicesInBar()};
    picture.append(...bars.draw(place));
    if (this.states) picture.append(this.states.read(picture, place));
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
