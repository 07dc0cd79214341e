// Draws `tacho latency`: the staircase of load times over list sizes, the levels of caches and TLBs
// that follow from it, parallel chases, NUMA nodes, events for each access, and every list.
import {scaleLinear} from "d3-scale";
import {
  bottomAxis,
  dotWithInterval,
  explain,
  frame,
  grid,
  leftAxis,
  line,
  linear,
  logarithmic,
  responsive
} from "./chart.js";
import {choice} from "./choice.js";
import {element, svg} from "./elements.js";
import {heatMap} from "./heat_map.js";
import {legend, staircase} from "./latency_chart.js";
import {
  advertised,
  circumstances,
  condition,
  finding,
  layoutText,
  nanoseconds,
  plusMinus,
  remark,
  size,
  sizeInterval,
  timeWithInterval,
  trustText,
  withEnds
} from "./latency_words.js";
import {bytes, fixed, isNumber, plural, whole} from "./numbers.js";
import {table} from "./table.js";

const HUGE = 65536;  // bytes: larger pages are huge pages
const FEW_LISTS = 40;
const NEXT_LEVEL = 1.4;  // a level is so many times as slow as the one before it, or more

/** @param {HTMLElement} main @param {import("./data.js").Page} page */
export function drawLatency(main, page) {
  const document = page.document;
  document.sizes.forEach((list, index) => {
    list.singles = page.singles[index] ?? [];
  });
  main.append(
      element("p", {class: "finding"}, finding(document)),
      element("p", {class: "note"}, `Trust: ${trustText(document.trust)}.`));
  if (document.access && document.access !== "load")
    main.append(element("p", {class: "note"}, `Each access is ${access(document)}.`));
  if (document.partial)
    main.append(element(
        "p", {class: "note"}, "The measurement was ended early, so the result is partial."));
  const view = {
    unit: document.tiers.every((tier) => isNumber(tier.ns)) &&
            document.sizes.every((list) => isNumber(list.ns)) ?
        "cycles" :
        null,
    logarithmic: true
  };
  const redraws = [];
  main.append(controls(view, redraws));
  drawCaches(main, document, view, redraws);
  if (document.tiers.length > 0) drawLevels(main, document);
  drawTlb(main, document, view, redraws);
  if (document.parallel?.length > 0) drawParallel(main, document.parallel);
  if (document.nodes) {
    main.append(element("h2", {}, "NUMA nodes"));
    heatMap(main, document.nodes, (node) => `node ${node}`);
  }
  if (document.events) drawEvents(main, document.events);
  drawLists(main, document);
  main.append(
      element("h2", {}, "How it was measured"),
      ...circumstances(document).map((text) => element("p", {class: "note"}, text)));
}

// "a load", "an atomic addition"
function access({access: name = "load"}) { return `${/ ^[ao] /.test(name) ? "an" : "a"} ${name}`; }

// Without ns there is nothing to choose.
function controls(view, redraws) {
  const redraw = () => redraws.forEach((each) => each());
  const made = element("div", {class: "controls choices"});
  if (view.unit)
    made.append(choice("Time in", [["cycles", "cycles"], ["ns", "ns"]], (unit) => {
      view.unit = unit;
      redraw();
    }));
  made.append(choice("Scale", [["log", "logarithmic"], ["linear", "linear"]], (scale) => {
    view.logarithmic = scale === "log";
    redraw();
  }));
  return made;
}

// A time and half of the width of its interval, in the chosen unit.
function inUnit(cycles, halfWidth, ns, unit) {
  const scale = unit === "ns" ? ns / cycles : 1;
  return {value: cycles * scale, halfWidth: isNumber(halfWidth) ? halfWidth * scale : null};
}

