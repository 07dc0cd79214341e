// The legend below the flame graph: the signs of uncertainty, the colours of modules, and what the
// horizontal axis is in the order of time.
import {FEW_SAMPLES} from "./call_tree.js";
import {element} from "./elements.js";
import {brushOn} from "./flame_graph.js";
import {readTheme} from "./frame_colours.js";
import {shownName} from "./names.js";
import {plural} from "./numbers.js";

const MOST_MODULES = 8;
const PLAIN = {
  label: "",
  slot: 0,
  few: false,
  matched: false,
  tied: false,
  lowPart: 1,
  highPart: 1
};

export class FlameLegend {
  constructor() {
    this.signs = element("div", {class: "legend"});
    this.exact = element("p", {class: "note"}, "Each event was a sample, so all widths are exact.");
    this.time = element("p", {class: "note"});
    this.colours = element("div", {class: "legend", "aria-label": "Colours of modules"});
    const keys = element(
        "p", {class: "note"},
        "A click or Enter zooms to a frame. The arrow " +
            "keys go from frame to frame, Esc zooms out, and / goes to the search.");
    this.box = element("div", {}, this.signs, this.exact, this.time, this.colours, keys);
  }

  /** Shows what applies to an order, and to an event of which each one was a sample. */
  show(order, exact) {
    this.signs.hidden = order === "time" || exact;
    this.exact.hidden = order === "time" || !exact;
    this.time.hidden = order === "weight";
  }

  /** Says what the horizontal axis is in the order of time. */
  tellTime(text) {
    if (this.time.textContent !== text) this.time.textContent = text;
  }

  /**
   * Draws with the colours of the theme.
   * @param {string[]} modules
   * @param {Float64Array} weights of the modules
   * @param {Uint8Array} slots of the palette, by module
   */
  draw(modules, weights, slots) {
    const theme = readTheme();
    this.signs.replaceChildren(...signItems(theme));
    const order = [...weights.keys()]
                      .sort((a, b) => weights[b] - weights[a])
                      .filter((module) => weights[module] > 0);
    const items =
        order.slice(0, MOST_MODULES)
            .map(
                (module) => item(
                    theme, shownName(modules[module], "[no module]"),
                    (brush) => brush.frame(0, 0, 23, {...PLAIN, slot: slots[module]}), 22));
    this.colours.replaceChildren(...items);
    if (order.length > MOST_MODULES)
      this.colours.append(`and ${plural(order.length - MOST_MODULES, "more module")}`);
  }
}

function item(theme, text, draw, width = 54) {
  const canvas = element("canvas", {"aria-hidden": "true"});
  const brush = brushOn(canvas, theme);
  brush.begin(width, 20, 0);
  draw(brush);
  return element("span", {class: "legend-item"}, canvas, text);
}

function signItems(theme) {
  const uncertain = {...PLAIN, lowPart: 0.62, highPart: 1.38};
  return [
    item(
        theme, "width: share of samples; hatching and bar: its 95 % interval",
        (brush) => {
          brush.frame(0, 0, 38, uncertain);
          brush.interval(0, 0, 38, uncertain, true);
        }),
    item(
        theme, "zigzag: it is not certain that the left one is larger",
        (brush) => {
          brush.frame(0, 0, 28, PLAIN);
          brush.frame(28, 0, 25, PLAIN);
          brush.tie(28, 0, 25);
        }),
    item(
        theme, `faint: fewer than ${FEW_SAMPLES} samples`,
        (brush) => brush.frame(0, 0, 54, {...PLAIN, few: true})),
    item(theme, "too narrow to draw", (brush) => brush.narrow(0, 0, 54)),
  ];
}
