// The page of compared profiles: what changed in all, a flame graph of the change, and a table of
// the rows that changed.
import {ChangeGraph} from "./change_graph.js";
import {decodeChanges, isSignificant, largestChange, pathTo, vanished} from "./change_tree.js";
import {element} from "./elements.js";
import {evidenceNotes} from "./evidence.js";
import {nameless, printable, shortened, shownName} from "./names.js";
import {figureText, fixed, isNumber, metricFigure, percent, plural, whole} from "./numbers.js";
import {intervalBar, nameOnOneLine, table} from "./table.js";

const FEWEST_SAMPLES = 5;  // a recording, of a row that is tested
const MOST_CALLERS = 6;    // that the text of a frame names

/**
 * @param {Element} main
 * @param {import("./data.js").Page} page of the kind "report-compare"
 */
export function drawProfileChanges(main, page) {
  const report = page.document;
  const amounts = new Amounts(page.profile?.clock ?? false);
  drawVerdict(main, report, amounts);
  if (page.profile) drawGraph(main, page, amounts);
  drawRows(main, report, amounts);
}

/** Writes times in ms, and other events as counts. */
class Amounts {
  constructor(clock) {
    this.unit = clock ? " ms" : "";
    this.unitInProse = clock ? " ms" : " events";
    this.what = clock ? "time" : "events";
    this.lessWord = clock ? "less" : "fewer";
    this.less = clock ? "takes less time" : "has fewer events";
    this.more = clock ? "takes more time" : "has more events";
    this.clock = clock;
  }

  number(count) { return this.clock ? fixed(count / 1e6, 1) : fixed(count, 0); }

  text(count) { return this.number(count) + this.unit; }

  // "+2.0", "-0.4", "0.0"
  change(count) {
    const size = this.number(Math.abs(count));
    if (size === this.number(0)) return size;
    return (count > 0 ? "+" : "-") + size;
  }

  // "-39.3…-25.8 ms"
  range([low, high]) { return `${this.change(low)}…${this.change(high)}${this.unit}`; }

  // "10.0…14.6 ms less", "2.0 ms less to 14.6 ms more"
  rangeInWords([low, high]) {
    const ends =
        [Math.abs(low), Math.abs(high)].sort((a, b) => a - b).map((end) => this.number(end));
    if (low > 0 || high < 0)
      return `${ends[0]}…${ends[1]}${this.unitInProse} ${low > 0 ? "more" : this.lessWord}`;
    return `${this.text(-low)} ${this.lessWord} to ${this.text(high)} more`;
  }
}

function isIncreased(gained) { return gained.value > 0; }

function drawVerdict(main, report, amounts) {
  const {value, ci95} = report.count_gained;
  const sentence = verdict(report, amounts);
  const tone = report.changed ? (isIncreased(report.count_gained) ? "more" : "less") : "unsure";
  const ends = [report.before.count, report.after.count, ...(ci95 ?? [])].map(Math.abs);
  const most = Math.max(...ends) || 1;
  main.append(
      element("p", {class: `overall-change ${tone}`}, sentence),
      element(
          "p", {class: "overall-change-bar"}, `${amounts.text(most)} ${amounts.lessWord} `,
          intervalBar({
            value,
            low: ci95?.[0] ?? null,
            high: ci95?.[1] ?? null,
            domain: [-most, most],
            label: sentence,
            tone,
            width: 320
          }),
          ` ${amounts.text(most)} more`),
      element("p", {class: "note"}, sideText("Before", report.before, amounts)),
      element("p", {class: "note"}, sideText("After", report.after, amounts)));
  if (report.before.exact && report.after.exact)
    main.append(element(
        "p", {class: "note"}, "Each event was a sample: the counts of each recording are exact."));
  for (const note of evidenceNotes(report)) main.append(note);
}

// The first sentences of the page. Nothing that was not tested sounds like a result.
function verdict(report, amounts) {
  const {value, ci95} = report.count_gained;
  const name = shownName(report.event);
  const word = isIncreased(report.count_gained) ? "more" : amounts.lessWord;
  const size = `${amounts.number(Math.abs(value))}${amounts.unitInProse} ${word}`;
  if (report.changed === null)
    return `Whether ${name} changed was not tested. The mean of the recordings is ${size} after ` +
        "than before, which can be chance.";
  if (!report.changed)
    return `No significant change of ${name} in all: ${amounts.rangeInWords(ci95)} at 95 %.`;
  const part = report.before.count > 0 ?
      `, ${fixed(100 * report.after.count / report.before.count, 1)} % of before` :
      "";
  return `${word === "more" ? "▲" : "▼"} In all, the program after the change ` +
      `${amounts.clock ? "takes" : "has"} ${size} (${name}): ${amounts.rangeInWords(ci95)} at ` +
      `95 %${part}.`;
}

