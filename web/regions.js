// The page of `tacho regions` and the regions of `tacho stat`: how often each region ran, how its
// executions are distributed, and how regions were inside each other.
import {scaleLog, scaleLinear} from "d3-scale";
import {explain, extent, frame, responsive} from "./chart.js";
import {element, svg} from "./elements.js";
import {printable, shownName} from "./names.js";
import {
  brief,
  eventFigure,
  figureText,
  fixed,
  isNumber,
  percentage,
  plural,
  seconds,
  whole
} from "./numbers.js";
import {table} from "./table.js";

/**
 * @param {HTMLElement} main
 * @param {import("./data.js").Page} page
 */
export function drawRegions(main, page) { drawRegionsOf(main, page.document); }

/**
 * @param {HTMLElement} main
 * @param {{regions: any[], region_paths?: any[], region_processes?: any[]}} document
 */
export function drawRegionsOf(main, document) {
  const regions = document.regions ?? [];
  const section = element("section", {}, element("h2", {}, "Regions"));
  main.append(section);
  if (regions.length === 0) {
    section.append(element("p", {class: "note"}, "No region was executed."));
  } else {
    section.append(element("p", {class: "note"}, clockText(document.region_processes ?? [])));
    drawTable(section, regions);
    drawMarks(section, regions);
  }
  drawNesting(main, document.region_paths ?? [], regions);
  drawProcesses(main, document.region_processes ?? [], regions);
}

function clockText(processes) {
  const clocks = [...new Set(processes.map(({clock}) => clock).filter(Boolean))];
  const clock = clocks.length > 0 ? ` Clock: ${clocks.join("; ")}.` : "";
  const many = processes.length === 1 ? "1 process" : `${whole(processes.length)} processes`;
  return `${many}.${clock} The measuring's own cost is subtracted.`;
}

// A table for one quantity, which the person chooses: time first.
function drawTable(section, regions) {
  const names = [...new Set(regions.flatMap(
      ({quantities}) =>
          quantities.map(({name, noted}) => JSON.stringify([name, noted === true]))))];
  const place = element("div");
  const show = (key) => {
    const [name, noted] = JSON.parse(key);
    const rows =
        regions.map((region) => ({
                      region,
                      quantity: region.quantities.find(
                                    (one) => one.name === name && (one.noted === true) === noted) ??
                          null
                    }));
    place.replaceChildren();
    drawQuantity(place, name, rows);
  };
  if (names.length > 1) {
    const options = names.map((key) => element("option", {value: key}, labelOf(JSON.parse(key))));
    const choice = element("select", {onchange: () => show(choice.value)}, ...options);
    section.append(element("p", {class: "controls"}, element("label", {}, "Show ", choice)));
  }
  section.append(place);
  show(names[0]);
}

function labelOf([name, noted]) {
  if (name === "ticks" && !noted) return "time";
  return noted ? `${printable(name)} (a note of the program)` : printable(name);
}

// The unit in which a quantity is shown: ticks become seconds if the clock's rate is known.
function scaleOf(name, region, quantity) {
  if (name === "ticks" && !quantity?.noted && isNumber(region.ticks_hz) && region.ticks_hz > 0)
    return {factor: 1 / region.ticks_hz, kind: "time"};
  if (quantity?.unit === "ns") return {factor: 1e-9, kind: "time"};
  return {factor: 1, kind: quantity?.unit || "count"};
}

/** "17.2 µs", "1.35 ms": three digits at least */
export function duration(value) {
  if (!isNumber(value)) return "-";
  const size = Math.abs(value);
  const [factor, unit] = size >= 1 ? [1, "s"] :
      size >= 1e-3                 ? [1e3, "ms"] :
      size >= 1e-6                 ? [1e6, "µs"] :
                                     [1e9, "ns"];
  const shown = value * factor;
  const decimals = Math.abs(shown) >= 100 ? 0 : Math.abs(shown) >= 10 ? 1 : 2;
  return value === 0 ? "0" : `${fixed(shown, decimals)} ${unit}`;
}

function shown(value, {kind}) {
  if (!isNumber(value)) return "-";
  if (kind === "time") return duration(value);
  return kind === "count" ? brief(value) : `${brief(value)} ${kind}`;
}