function drawCaches(main, document, view, redraws) {
  const packed = document.sizes.filter(({layout}) => layout === "packed");
  main.append(element("h2", {}, "Caches and memory"));
  if (packed.length === 0) {
    main.append(element("p", {class: "note"}, "No list of this kind was measured."));
    return;
  }
  const series = [
    {name: "huge pages", kind: "first", lists: packed.filter((list) => list.page_bytes > HUGE)},
    {name: "small pages", kind: "second", lists: packed.filter((list) => list.page_bytes <= HUGE)},
  ].filter(({lists}) => lists.length > 0);
  const largest = Math.max(...packed.map((list) => list.bytes));
  const uprights = [...capacities(document.tiers), ...reaches(document.tlb, largest)];
  const place = element("div", {class: "picture"});
  const draw = (width) => staircase(width, {
    label: `Time of ${access(document)} over the size of the list. ${finding(document)}`,
    access: document.access ?? "load",
    series,
    uprights,
    unit: view.unit ?? "cycles",
    logarithmic: view.logarithmic,
    levels: levels(document.tiers, packed, view.unit),
    place: (list) => list.bytes,
    xLabel: "size of the list",
    xText: axisBytes,
    textOf: (list) => textOfList(list),
  });
  main.append(
      element(
          "p", {class: "note"},
          "Each mark is a list that is walked: its size, and the time of a load that waits for the " +
              "load before it. Bars are 95 % intervals."),
      place);
  redraws.push(responsive(place, draw));
  main.append(legend(entries(series, document, uprights)));
}

function entries(series, document, uprights) {
  const has = (kind) => uprights.some((upright) => upright.kind === kind);
  const lists = series.flatMap((each) => each.lists);
  const made =
      series.map(({name, kind}) => ({kind, text: `a load in lists on ${name}, with its interval`}));
  if (lists.some((list) => !list.from_blocks && !list.disturbed && list.singles.length > 0))
    made.push({kind: "mode", text: "where the single loads of a list lie: darker is more"});
  if (document.tiers.length > 0)
    made.push({kind: "level", text: "a level: its time, with the interval"});
  if (has("measured")) made.push({kind: "measured", text: "measured capacity, with its interval"});
  if (has("advertised"))
    made.push({kind: "advertised", text: "advertised by the processor or the system"});
  if (has("reach")) made.push({kind: "reach", text: "memory that a TLB level translates"});
  if (lists.some((list) => list.disturbed))
    made.push({kind: "cross", text: "a disturbed list, left out of the levels"});
  return made;
}

// "1 MiB" for a power of two.
function axisBytes(value) { return bytes(value).replace(".0 ", " "); }

function capacities(tiers) {
  const made = [];
  for (const tier of tiers) {
    if (isNumber(tier.capacity_bytes))
      made.push({
        at: tier.capacity_bytes,
        ends: tier.capacity_ci95,
        kind: "measured",
        label: `${tier.name} ${size(tier.capacity_bytes)}`
      });
    if (isNumber(tier.advertised_bytes))
      made.push({
        at: tier.advertised_bytes,
        ends: null,
        kind: "advertised",
        label: `${tier.name} advertised ${axisBytes(tier.advertised_bytes)}`
      });
  }
  return made;
}

function reaches(tlb, largest) {
  return tlb
      .map(({name, entries: count, page_bytes: page}) => ({
             at: count * page,
             ends: null,
             kind: "reach",
             label: `${name} ${size(count * page)}`
           }))
      .filter(({at}) => at <= largest);
}

// Without a capacity, a level is drawn up to the last list that is about as fast.
function endOfPlateau(tier, lists, from) {
  return lists.filter((list) => !list.disturbed && list.cycles <= NEXT_LEVEL * tier.cycles)
      .reduce((most, list) => Math.max(most, list.bytes), from);
}

function levels(tiers, lists, unit) {
  const sizes = lists.map((list) => list.bytes);
  let from = Math.min(...sizes);
  return tiers.filter((tier) => isNumber(tier.cycles)).map((tier) => {
    const to = tier.capacity_bytes ?? endOfPlateau(tier, lists, from);
    const {value, halfWidth} = inUnit(tier.cycles, tier.ci95_cycles, tier.ns, unit);
    const label = `${tier.name} ${timeWithInterval(value, halfWidth, unit ?? "cycles")}`;
    const made = {label, from, to, value, halfWidth};
    from = to;
    return made;
  });
}