function sideText(what, side, amounts) {
  const files = side.files.length === 1 ?
      printable(side.files[0]) :
      `${plural(side.files.length, "recording")}, ${printable(side.files[0])} … ` +
          printable(side.files.at(-1));
  return `${what}: ${files}; ${plural(side.samples, "sample")}, standing for ` +
      `${amounts.number(side.count)}${amounts.unitInProse}` +
      (side.files.length > 1 ? " a recording." : ".");
}

function drawGraph(main, page, amounts) {
  const {profile, document: report} = page;
  const tree = decodeChanges(profile.tree, report);
  const section = element(
      "section", {"aria-label": "Flame graph of the change"},
      element("h2", {}, "Where it changed"));
  main.append(section);
  if (tree.size === 1) {
    section.append(element("p", {class: "note"}, "The recordings have no samples to draw."));
    return;
  }
  const names = namesOf(profile, tree);
  const explain = (node) => explanation(tree, node, names, amounts);
  const place = element("div");
  const said = element(
      "div", {class: "frame-facts", role: "status"},
      element(
          "p", {class: "note"},
          "A click zooms into a frame. With the keyboard: arrows, Enter, and " +
              "Escape to show all."));
  const side = tree.after[0] > 0 ? "after" : "before";
  section.append(
      controls(tree, amounts, side, (total) => graph.showWidth(total), () => graph.zoom(0)),
      legend(tree, amounts, profile.tree.known), place, said);
  const graph = new ChangeGraph(place, tree, {
    nameOf: (node) => names(node).label,
    explain,
    largest: largestChange(tree),
    total: tree[side],
    onFocus: (node) => said.replaceChildren(...frameFacts(tree, node, explain(node), amounts)),
  });
  drawVanished(section, tree, names, amounts);
}

// The names of a node: short for its frame, and long for its text.
function namesOf(profile, tree) {
  return (node) => {
    const index = tree.functionOf[node];
    if (index < 0) return {label: "all", long: "all"};
    const module = shownName(profile.modules[profile.functions.module[index]], "no module");
    const name = profile.functions.name[index];
    const label = name ? shortened(printable(name)) : nameless(module);
    return {label, long: name ? `${label} in ${module}` : label};
  };
}

function stateOf(tree, node) {
  return ["not tested", "not significant", "significant"][tree.changed[node] + 1];
}

function explanation(tree, node, names, amounts) {
  const change = tree.after[node] - tree.before[node];
  const tested = Number.isFinite(tree.low[node]);
  const parts =
      [`${names(node).long}: ${amounts.text(tree.after[node])} now, ` +
       `${amounts.text(tree.before[node])} before, with what it calls.`];
  if (isSignificant(tree, node))
    parts.push(
        `${change < 0 ? "▼" : "▲"} It ${change < 0 ? amounts.less : amounts.more}: ` +
        `${amounts.rangeInWords([tree.low[node], tree.high[node]])}, at 95 %.`);
  else if (tree.changed[node] === 0)
    parts.push(
        "No significant change" +
        (tested ? `: ${amounts.rangeInWords([tree.low[node], tree.high[node]])}, at 95 %.` : "."));
  else
    parts.push("Its change was not tested.");
  const callers = pathTo(tree, tree.parent[node]).slice(-MOST_CALLERS);
  if (callers.length > 0)
    parts.push(`Called by ${callers.reverse().map((each) => names(each).label).join(", by ")}.`);
  return parts.join(" ");
}

// The focused frame in words, with the interval of its change beside a line at zero.
function frameFacts(tree, node, text, amounts) {
  const change = tree.after[node] - tree.before[node];
  const known = Number.isFinite(tree.low[node]);
  const most = Math.max(
      tree.before[node], tree.after[node], Math.abs(change),
      known ? Math.max(Math.abs(tree.low[node]), Math.abs(tree.high[node])) : 0);
  const bar = intervalBar({
    value: change,
    low: known ? tree.low[node] : null,
    high: known ? tree.high[node] : null,
    domain: [-most || -1, most || 1],
    width: 200,
    label: `change ${amounts.change(change)}${amounts.unit}, ${stateOf(tree, node)}`,
    tone: isSignificant(tree, node) ? (change > 0 ? "more" : "less") : "unsure"
  });
  return [bar, element("p", {}, text)];
}

