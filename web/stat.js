// The page of `tacho stat`: metrics, events and where the cycles went; events over time, runs, and
// parts such as threads and CPUs.
import {drawCycles} from "./cycles.js";
import {
  bottomAxis,
  dotWithInterval,
  explain,
  extent,
  frame,
  grid,
  leftAxis,
  linear,
  responsive
} from "./chart.js";
import {element, section, svg} from "./elements.js";
import {printable, shownName} from "./names.js";
import {
  bytes,
  eventFigure,
  figureText,
  fixed,
  isNumber,
  metricFigure,
  percentage,
  plural,
  seconds,
  whole
} from "./numbers.js";
import {drawRegionsOf} from "./regions.js";
import {intervalBar, table} from "./table.js";
import {drawOverTime} from "./time_series.js";
import {tracksOf} from "./time_tracks.js";

// The bars of intervals end at half and at double of the figure. Longer ones go to the edge.
const BAR_END = Math.log(2);
const BAR_CAPTION = "Bar: the 95 % interval relative to the figure, on a scale from half to " +
    "double. A hollow dot: the interval is not known.";

/**
 * @param {HTMLElement} main
 * @param {import("./data.js").Page} page
 */
export function drawStat(main, page) {
  const document = page.document;
  const repeated = document.runs > 1;
  drawSummary(main, document);
  drawMetrics(main, document.metrics);
  drawCycles(main, document);
  drawEvents(main, document.events, repeated);
  if (page.advice) main.append(element("p", {class: "note advice"}, page.advice));
  drawCores(main, document.cores);
  drawOverTime(main, tracksOf(page));
  drawRuns(main, document);
  drawParts(main, document.parts ?? []);
  drawNative(main, document.native);
  if (document.regions) drawRegionsOf(main, document);
}

// Times, memory and turns, in one sentence each.
function drawSummary(main, document) {
  const {sets, periods, reached_period_ms: reached, cycles_error: error} = document;
  const mean = document.runs > 1 ? ", each a mean of the runs" : "";
  const facts =
      [
        time(document.elapsed_s, "elapsed"),
        time(document.simulated_s, "simulated"),
        time(document.user_s, "user"),
        time(document.system_s, "system"),
        isNumber(document.max_rss_bytes) ? `${bytes(document.max_rss_bytes)} maximum resident` :
                                           null,
        time(document.counted_s, "counted"),
      ].filter((fact) => fact !== null)
          .join(", ");
  const texts = [
    facts ? `${facts}${facts.includes(" s ") ? mean : ""}.` : null,
    sets > 0 ? `${plural(sets, "event set")} took turns: ${plural(periods, "period")} of ` +
            `${Number((reached ?? document.period_ms ?? 0).toPrecision(2))} ms, scaled by ` +
            `${printable(document.reference ?? "time")}.` :
               null,
    error ? `The model's cycles have a mean error of ${fixed(error.mean_percent, 1)} % ` +
            `(${error.of}).` :
            null,
    exitText(document.exit),
  ].filter((text) => text !== null);
  if (texts.length > 0) main.append(element("p", {class: "summary"}, texts.join(" ")));
}

function time(value, what) { return isNumber(value) ? `${seconds(value)} ${what}` : null; }

function exitText(exit) {
  if (exit?.signal) return `Signal ${exit.signal} ended the workload.`;
  return exit?.code ? `The workload's exit status was ${exit.code}.` : null;
}

/** "per thousand instructions" for "PTI" */
export function unitInWords(unit) {
  return unit === "PTI" ? "per thousand instructions" : unit ?? "";
}

function drawMetrics(main, metrics, title = "Metrics") {
  if (metrics.length === 0) return;
  const known = metrics.filter((metric) => isNumber(metric.value));
  const place = section(main, title);
  if (known.length > 0) {
    table(explained(place, known), {
      caption: "",
      columns: [
        {title: "Metric", value: (metric) => metric.name, text: (metric) => metric.name},
        {
          title: "Figure",
          number: true,
          value: (metric) => metric.value,
          text: (metric) => figureText(metricFigure(metric)),
          draw: drawFigure(metricFigure)
        },
        ...exact(known) ? [] : [intervalColumn("value")],
        {
          title: "Unit",
          value: (metric) => unitInWords(metric.unit),
          text: (metric) => (metric.unit === "%" ? "" : unitInWords(metric.unit))
        },
      ],
      rows: known,
    });
  }
  drawMissing(place, metrics.filter((metric) => !isNumber(metric.value)), "metric");
}