function textOfList(list) {
  const place = list.layout === "packed" ? bytes(list.bytes) : plural(list.lines, "page");
  const times = [timeWithInterval(list.cycles, list.ci95, "cycles")];
  if (isNumber(list.ns)) times.push(`${nanoseconds(list.ns)} ns`);
  const note = remark(list);
  return `${place} on pages of ${bytes(list.page_bytes)}, ${layoutText(list)}\n` +
      times.join(", ") + (note ? `\n${note}` : "");
}

function drawLevels(main, document) {
  main.append(element("h2", {}, "Levels"));
  table(main, {
    caption: "One row for each level of the memory hierarchy.",
    rows: document.tiers,
    columns: [
      words("level", (tier) => tier.name),
      number(
          "capacity", (tier) => tier.capacity_bytes,
          (tier) => isNumber(tier.capacity_bytes) ? size(tier.capacity_bytes) : "",
          "bytes of a list that the level can hold"),
      number(
          "95 % interval", (tier) => tier.capacity_ci95?.[0] ?? null,
          (tier) => sizeInterval(tier.capacity_ci95), "of the capacity"),
      number(
          "advertised", (tier) => tier.advertised_bytes, advertised,
          "size and ways according to the system"),
      number(
          "cycles", (tier) => tier.cycles,
          (tier) => timeWithInterval(tier.cycles, tier.ci95_cycles, "").trim(),
          "of a load that this level serves, with the 95 % interval"),
      number(
          "ns", (tier) => tier.ns, (tier) => nanoseconds(tier.ns),
          "the same at the core's usual clock"),
      number(
          "small pages", (tier) => tier.small_pages_extra_cycles,
          (tier) => signedCycles(tier.small_pages_extra_cycles),
          "cycles that the smallest pages add, compared with huge ones"),
      number(
          "lists", (tier) => tier.sizes, (tier) => isNumber(tier.sizes) ? whole(tier.sizes) : "",
          "number of lists that it is based on"),
      words("condition", condition),
    ],
  });
}

function signedCycles(value) {
  if (!isNumber(value)) return "";
  return (value < 0 ? "-" : "+") + fixed(Math.abs(value), 1);
}

function words(title, text) { return {title, value: text, text}; }

function number(title, value, text, help) {
  return {title, value: (row) => value(row) ?? null, text, help, number: true};
}

function drawTlb(main, document, view, redraws) {
  const lists = document.sizes.filter(({layout}) => layout !== "packed");
  if (lists.length === 0 && document.tlb.length === 0) return;
  main.append(element("h2", {}, "TLB"));
  if (lists.length > 0) {
    const series = [
      {
        name: "lists with one line on each page",
        kind: "first",
        lists: lists.filter(({layout}) => layout === "spread")
      },
      {
        name: "lists with one word on each page, all pages on the same memory",
        kind: "third",
        lists: lists.filter(({layout}) => layout === "repeated")
      },
    ].filter((each) => each.lists.length > 0);
    const uprights = tlbEnds(document.tlb);
    const place = element("div", {class: "picture"});
    main.append(
        element(
            "p", {class: "note"},
            "Each mark is a list with one element on each page. Where the time rises, loads begin to " +
                "miss a TLB level, or a cache."),
        place);
    redraws.push(responsive(
        place,
        (width) => staircase(width, {
          label:
              `Time of ${access(document)} over the number of pages. ${tlbFinding(document.tlb)}`,
          access: document.access ?? "load",
          series,
          levels: [],
          uprights,
          unit: view.unit ?? "cycles",
          logarithmic: view.logarithmic,
          place: (list) => list.lines,
          xLabel: "pages of the list",
          xText: whole,
          textOf: textOfList,
        })));
    main.append(legend(tlbEntries(series, uprights, lists)));
  }
  if (document.tlb.length > 0)
    drawTlbLevels(main, document.tlb);
  else
    main.append(element("p", {class: "note"}, "No TLB level was found."));
}

