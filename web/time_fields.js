// Two fields for the ends of a stretch of time, in seconds from the start of the recording. A time
// goes to the nearest slice. If times are refused, the fields show those that hold.
import {element} from "./elements.js";
import {brief, seconds} from "./numbers.js";

/** @typedef {import("./call_tree.js").Slices} Slices */

export class TimeFields {
  /**
   * @param {object} handlers
   * @param {(from: number, to: number) => void} handlers.onTime slices
   * @param {(fault: string) => void} handlers.onFault why times are refused
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.from = this.field("time-from");
    this.to = this.field("time-to");
    this.nodes = [label(this.from, "From"), this.from, label(this.to, "to"), this.to, "s"];
  }

  /**
   * @param {Slices} slices
   * @param {{from: number, to: number}} choice of slices
   */
  show(slices, choice) {
    this.slices = slices;
    this.choice = choice;
    this.from.value = startOf(choice.from, slices);
    this.to.value = startOf(choice.to, slices);
  }

  field(id) {
    return element("input", {
      type: "number",
      id,
      min: 0,
      step: "any",
      onchange: () => this.read(),
      onkeydown: (event) => this.step(event)
    });
  }

  // The arrow keys go to the neighbouring slice.
  step(event) {
    const by = {ArrowUp: 1, ArrowDown: -1}[event.key];
    if (!by) return;
    event.preventDefault();
    const {from, to} = this.choice;
    if (event.target === this.from)
      this.handlers.onTime(Math.min(from + by, to - 1), to);
    else
      this.handlers.onTime(from, Math.max(to + by, from + 1));
  }

  read() {
    const {slices} = this;
    const from = typedTime(this.from, 0);
    const to = typedTime(this.to, slices.count * slices.width / 1e9);
    const fault = faultOf(from, to, slices);
    if (!fault) return this.handlers.onTime(sliceAt(from, slices), sliceAt(to, slices));
    this.show(slices, this.choice);
    this.handlers.onFault(fault);
  }
}

/**
 * The start of a slice in seconds: "0.2512", with as many decimals as tell slices apart.
 * @param {number} slice
 * @param {Slices} slices
 */
export function startOf(slice, slices) {
  const step = slices.width / 1e9;
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step)) + 1));
  return (slice * step).toFixed(decimals);
}

/** "22 µs", "1.5 ms", "2.001 s" */
export function duration(time) {
  if (time >= 1) return seconds(time);
  return time >= 1e-3 ? `${brief(time * 1e3)} ms` : `${brief(time * 1e6)} µs`;
}

function label(field, text) { return element("label", {"for": field.id}, text); }

// Seconds; NaN if the field has no number.
function typedTime(field, empty) {
  if (field.value === "") return field.validity.badInput ? NaN : empty;
  return Number(field.value);
}

function sliceAt(time, slices) { return Math.round(time * 1e9 / slices.width); }

// Why a stretch of time cannot be shown; null: it can.
function faultOf(from, to, slices) {
  if (!Number.isFinite(from + to)) return "a time is a number of seconds";
  if (from < 0 || sliceAt(to, slices) > slices.count)
    return `the recording goes from 0 s to ${startOf(slices.count, slices)} s`;
  return from < to ? null : "the beginning must be before the end";
}