// The buttons: which time is the width of the frames, and out of a zoom.
function controls(tree, amounts, chosen, showWidth, reset) {
  const button = (side, text) => element(
      "button", {
        type: "button",
        "aria-pressed": String(side === chosen),
        onclick: (event) => {
          for (const each of buttons)
            each.setAttribute("aria-pressed", String(each === event.currentTarget));
          showWidth(tree[side]);
        }
      },
      text);
  const buttons = [button("after", `New ${amounts.what}`), button("before", `Old ${amounts.what}`)];
  return element(
      "p", {class: "controls"},
      "Width: ", element("span", {role: "group", "aria-label": "Width of frames"}, ...buttons), " ",
      element("button", {type: "button", onclick: reset}, "Show all"));
}

function legend(tree, amounts, tests) {
  const largest = largestChange(tree);
  return element(
      "ul", {class: "change-legend"}, legendItem("less", `▼ ${amounts.less}`),
      legendItem("more", `▲ ${amounts.more}`),
      legendItem("none", "no significant change, or not tested"),
      element(
          "li", {class: "note"},
          largest > 0 ? `The strongest colour is the largest change, ${amounts.text(largest)}.` :
                        "No change in the call tree is significant."),
      ...fewPairs(tests));
}

// How many pairs the tests of the frames need, if there are fewer.
function fewPairs({tests, pairs, pairs_needed: needed}) {
  if (tests === 0 || pairs >= needed) return [];
  return [element(
      "li", {class: "note"},
      `${plural(tests, "change")} of frames would be tested together. That needs ` +
          `${plural(needed, "pair")} of recordings, and there are ${pairs}. Record more of both.`)];
}

function legendItem(tone, text) {
  return element(
      "li", {}, element("span", {class: `change-swatch ${tone}`, "aria-hidden": "true"}), text);
}

function drawVanished(section, tree, names, amounts) {
  const nodes = vanished(tree);
  if (nodes.length === 0) return;
  const significant = nodes.some((node) => isSignificant(tree, node));
  const list = element(
      "details", {class: "vanished", open: significant},
      element(
          "summary", {},
          `${plural(nodes.length, "frame")} without new ` +
              `${amounts.what}`),
      element(
          "p", {class: "note"},
          "They have samples before and none after. A frame with few samples " +
              "can vanish by chance."));
  const caller = (node) => names(tree.parent[node]).label;
  table(list, {
    caption: "Their callers still have samples.",
    rows: nodes,
    columns: [
      nameColumn("function", (node) => names(node).label, (node) => names(node).long),
      nameColumn("called by", caller, caller),
      {
        title: `before${amounts.unit}`,
        number: true,
        value: (node) => tree.before[node],
        text: (node) => amounts.number(tree.before[node])
      },
      {
        title: "changed",
        value: (node) => stateOf(tree, node),
        text: (node) => isSignificant(tree, node) ? `▼ ${amounts.less}` : stateOf(tree, node)
      },
    ],
  });
  section.append(list);
}

function nameColumn(title, text, full) {
  return {
    title,
    text,
    value: text,
    draw: (cell, row) =>
        cell.append(nameOnOneLine(shownName(text(row)), shortened(full(row), 1000)))
  };
}

function drawRows(main, report, amounts) {
  const kind = {module: "modules", line: "source lines"}[report.sort] ?? "functions";
  const section = element(
      "section", {"aria-label": "What changed"}, element("h2", {}, `What changed, by ${kind}`));
  main.append(section);
  const rows = report.rows.map((row) => ({row, state: rowState(row, amounts)}));
  const made = table(section, {
    rows,
    filter: rows.length > 1 ? `Filter ${kind}` : null,
    caption:
        `${shownName(report.event)} of the rows themselves, without what they call, as means ` +
        "over the recordings. The line in the bars is at 0.",
    rowClass: ({row}) => row.changed ? "significant" : "",
    columns: [
      ...rowNameColumns(report.sort), changeColumn(rows, amounts), changedColumn(),
      ...(report.sort === "module" ? [] : [moduleColumn()]), ...amountColumns(amounts),
      ...metricColumns(rows)
    ],
  });
  made.classList.add("profile-changes");
  if (report.evidence === "pairs")
    section.append(element(
        "p", {class: "note"},
        `Rows with fewer than ${FEWEST_SAMPLES} ` +
            "samples a recording are not tested, and none is if there are too few pairs for so many " +
            "rows. Changes and intervals come from pairs of recordings, and not from the means. " +
            "Changes of shares and of metrics are not tested."));
}

