// The buttons above the flame graph, and the panel below it that describes a frame.
import {element} from "./elements.js";

/** Buttons for the picture, the order of frames, and the zoom. */
export class GraphControls {
  /**
   * @param {object} handlers
   * @param {(rootBelow: boolean) => void} handlers.onPicture
   * @param {(order: "weight" | "time") => void} handlers.onOrder
   * @param {() => void} handlers.onReset
   */
  constructor({onPicture, onOrder, onReset}) {
    this.flame = button("flame", "Flame graph", () => onPicture(true));
    this.icicle = button("icicle", "Icicle", () => onPicture(false));
    this.byWeight = button("by-weight", "By weight", () => onOrder("weight"));
    this.byTime = button("by-time", "By time", () => onOrder("time"));
    this.box = element(
        "div", {class: "controls"},
        element("span", {role: "group", "aria-label": "Picture"}, this.icicle, this.flame),
        element("span", {role: "group", "aria-label": "Order"}, this.byWeight, this.byTime),
        button("reset", "Reset zoom (r)", onReset));
  }

  /** Shows what is chosen. Without times there is no order of time. */
  show({rootBelow, order, hasTimes}) {
    press(this.flame, rootBelow);
    press(this.icicle, !rootBelow);
    press(this.byWeight, order === "weight");
    press(this.byTime, order === "time");
    this.byTime.disabled = !hasTimes;
  }
}

/** The facts of the focused frame, and what can be done with it. */
export class FramePanel {
  /**
   * @param {object} handlers
   * @param {() => void} handlers.onZoom
   * @param {() => void} handlers.onCode
   */
  constructor({onZoom, onCode}) {
    this.facts = element("p", {role: "status", "aria-live": "polite", id: "facts"});
    this.zoom = button("zoom", "Zoom to it", onZoom);
    this.code = button("show-code", "Show code", onCode);
    this.box = element(
        "div", {class: "panel"}, this.facts,
        element("div", {class: "controls"}, this.zoom, this.code));
  }

  hide() { this.box.hidden = true; }

  /**
   * @param {ReturnType<typeof import("./frame_facts.js").factsOf>} facts
   * @param {object} frame
   * @param {boolean} frame.isZoomed it has the whole width
   * @param {boolean} frame.isRoot it is no function
   */
  show(facts, {isZoomed, isRoot}) {
    this.box.hidden = false;
    this.facts.replaceChildren(
        element("strong", {class: "mono"}, facts.name), facts.module && ` in ${facts.module}`,
        `: ${facts.share}, ${facts.count}, ${facts.samples}. ${facts.stretch} ${facts.doubt}`);
    this.zoom.disabled = isZoomed;
    this.code.hidden = isRoot;
  }
}

function button(id, text, onclick) {
  return element("button", {type: "button", id, onclick}, text);
}

function press(made, pressed) { made.setAttribute("aria-pressed", String(pressed)); }
