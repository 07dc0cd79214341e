// The histogram of one code run, or of two of them, with its legend.
import {cyclesChart, cyclesLegend, hasTail} from "./block_chart.js";
import {responsive} from "./chart.js";
import {choice} from "./choice.js";
import {element} from "./elements.js";

/** If it has a long tail, there is a choice between the whole histogram and most of it. */
export function drawCyclesPicture(panel, {sides, floors, label}) {
  const place = element("div", {class: "picture"});
  const tail = hasTail(sides.map(({histogram}) => histogram));
  const view = {all: !tail};
  const draw = (width) => cyclesChart(width, {sides, floors, all: view.all, label});
  if (tail) {
    panel.append(element(
        "div", {class: "controls choices"},
        choice(
            "Show", [["most", "without the slowest hundredth"], ["all", "all executions"]],
            (value) => {
              view.all = value === "all";
              redraw();
            })));
  }
  panel.append(place);
  const redraw = responsive(place, draw);
  panel.append(cyclesLegend(sides.length > 1, floors.length > 0));
}