function rowState(row, amounts) {
  if (row.changed === null) return "not tested";
  if (!row.changed) return "not significant";
  return isIncreased(row.count_gained) ? `▲ ${amounts.more}` : `▼ ${amounts.less}`;
}

function moduleColumn() {
  const modules = ({row: {modules: [was, is]}}) =>
      was && is && was !== is ? `${shownName(was)} → ${shownName(is)}` : shownName(is ?? was);
  return nameColumn("module", modules, modules);
}

function rowNameColumns(sort) {
  const name = nameColumn(
      "function", ({row}) => shownName(row.function),
      ({row}) => printable(row.signature ?? row.function ?? ""));
  const line = nameColumn("line", place, ({row}) => printable(row.file ?? "?"));
  return {module: [moduleColumn()], line: [name, line]}[sort] ?? [name];
}

function place({row}) {
  if (!row.file) return "?";
  const file = printable(row.file.slice(row.file.lastIndexOf("/") + 1));
  return row.line ? `${file}:${row.line}` : file;
}

function changedColumn() {
  return {
    title: "changed",
    value: ({state}) => state,
    text: ({state}) => state,
    help: "Whether the change is significant, after correction for all rows"
  };
}

function amountColumns(amounts) {
  const side = (name) => ({
    title: `${name}${amounts.unit}`,
    number: true,
    value: ({row}) => row[name].count.value,
    text: ({row}) => amounts.number(row[name].count.value) + endsOf(row[name], amounts),
    draw: (cell, {row}) => cell.append(
        amounts.number(row[name].count.value),
        element("span", {class: "ends"}, endsOf(row[name], amounts))),
    help: `Mean over the recordings ${name} the change, and its 95 % interval`
  });
  const share = (name) => ({
    title: `share ${name}`,
    number: true,
    value: ({row}) => row[name].share.value,
    text: ({row}) => isNumber(row[name].share.value) ? percent(row[name].share.value) : "-"
  });
  return [
    side("before"), side("after"), share("before"), share("after"), {
      title: "samples",
      number: true,
      value: ({row}) => row.before.samples + row.after.samples,
      text: ({row}) => `${whole(row.before.samples)} → ${whole(row.after.samples)}`,
      help: "Samples of all recordings before and after"
    }
  ];
}

// A side without a sample has no spread that would say anything.
function endsOf({samples, count: {ci95}}, amounts) {
  return samples > 0 && ci95 ? ` (${amounts.number(ci95[0])}…${amounts.number(ci95[1])})` : "";
}

function changeColumn(rows, amounts) {
  let most = 0;
  for (const {row: {count_gained: {value, ci95}}} of rows)
    most = Math.max(most, Math.abs(value ?? 0), ...(ci95 ?? []).map(Math.abs));
  const domain = /** @type {[number, number]} */ ([-most || -1, most || 1]);
  const text = ({row: {count_gained: {value}}}) => isNumber(value) ? amounts.change(value) : "-";
  const ends = ({row: {count_gained: {ci95}}}) => ci95 ? amounts.range(ci95) : "no interval";
  return {
    title: `change${amounts.unit}`,
    number: true,
    value: ({row}) => row.count_gained.value,
    text: (row) => `${text(row)} ${ends(row)}`,
    help:
        `After minus before, with the 95 % interval. Bars go from ${amounts.text(domain[0])} to ` +
        amounts.text(domain[1]),
    draw: (cell, each) => {
      const {value, ci95} = each.row.count_gained;
      if (!isNumber(value)) return void (cell.textContent = "-");
      const tone = each.row.changed ? (value > 0 ? "more" : "less") : "unsure";
      cell.append(element(
          "div", {class: "estimate"}, intervalBar({
            value,
            low: ci95?.[0] ?? null,
            high: ci95?.[1] ?? null,
            domain,
            tone,
            label: `change ${text(each)}${amounts.unit}, ${ends(each)}, ${each.state}`
          }),
          element("span", {class: "gained"}, text(each)),
          element("span", {class: "ends"}, ci95 ? amounts.range(ci95) : "")));
    },
  };
}

function metricColumns(rows) {
  const names = new Set(rows.flatMap(({row}) => Object.keys(row.metrics)));
  return [...names].map((name) => {
    const side = (row, which) => {
      const metric = row.metrics[name];
      return metric ? figureText(metricFigure({...metric[which], unit: metric.unit})) : "-";
    };
    return {
      title: shownName(name),
      number: true,
      value: ({row}) => row.metrics[name]?.gained.value ?? null,
      text: ({row}) => `${side(row, "before")} → ${side(row, "after")}`,
      help: `${printable(name)} before and after, each with its interval. Sorts by the change`
    };
  });
}