function drawEvents(main, events, repeated, title = "Events") {
  const known = events.filter((event) => isNumber(event.estimate));
  const place = section(main, title);
  const figure = (event) => eventFigure(event, repeated);
  /** @type {import("./table.js").Column[]} */
  const columns = [
    {
      title: "Event",
      value: (event) => event.name,
      text: (event) => event.name,
      draw: (cell, event) => drawEventName(cell, event, events)
    },
    {
      title: repeated ? "Mean" : "Figure",
      number: true,
      value: (event) => event.estimate,
      text: (event) => figureText(figure(event)),
      draw: drawFigure(figure)
    },
    ...exact(known) ? [] : [intervalColumn("estimate")],
    {
      title: "How",
      value: (event) => event.status,
      text: howCounted,
      draw: (cell, event) => {
        cell.className = "how-counted";
        cell.append(howCounted(event));
      }
    },
  ];
  if (known.some((event) => isNumber(event.truth)))
    columns.push(countColumn("Truth", "The simulator's count of the whole run.", "truth"));
  if (repeated) columns.push(countColumn("Smallest", "The smallest of the runs.", "minimum"));
  if (known.some((event) => event.pmu))
    columns.push(
        {title: "PMU", value: (event) => event.pmu ?? null, text: (event) => event.pmu ?? ""});
  if (known.length > 0)
    table(explained(place, known), {caption: "", columns, rows: known});
  else
    place.append(element("p", {class: "note"}, "No event was counted."));
  drawMissing(place, events.filter((event) => !isNumber(event.estimate)), "event");
}

// Says what the bars are, if there are some.
function explained(place, figures) {
  if (!exact(figures)) place.append(element("p", {class: "note"}, BAR_CAPTION));
  return place;
}

function exact(figures) { return figures.every(({ci95}) => ci95 === 0); }

/** @returns {import("./table.js").Column} */
function intervalColumn(key) {
  return {
    title: "Interval, ½ to 2 ×",
    value: width,
    text: () => "",
    draw: (cell, figure) => drawBar(cell, figure.name, figure[key], figure)
  };
}

function countColumn(title, help, key) {
  return {
    title,
    help,
    number: true,
    value: (event) => event[key] ?? null,
    text: (event) =>
        (isNumber(event[key]) ?
             figureText(eventFigure({estimate: event[key], ci95: null, unit: event.unit})) :
             "")
  };
}

function drawEventName(cell, event, events) {
  cell.className = "name";
  const inSum = event.part_of && events.some((other) => other.name === event.part_of);
  if (inSum) cell.style.paddingLeft = "2rem";
  cell.textContent = shownName(event.name);
}

// Figures and their intervals stand below each other.
function drawFigure(figureOf) {
  return (cell, row) => {
    const {value, unit, spread} = figureOf(row);
    cell.append(
        element("span", {}, [value, unit].filter(Boolean).join(" ")),
        element("span", {class: "spread"}, spread));
  };
}

/** "estimated from 20.1 % of the run (37 periods)" */
function howCounted(event) {
  if (event.status !== "estimated") return event.status;
  const share = isNumber(event.share) ? ` from ${percentage(event.share)} of the run` : "";
  const periods = isNumber(event.periods) ? ` (${plural(event.periods, "period")})` : "";
  const reason = event.ci95 === null && event.reason ? `; no interval: ${event.reason}` : "";
  return `estimated${share}${periods}${reason}`;
}

// The width of the interval relative to the figure, by which rows are sorted.
function width(figure) {
  const value = figure.value ?? figure.estimate;
  return isNumber(figure.ci95) && value ? figure.ci95 / value : null;
}