function drawQuantity(place, name, rows) {
  const scales = new Map(rows.map((row) => [row, scaleOf(name, row.region, row.quantity)]));
  const figure = (row, key) => {
    const value = row.quantity?.[key];
    return isNumber(value) ? value * scales.get(row).factor : null;
  };
  const several = rows.some(({region}) => region.processes > 1);
  const programs = new Set(rows.map(({region}) => region.program)).size > 1;
  const approximate = (row) => (row.quantity?.status === "estimated" ? "~" : "");
  const figureColumn = (title, key, help) => ({
    title,
    help,
    number: true,
    value: (row) => figure(row, key),
    text: (row) => {
      const text = shown(figure(row, key), scales.get(row));
      return text === "-" ? text : approximate(row) + text;
    },
  });
  const axis = distributionScale(rows, figure, scales);
  if (axis !== null) place.append(element("p", {class: "note"}, distributionCaption(rows)));
  table(place, {
    caption: "",
    filter: rows.length > 20 ? "Filter" : null,
    columns: [
      {
        title: "Region",
        value: ({region}) => region.name,
        text: regionText,
        draw: (cell, row) => {
          cell.className = "name";
          cell.textContent = regionText(row);
        }
      },
      ...programs ? [{
        title: "Program",
        value: ({region}) => region.program ?? null,
        text: ({region}) => shownName(region.program, "")
      }] :
                    [],
      {
        title: "Executions",
        number: true,
        value: ({region}) => region.executions,
        text: ({region}) => count(region.executions)
      },
      {
        title: "Threads",
        number: true,
        value: ({region}) => region.threads,
        text: ({region}) => count(region.threads)
      },
      ...several ? [{
        title: "Processes",
        number: true,
        value: ({region}) => region.processes,
        text: ({region}) => count(region.processes)
      }] :
                   [],
      {
        title: "Total",
        number: true,
        value: (row) => figure(row, "total"),
        text: (row) => totalText(row, scales.get(row))
      },
      figureColumn("Mean", "mean"),
      figureColumn("Median", "median", "Right within 1/128."),
      figureColumn("99 %", "p99", "99 of 100 executions are below. Right within 1/128."),
      ...axis === null ? [] : [{
        title: `Distribution, ${axis.text}`,
        value: (row) => figure(row, "median"),
        text: () => "",
        draw: (cell, row) => cell.append(distribution(row, figure, scales.get(row), axis))
      }],
    ],
    rows,
  });
}

function regionText({region}) { return (region.too_short ? "(!) " : "") + shownName(region.name); }

function count(value) { return isNumber(value) ? whole(value) : "-"; }

// The total has an interval if its event took turns.
function totalText({quantity}, scale) {
  if (!isNumber(quantity?.total)) return "-";
  const exact = quantity.status !== "estimated";
  if (exact) return shown(quantity.total * scale.factor, scale);
  const factor = scale.factor * (scale.kind === "time" ? 1e9 : 1);
  const times = (value) => (isNumber(value) ? value * factor : null);
  return figureText(eventFigure({
    estimate: times(quantity.total),
    ci95: times(quantity.ci95),
    low: times(quantity.low),
    high: times(quantity.high),
    unit: scale.kind === "time" ? "ns" : quantity.unit,
    status: "estimated"
  }));
}

const MOST_MARKS = 100;
const STRIP = {
  width: 300,
  height: 26
};

// A common logarithmic scale for all regions, if they have one unit and values above 0.
function distributionScale(rows, figure, scales) {
  const kinds = new Set(rows.filter(({quantity}) => quantity).map((row) => scales.get(row).kind));
  const values =
      rows.flatMap((row) => ["min", "median", "p99", "max"].map((key) => figure(row, key)))
          .filter((value) => value !== null && value > 0);
  if (kinds.size !== 1 || values.length === 0) return null;
  const [low, high] = extent(values);
  const scale = scaleLog()
                    .domain(low < high ? [low, high] : [low / 2, low * 2])
                    .range([6, STRIP.width - 6])
                    .clamp(true);
  const kind = [...kinds][0];
  const [from, to] = scale.domain().map((end) => shown(end, {kind}));
  return {scale, text: `${from} to ${to}`};
}

function distributionCaption(rows) {
  const heaps = rows.some(({quantity}) => quantity?.values?.buckets);
  return (heaps ? "Distribution: how many executions took how long. " : "Distribution: ") +
      "thin line from the smallest to the largest, thick bar from the median to the 99th " +
      "percentile, dot: median, ring: mean. All rows have one logarithmic scale; upright lines are " +
      "powers of 10.";
}