function tlbEnds(tlb) {
  const made = [];
  for (const level of tlb) {
    made.push({
      at: level.entries,
      ends: level.entries_ci95,
      kind: "measured",
      label: `${level.name} ${fixed(level.entries, 0)} entries`
    });
    if (isNumber(level.advertised_entries))
      made.push({
        at: level.advertised_entries,
        ends: null,
        kind: "advertised",
        label: `${level.name} advertised ${whole(level.advertised_entries)}`
      });
  }
  return made;
}

function tlbEntries(series, uprights, lists) {
  const made = series.map(({name, kind}) => ({kind, text: name}));
  if (uprights.length > 0)
    made.push({kind: "measured", text: "measured entries, with their interval"});
  if (uprights.some(({kind}) => kind === "advertised"))
    made.push({kind: "advertised", text: "advertised entries"});
  if (lists.some((list) => list.disturbed)) made.push({kind: "cross", text: "a disturbed list"});
  return made;
}

function tlbFinding(tlb) {
  return tlb
      .map(
          (level) => `${level.name}: ${fixed(level.entries, 0)} entries, a miss adds ` +
              `${fixed(level.miss_extra_cycles, 1)} cycles.`)
      .join(" ");
}

function drawTlbLevels(main, tlb) {
  const extra = (value) => (isNumber(value) ? `${fixed(value, 1)} cycles` : "-");
  table(main, {
    caption: "Extra cycles: how much more a load costs than with a hit in the first TLB level.",
    rows: tlb,
    columns: [
      words("TLB", (level) => level.name),
      number("entries", (level) => level.entries, (level) => fixed(level.entries, 0)),
      number(
          "95 % interval", (level) => level.entries_ci95?.[0] ?? null,
          (level) => level.entries_ci95 ?
              `${fixed(level.entries_ci95[0], 0)} to ${fixed(level.entries_ci95[1], 0)}` :
              ""),
      number(
          "advertised", (level) => level.advertised_entries,
          (level) => isNumber(level.advertised_entries) ? whole(level.advertised_entries) : ""),
      number("page", (level) => level.page_bytes, (level) => bytes(level.page_bytes)),
      number(
          "extra for a hit", (level) => level.hit_extra_cycles,
          (level) => extra(level.hit_extra_cycles)),
      number(
          "extra for a miss", (level) => level.miss_extra_cycles,
          (level) => `${extra(level.miss_extra_cycles)} ${plusMinus(level.ci95_cycles)}`),
    ],
  });
}

function drawParallel(main, rows) {
  const bySize = new Map();
  for (const row of rows) {
    if (!bySize.has(row.bytes)) bySize.set(row.bytes, []);
    bySize.get(row.bytes).push(row);
  }
  main.append(
      element("h2", {}, "Chases at once"),
      element(
          "p", {class: "note"},
          "Independent lists are walked at the same time, so that their loads can overlap. " +
              "An open dot has no interval: the measurements differ too much for one."));
  const place = element("div", {class: "picture"});
  main.append(place);
  responsive(place, (width) => parallelChart(width, [...bySize.values()]));
  table(main, {
    caption: "Time for each access.",
    rows,
    columns: [
      number("chases at once", (row) => row.chases, (row) => whole(row.chases)),
      words("level", (row) => row.level || "-"),
      number("list", (row) => row.bytes, (row) => bytes(row.bytes)),
      number(
          "ns for each access", (row) => row.ns_per_access,
          (row) => withEnds(row.ns_per_access, row.ns_per_access_ci95, 2)),
    ],
  });
}