function drawBar(cell, name, value, {ci95, low, high}) {
  if (!(value > 0)) return;
  const relative = (end) =>
      (isNumber(end) && isNumber(ci95) ? Math.log(Math.max(end, 0) / value) : null);
  const label = isNumber(ci95) ?
      ci95 === 0 ? `${name}: exact` :
                   `${name}: ${asPercent(low / value)} to ${asPercent(high / value)}` :
      `${name}: the interval is not known`;
  cell.append(intervalBar(
      {value: 0, low: relative(low), high: relative(high), domain: [-BAR_END, BAR_END], label}));
}

function asPercent(ratio) {
  const change = (ratio - 1) * 100;
  return `${change > 0 ? "+" : ""}${change.toPrecision(2)} %`;
}

// What has no number: reasons and remedies, collapsed.
function drawMissing(place, figures, what) {
  if (figures.length === 0) return;
  const byReason = new Map();
  for (const {name, status, reason, remedy} of figures) {
    const key = JSON.stringify([status ?? null, reason ?? null, remedy ?? null]);
    byReason.set(key, [...byReason.get(key) ?? [], name]);
  }
  const items = [...byReason].map(([key, names]) => {
    const [status, reason, remedy] = JSON.parse(key);
    const item = element(
        "li", {}, element("span", {class: "mono"}, names.map((name) => shownName(name)).join(", ")),
        `: ${status ? `${status}: ` : ""}${reason ?? "no reason is known"}.`);
    if (remedy) item.append(element("div", {class: "note"}, `Remedy: ${remedy}.`));
    return item;
  });
  place.append(element(
      "details", {class: "missing"},
      element("summary", {}, `${plural(figures.length, what)} without a number`),
      element("ul", {}, ...items)));
}

// The kinds of cores of a processor with unequal cores.
function drawCores(main, cores) {
  if (!cores || cores.length === 0) return;
  table(section(main, "Cores"), {
    caption: "The core PMUs of this processor, whose cores are not equal.",
    columns: [
      {title: "PMU", value: (core) => core.pmu, text: (core) => core.pmu},
      {title: "CPUs", value: (core) => String(core.cpus), text: (core) => String(core.cpus)},
      {
        title: "Counters",
        number: true,
        value: (core) => core.counters,
        text: (core) => (isNumber(core.counters) ? whole(core.counters) : "not known")
      },
      {
        title: "CPU time",
        number: true,
        value: (core) => core.share,
        text: (core) => (isNumber(core.share) ? percentage(core.share) : "not known")
      },
      {title: "Scaled by", value: (core) => core.reference, text: (core) => core.reference ?? ""},
    ],
    rows: cores,
  });
}

// A dot for each run, in their order, and the mean with its interval.
function drawRuns(main, document) {
  const simulated = isNumber(document.simulated_s);
  const key = simulated ? "simulated" : "elapsed";
  const runs = document[`${key}_runs_s`] ?? [];
  if (runs.length < 2) return;
  const mean = {
    value: document[`${key}_s`],
    low: document[`${key}_low_s`],
    high: document[`${key}_high_s`]
  };
  const figure = figureText(eventFigure(
      {
        estimate: isNumber(mean.value) ? mean.value * 1e9 : null,
        ci95: timesBillion(document[`${key}_ci95_s`]),
        low: timesBillion(mean.low),
        high: timesBillion(mean.high),
        unit: "ns"
      },
      true));
  const what = simulated ? "Simulated time" : "Elapsed time";
  const text = `${what} of ${runs.length} runs: mean ${figure}`;
  const place = element("div");
  section(main, "Runs", element("p", {}, `${text}. The band is the interval of the mean.`), place);
  responsive(
      place, (width) => runsChart(Math.min(width, 140 + runs.length * 40), runs, mean, text, what));
}

function timesBillion(value) { return isNumber(value) ? value * 1e9 : null; }