function distribution(row, figure, kind, {scale}) {
  const [min, median, p99, max, mean] =
      ["min", "median", "p99", "max", "mean"].map((key) => figure(row, key));
  if (median === null) return "";
  const label = `smallest ${shown(min, kind)}, median ${shown(median, kind)}, ` +
      `99 % ${shown(p99, kind)}, largest ${shown(max, kind)}`;
  const middle = STRIP.height / 2;
  const x = (value) => scale(Math.max(value ?? 0, scale.domain()[0]));
  const picture =
      svg("svg", {
        class: "strip",
        role: "img",
        "aria-label": label,
        width: STRIP.width,
        height: STRIP.height,
        viewBox: `0 0 ${STRIP.width} ${STRIP.height}`
      },
          svg("title", {}, label));
  for (const tick of scale.ticks().filter((value) => Number.isInteger(Math.log10(value))))
    picture.append(svg("line", {class: "tick", x1: x(tick), x2: x(tick), y2: STRIP.height}));
  picture.append(...heap(row.quantity, kind.factor, x));
  if (min !== null && max !== null)
    picture.append(svg("line", {class: "reach", x1: x(min), x2: x(max), y1: middle, y2: middle}));
  if (p99 !== null)
    picture.append(svg("rect", {
      class: "most",
      x: x(median),
      y: middle - 3,
      width: Math.max(0.5, x(p99) - x(median)),
      height: 6
    }));
  picture.append(svg("circle", {class: "dot", cx: x(median), cy: middle, r: 4}));
  if (mean !== null) picture.append(svg("circle", {class: "ring", cx: x(mean), cy: middle, r: 6}));
  return picture;
}

// The buckets of a quantity (docs/reference/regions.md, `values`) as columns of 2 pixels.
function heap(quantity, factor, x) {
  const columns = new Map();
  for (const {value, executions} of buckets(quantity)) {
    const at = Math.round(x(value * factor) / 3) * 3;
    columns.set(at, (columns.get(at) ?? 0) + executions);
  }
  const most = Math.max(0, ...columns.values());
  return [...columns].map(([at, executions]) => {
    const height = STRIP.height * executions / most;
    return svg("rect", {class: "heap", x: at - 1.5, width: 3, y: STRIP.height - height, height});
  });
}

/** @returns {{value: number, executions: number}[]} middles of the buckets, without the own cost */
export function buckets(quantity) {
  const values = quantity?.values;
  if (!values?.buckets) return [];
  const numbers = values.buckets.split(" ").map(Number);
  const found = [];
  let bucket = 0;
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    bucket += numbers[index];
    const octave = Math.floor(bucket / 64) - 1;
    const middle = bucket < 128 ? bucket : (bucket - 64 * octave + 0.5) * 2 ** octave;
    found.push(
        {value: middle * values.scale - (quantity.cost ?? 0), executions: numbers[index + 1]});
  }
  return found;
}

// What a reader must know about single regions.
function drawMarks(section, regions) {
  const texts = regions.flatMap((region) => {
    const name = shownName(region.name);
    return [
      region.too_short ? `(!) ${name} is too short to trust: it takes less than the cost of ` +
              "measuring it. Put more work into it." :
                         null,
      region.unfinished > 0 ? unfinishedText(name, region) : null,
      region.recursions > 0 ? `${name}: ${plural(region.recursions, "recursive execution")}, ` +
              "which are part of the outermost one." :
                              null,
      ...region.quantities.filter(({reason}) => reason)
          .map(
              ({name: event, reason, remedy}) => `${name}: ${printable(event)}: ${reason}${
                  remedy ? ` (remedy: ${remedy})` : ""}.`),
    ].filter((text) => text !== null);
  });
  const unique = [...new Set(texts)];
  if (unique.length > 0) section.append(element("ul", {class: "marks"}, ...shownMarks(unique)));
}

function shownMarks(texts) {
  const items = texts.slice(0, MOST_MARKS).map((text) => element("li", {}, text));
  const left = texts.length - MOST_MARKS;
  if (left > 0) items.push(element("li", {}, `and ${whole(left)} more`));
  return items;
}

function unfinishedText(name, {unfinished, left_open_by: code}) {
  const first = code ? `; the first was begun by ${printable(code)}` : "";
  return `${name}: ${plural(unfinished, "execution")} did not end${first}.`;
}

// How unequal the processes of a region were.
function drawUnequal(section, regions) {
  const rows = regions.filter(({ticks_of_a_process: ticks}) => ticks);
  if (rows.length === 0) return;
  const column = (title, key) => ({
    title,
    number: true,
    value: (region) => region.ticks_of_a_process[key],
    text: ({ticks_of_a_process: ticks, ticks_hz: hz}) =>
        (hz > 0 ? duration(ticks[key] / hz) : `${count(ticks[key])} ticks`),
  });
  table(section, {
    caption: "A region's total time in single processes.",
    columns: [
      {
        title: "Region",
        value: ({name}) => name,
        text: ({name}) => shownName(name),
        draw: (cell, {name}) => {
          cell.className = "name";
          cell.textContent = shownName(name);
        }
      },
      column("Minimum", "min"),
      column("Mean", "mean"),
      column("Maximum", "max"),
      {
        title: "Longest in",
        value: (region) => region.ticks_of_a_process.longest,
        text: (region) => printable(region.ticks_of_a_process.longest ?? "")
      },
    ],
    rows,
  });
}