function parallelChart(width, groups) {
  const rows = groups.flat().filter((row) => isNumber(row.ns_per_access));
  const nameOf = (row) => `${row.level ? `${row.level}, ` : ""}${bytes(row.bytes)}`;
  const label = "Time for each access over the number of chases at once.";
  const chart = frame({width, height: 320, label, margin: {top: 26, right: 110}});
  const most = Math.max(2, ...rows.map((row) => row.chases));
  const x = scaleLinear().domain([0.8, most]).range([0, chart.width]);
  const ends = rows.flatMap((row) => [row.ns_per_access, ...(row.ns_per_access_ci95 ?? [])]);
  const y = logarithmic(ends.flatMap((end) => [end / 1.2, end * 1.2]), [chart.height, 0]);
  grid(chart, y, false);
  const marks = [];
  const group = svg("g");
  for (const each of groups) {
    const known = each.filter((row) => isNumber(row.ns_per_access));
    if (known.length === 0) continue;
    group.append(line(known.map((row) => ({x: x(row.chases), y: y(row.ns_per_access)}))));
    for (const row of known) {
      const [low, high] = row.ns_per_access_ci95 ?? [null, null];
      const node = dotWithInterval(
          y, {value: row.ns_per_access, low, high}, {across: x(row.chases), upright: true});
      marks.push({
        node,
        text: `${nameOf(row)}, ${plural(row.chases, "chase")} at once: ` +
            `${withEnds(row.ns_per_access, row.ns_per_access_ci95, 2)} ns`
      });
      group.append(node);
    }
    const last = known.at(-1);
    group.append(
        svg("text", {class: "halo", x: x(last.chases) + 10, y: y(last.ns_per_access) + 4},
            nameOf(last)));
  }
  chart.plot.append(group);
  explain(group, marks);
  bottomAxis(chart, x, "chases at once", (value) => (Number.isInteger(value) ? whole(value) : ""));
  leftAxis(chart, y, "ns for each access");
  return chart.picture;
}

function drawEvents(main, events) {
  const names = Object.keys(events.sizes[0]?.per_access ?? {});
  main.append(element("h2", {}, "Events for each access"));
  const title = (name) => (events.units[name] ? `${name}, ${events.units[name]}` : name);
  table(main, {
    caption: `On pages of ${bytes(events.page_bytes)} (${events.pmu}).`,
    rows: events.sizes,
    columns: [
      number("list", (row) => row.bytes, (row) => bytes(row.bytes)),
      ...names.map(
          (name) => number(
              title(name), (row) => row.per_access[name],
              (row) => perAccess(row.per_access[name], row.per_access_ci95[name]))),
    ],
  });
  for (const [name, reason] of Object.entries(events.unavailable))
    main.append(element("p", {class: "note"}, `${name}: ${reason}`));
}

function perAccess(value, halfWidth) {
  if (!isNumber(value)) return "-";
  const text = fixed(value, 3);
  if (!isNumber(halfWidth)) return `~${text}`;
  if (halfWidth === 0) return text;
  return `${text} ± ${halfWidth < 0.0005 ? "<0.001" : fixed(halfWidth, 3)}`;
}

function drawLists(main, document) {
  const rows = document.sizes;
  main.append(element("h2", {}, "All lists"));
  const place = element(
      "details", {open: rows.length <= FEW_LISTS},
      element("summary", {}, plural(rows.length, "list")));
  main.append(place);
  table(place, {
    caption: "Each list with the time of a load and its 95 % interval.",
    rows,
    filter: "Find",
    columns: [
      number("memory", (list) => list.bytes, (list) => bytes(list.bytes)),
      number("elements", (list) => list.lines, (list) => whole(list.lines)),
      number("page", (list) => list.page_bytes, (list) => bytes(list.page_bytes)),
      number(
          "cycles", (list) => list.cycles,
          (list) => timeWithInterval(list.cycles, list.ci95, "").trim()),
      number("ns", (list) => list.ns, (list) => nanoseconds(list.ns)),
      number(
          "bias, ticks", (list) => list.bias_ticks,
          (list) => (isNumber(list.bias_ticks) ? fixed(list.bias_ticks, 0) : "-")),
      number(
          "loads", (list) => list.samples, (list) => whole(list.samples),
          "single loads, or batches of them"),
      words("elements lie", layoutText),
      words("peaks, cycles", peaks),
      words("remark", remark),
    ],
  });
}

// The peaks of faster loads are the clock's steps.
function peaks(list) {
  if (list.from_blocks) return "";
  return list.modes.map(({cycles, share}) => `${fixed(cycles, 0)} (${fixed(100 * share, 0)} %)`)
      .join(", ");
}