function runsChart(width, runs, mean, text, what) {
  const chart = frame({width, height: 210, label: text, margin: {top: 26}});
  const ends = [mean.low, mean.high].filter(isNumber);
  const y = linear(
      [...runs, ...ends].map((value) => (value === null ? null : value * 1e3)), [chart.height, 0]);
  const x = linear([0.5, runs.length + 0.5], [0, chart.width]).domain([0.5, runs.length + 0.5]);
  grid(chart, y, false);
  if (ends.length === 2)
    chart.plot.append(svg("rect", {
      class: "band",
      width: chart.width,
      y: y(ends[1] * 1e3),
      height: y(ends[0] * 1e3) - y(ends[1] * 1e3)
    }));
  if (isNumber(mean.value))
    chart.plot.append(
        svg("line",
            {class: "line", x2: chart.width, y1: y(mean.value * 1e3), y2: y(mean.value * 1e3)}));
  leftAxis(chart, y, `${what}, ms`);
  bottomAxis(chart, x, "run", (value) => (Number.isInteger(value) ? whole(value) : ""));
  const group = svg("g");
  const marks = runs.flatMap((run, index) => {
    if (!isNumber(run)) return [];
    const value = run * 1e3;
    const node =
        dotWithInterval(y, {value, low: value, high: value}, {across: x(index + 1), upright: true});
    return [{node, text: `run ${index + 1}: ${seconds(run)}`}];
  });
  group.append(...marks.map(({node}) => node));
  explain(group, marks);
  chart.plot.append(group);
  return chart.picture;
}

// One row for each thread, CPU or control group, and one column for each event and metric.
function drawParts(main, parts) {
  if (parts.length === 0) return;
  const place = section(main, "Parts");
  table(place, {
    caption: "A bar is the figure as a part of the column's largest one.",
    filter: parts.length > 10 ? "Filter" : null,
    columns: [
      {
        title: "Part",
        value: (part) => part.label,
        text: (part) => printable(part.label),
        draw: (cell, part) => {
          cell.className = "part";
          cell.append(shownName(part.label));
        }
      },
      ...partColumns(parts, "events", (event) => event.estimate, eventFigure),
      ...partColumns(parts, "metrics", (metric) => metric.value, metricFigure),
    ],
    rows: parts,
  });
  const warnings = parts.flatMap(
      ({label, warnings: texts}) =>
          (texts ?? []).map((text) => element("li", {}, `${shownName(label)}: ${text}`)));
  if (warnings.length > 0)
    place.append(element(
        "details", {}, element("summary", {}, plural(warnings.length, "warning")),
        element("ul", {}, ...warnings)));
}

function partColumns(parts, key, valueOf, figureOf) {
  const byName = (part) => new Map(part[key].map((figure) => [figure.name, figure]));
  const figures = new Map(parts.map((part) => [part, byName(part)]));
  const names = new Set(parts.flatMap((part) => part[key].map((figure) => figure.name)));
  return [...names].flatMap((name) => {
    const value = (part) => {
      const figure = figures.get(part).get(name);
      return figure && isNumber(valueOf(figure)) ? valueOf(figure) : null;
    };
    const text = (part) =>
        (value(part) === null ? "-" : figureText(figureOf(figures.get(part).get(name))));
    const known = parts.map(value).filter(isNumber);
    if (known.length === 0) return [];
    const largest = extent(known)[1];
    return [{
      title: name,
      number: true,
      value,
      text,
      draw: (cell, part) => {
        cell.append(text(part));
        if (value(part) > 0) cell.append(shareBar(value(part) / largest));
      },
    }];
  });
}

function shareBar(share) {
  return element("div", {class: "share-bar", style: `width: ${(share * 100).toFixed(1)}%`});
}

// --with-native: the run without the simulator.
function drawNative(main, native) {
  if (!native) return;
  const facts = [
    isNumber(native.elapsed_s) ? `${seconds(native.elapsed_s)} elapsed` : null,
    isNumber(native.user_s) ? `${seconds(native.user_s)} user` : null,
    isNumber(native.system_s) ? `${seconds(native.system_s)} system` : null,
  ].filter((fact) => fact !== null);
  drawMetrics(main, native.metrics, "Metrics of the native run, without the simulator");
  drawEvents(main, native.events, false, "Events of the native run, without the simulator");
  main.append(element("p", {class: "note"}, facts.join(", ")));
  for (const warning of native.warnings ?? [])
    main.append(element("p", {class: "note"}, `Warning: ${warning}`));
}