// An icicle: each region below the one around it, as wide as its time.
function drawNesting(main, paths, regions) {
  if (!paths.some(({parent}) => parent !== null)) return;
  const hz = regions.find(({ticks_hz}) => ticks_hz > 0)?.ticks_hz ?? null;
  const cells = layout(paths);
  const total = cells.reduce((sum, {path, depth}) => sum + (depth === 0 ? path.ticks : 0), 0);
  if (!(total > 0)) return;
  const place = element("div");
  main.append(element(
      "section", {}, element("h2", {}, "Regions inside each other"),
      element(
          "p", {class: "note"},
          "A region stands below the one around it, and its width is " +
              "its time, summed over threads. What has nothing below it is the region's own time."),
      place));
  responsive(place, (width) => icicle(width, cells, total, hz));
}

/** @returns {{path: any, depth: number, from: number}[]} `from` in ticks; parents come first */
function layout(paths) {
  const cells = [];
  const next = [];  // by path: where its next child begins
  let root = 0;
  paths.forEach((path, index) => {
    const parent = path.parent === null ? null : cells[path.parent];
    const from = parent ? next[path.parent] : root;
    const ticks = Math.max(0, path.ticks);
    if (parent)
      next[path.parent] += ticks;
    else
      root += ticks;
    cells.push({path, depth: parent ? parent.depth + 1 : 0, from});
    next[index] = from;
  });
  return cells;
}

const CELL = 24;
const NARROWEST = 0.4;  // pixels; narrower cells are left out

function icicle(width, cells, total, hz) {
  const depth = cells.reduce((most, cell) => Math.max(most, cell.depth), 0) + 1;
  const made = frame({
    width,
    height: depth * CELL + 4,
    margin: {top: 2, bottom: 2, left: 0, right: 0},
    label: `${cells.length} paths through regions, ${depth} levels`
  });
  const x = scaleLinear().domain([0, total]).range([0, made.width]);
  const marks = cells.filter(({path}) => x(path.ticks) >= NARROWEST).map((cell) => {
    const {path, from} = cell;
    const wide = x(path.ticks);
    const name = `${shownName(path.name)} ${percentage(path.ticks / total)}`;
    const letters = Math.floor((wide - 8) / 7);
    const node = svg(
        "g", {class: "cell"},
        svg("rect",
            {x: x(from), y: cell.depth * CELL, width: Math.max(0.5, wide - 1), height: CELL - 2}));
    if (letters >= 2)
      node.append(
          svg("text", {x: x(from) + 5, y: cell.depth * CELL + 15},
              name.length > letters ? `${name.slice(0, letters - 1)}…` : name));
    return {node, text: pathText(cell, total, hz)};
  });
  const group = svg("g", {}, ...marks.map(({node}) => node));
  explain(group, marks);
  made.plot.append(group);
  return made.picture;
}

function pathText({path}, total, hz) {
  const text = (ticks) => (hz ? duration(ticks / hz) : `${whole(ticks)} ticks`);
  return `${shownName(path.name)}\n${plural(path.executions, "execution")}\n` +
      `${text(path.ticks)} (${percentage(path.ticks / total)}), ${text(path.own_ticks)} of its own`;
}

// Facts about the processes, if there are several or if something went wrong in one.
function drawProcesses(main, processes, regions) {
  const troubles = ["unmatched", "perhaps_unmatched", "too_deep", "no_memory", "without_path"];
  const troubled = processes.some(
      (process) => troubles.some((key) => process[key] > 0) || process.on_s < process.of_s);
  if (processes.length < 2 && !troubled) return;
  const section = element("section", {}, element("h2", {}, "Processes"));
  main.append(section);
  drawUnequal(section, regions);
  const ranks = processes.some(({rank}) => rank !== null);
  const number = (title, key) => ({
    title,
    number: true,
    value: (process) => process[key] ?? null,
    text: (process) => count(process[key])
  });
  const time = (title, key) => ({
    title,
    number: true,
    value: (process) => process[key] ?? null,
    text: (process) => (isNumber(process[key]) ? seconds(process[key]) : "-")
  });
  table(section, {
    caption: "How long regions were on in each process.",
    columns: [
      {title: "Process", number: true, value: ({pid}) => pid, text: ({pid}) => String(pid)},
      {title: "Program", value: ({program}) => program, text: ({program}) => shownName(program)},
      {title: "Host", value: ({host}) => host, text: ({host}) => printable(host ?? "")},
      ...ranks ? [number("Rank", "rank")] : [],
      time("Regions on", "on_s"),
      time("of", "of_s"),
      ...troubles.filter((key) => processes.some((process) => process[key] > 0))
          .map((key) => number(TROUBLES[key], key)),
    ],
    rows: processes,
  });
}

const TROUBLES = {
  unmatched: "Ends without a begin",
  perhaps_unmatched: "Perhaps ends without a begin",
  too_deep: "Too deep",
  no_memory: "No memory",
  without_path: "On unknown paths",
};
