// How the primary metric grows with the parameter of `tacho compare --sweep`.
import {bottomAxis, frame, grid, leftAxis, line, logarithmic, responsive} from "./chart.js";
import {isSimulated, median, primaryIndex, shownUnit, withUnit} from "./compared_commands.js";
import {element, section, svg} from "./elements.js";
import {printable} from "./names.js";
import {fixed, isNumber} from "./numbers.js";

// --sweep: the primary metric of every run over the parameter's value.
export function drawGrowth(main, document) {
  const {sweep, growth, metrics, commands, runs} = document;
  const index = primaryIndex(document);
  const metric = metrics[index];
  const points = runs.filter(({block}) => block > 0 || isSimulated(document))
                     .map((run) => ({
                            x: sweep.values[commands.findIndex(({label}) => label === run.command)],
                            y: run.values[index]
                          }))
                     .filter(({x, y}) => x > 0 && y > 0);
  const place = element("div", {class: "growth"});
  const first = growth.find((one) => one.metric === metric.name);
  if (first)
    main.append(element(
        "p", {class: "change-verdict"}, `Growth of ${growthText(first, sweep.name, true)}.`));
  const items = growth.filter((one) => one !== first)
                    .map((one) => element("li", {}, growthText(one, sweep.name)));
  section(main, `Growth with ${printable(sweep.name)}`, place, element("ul", {}, ...items));
  if (points.length > 0)
    responsive(place, (width) => growthChart(Math.min(width, 700), points, metric, sweep.name));
}

function growthText({metric, exponent, ci95}, name, named = false) {
  const what = printable(metric) + (named ? ` with ${printable(name)}` : "");
  if (!isNumber(exponent)) return `${what}: not known`;
  const interval = ci95 && isNumber(ci95[0]) && isNumber(ci95[1]) ?
      `(${fixed(ci95[0], 2)} to ${fixed(ci95[1], 2)})` :
      "(the interval is not known)";
  return `${what}: ${printable(name)}^${fixed(exponent, 2)} ${interval}`;
}

function growthChart(width, points, metric, name) {
  const chart = frame({
    width,
    height: 300,
    margin: {top: 26},
    label: `${metric.name} of each run and the medians, over ${name}`
  });
  const x = logarithmic(points.map((point) => point.x), [12, chart.width - 12]);
  const {factor, unit} = shownUnit(points.map((point) => point.y), metric.unit);
  const y = logarithmic(points.map((point) => point.y * factor), [chart.height - 8, 8]);
  grid(chart, y, false);
  leftAxis(chart, y, withUnit(metric.name, unit));
  bottomAxis(chart, x, name);
  const values = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const medians = values.map(
      (value) => ({
        x: x(value),
        y: y(factor * median(points.filter((point) => point.x === value).map((point) => point.y)))
      }));
  chart.plot.append(
      line(medians),
      svg("g", {},
          ...points.map(
              (point) =>
                  svg("circle", {class: "run", cx: x(point.x), cy: y(point.y * factor), r: 3}))));
  return chart.picture;
}
