// The code of a function: its source beside its instructions, with the samples of each. Rows of the
// same source line are marked together.
import {element} from "./elements.js";
import {quoted} from "./heading.js";
import {instructionsToShow, linesInOrder, linesToShow} from "./hot_rows.js";
import {printable, shortened, shownName} from "./names.js";
import {countColumn, figureText, metricFigure, percent, plural, range, whole} from "./numbers.js";
import {intervalBar, moveFocus} from "./table.js";

const MOST_ROWS = 2000;    // of a listing, before a person asks for more
const LONGEST_LINE = 500;  // characters
const BAR_WIDTH = 84;
// Least shares of rows that are shaded.
const HOT = 0.2;
const WARM = 0.05;

/**
 * Adds the code of a function to `parent`, or says why it is not in the page.
 * @param {Element} parent
 * @param {import("./data.js").Page} page of the kind "report"
 * @param {string} functionName
 * @param {string} moduleName
 */
export function drawCode(parent, page, functionName, moduleName) {
  const code = page.profile?.code?.find(
      (each) => each.function === functionName && each.module === moduleName);
  const section = element("section", {class: "code", "aria-label": "Code of the function"});
  section.append(element("h2", {}, `${shownName(functionName)} in ${shownName(moduleName)}`));
  section.append(...(code ? listings(code, page) : absent(functionName)));
  parent.append(section);
}

function absent(functionName) {
  if (!functionName)
    return [element("p", {class: "note"}, "The name of this code is not known: no code is shown.")];
  const command = `tacho annotate -i RECORDING ${printable(quoted(functionName))}`;
  return [element(
      "p", {class: "note"},
      "The code of this function is not in this page: it is not among the hottest ones, its " +
          "file was not found, or the page was written without code. This command shows it, or " +
          "says why it cannot: ",
      element("code", {}, command))];
}

function listings(code, page) {
  const events =
      code.events.map((event, index) => ({...event, index})).filter((event) => event.samples > 0);
  const chosen = events.find((event) => event.name === code.event.name) ?? events[0];
  const state = {event: chosen, all: false};
  const place = element("div", {class: "listings"});
  const said = element("p", {class: "note", role: "status"});
  const draw = () => {
    const links = new Links(said);
    place.replaceChildren(
        sourcePanel(code, state, page, links), instructionPanel(code, state, page, links));
    said.textContent = "";
  };
  const notes = [summary(code, state), skidNote(code), ...code.warnings.map(printable)];
  draw();
  return [
    ...notes.map((note) => element("p", {class: "note"}, note)), controls(events, state, draw),
    place, said
  ];
}

function summary(code, {event}) {
  const into = code.inlined_into ? `Inlined into ${shownName(code.inlined_into)}. ` : "";
  const interval = code.ci95 ? ` (${range(code.ci95)} at 95 %)` : "";
  return `${into}${plural(code.samples, "sample")} of ${shownName(event?.name)}, ` +
      `${percent(code.share)} of all${interval}. ` +
      "Shares and intervals below are of the function's samples.";
}

function skidNote(code) {
  if (code.events.every((event) => event.exact === event.samples))
    return "Sampling was precise: addresses are those of the instructions that caused the event.";
  return "A sample's address can be later than the instruction that caused it (skid). Look at the " +
      "instructions before a hot one, too.";
}

function controls(events, state, draw) {
  const toggle = element(
      "button", {
        type: "button",
        "aria-pressed": "true",
        onclick: () => {
          state.all = !state.all;
          toggle.setAttribute("aria-pressed", String(!state.all));
          draw();
        }
      },
      "Hot parts only");
  const made = element("p", {class: "controls"}, toggle);
  if (events.length > 1) {
    const select = element(
        "select", {
          onchange: () => {
            state.event = events[select.selectedIndex];
            draw();
          }
        },
        ...events.map(
            (event) =>
                element("option", {selected: event === state.event}, shownName(event.name))));
    made.append(" ", element("label", {}, "Samples of ", select));
  }
  return made;
}

/**
 * The figures of a line or an instruction for one event.
 * @typedef {{samples: number, count: number, ci95: number[] | null, share: number,
 *            share95: number[] | null}} Figures
 */

/** @returns {Figures} */
function figuresOf(part, code, event) {
  const {samples, count, ci95} = part.events[event.index];
  if (event.name === code.event.name)
    return {samples, count, ci95, share: part.share, share95: part.ci95};
  const total = code.counts[event.index].count;
  const of = (value) => total > 0 ? Math.min(value / total, 1) : 0;
  return {samples, count, ci95, share: of(count), share95: ci95 ? ci95.map(of) : null};
}

// The shares of each part, event by event: a part that is hot for any event is shown.
function sharesOf(parts, code) {
  return parts.map(
      (part) => part.events.map(
          ({count}, index) => code.counts[index].count > 0 ? count / code.counts[index].count : 0));
}

function sourcePanel(code, state, page, links) {
  const lines = linesInOrder(code.lines);
  const shown = state.all ? lines.map(() => true) : linesToShow(lines, sharesOf(lines, code));
  let file = null;
  const cells = (line) => {
    const made = [number(String(line.line)), textCell(line.text ?? "(the source was not found)")];
    const above = line.file === file ? null : shownName(line.file, "file not known");
    file = line.file;
    return {cells: made, above, key: keyOf(line), name: `line ${line.line}`};
  };
  return panel(
      {
        title: "Source",
        one: "line",
        parts: lines,
        shown,
        heads: ["line", "source"],
        cells,
        empty: "No source lines are known: the program has no debug information, or its " +
            "source was not found."
      },
      code, state, page, links);
}

function instructionPanel(code, state, page, links) {
  const parts = code.instructions;
  const shown =
      state.all ? parts.map(() => true) : instructionsToShow(parts, sharesOf(parts, code));
  const cells = (part) => ({
    cells: [
      element("td", {class: "number mono"}, part.address), textCell(part.text), sourceCell(part)
    ],
    above: null,
    key: keyOf(part),
    name: `instruction at ${part.address}`
  });
  return panel(
      {
        title: "Instructions",
        one: "instruction",
        parts,
        shown,
        heads: ["address", "instruction", "line"],
        cells,
        empty: "No instructions are known: the program file was not found, or tacho was " +
            "built without a disassembler."
      },
      code, state, page, links);
}

function keyOf({file, line}) { return file && line ? `${line} ${file}` : null; }

function textCell(text) {
  const plain = text.replaceAll("\t", "    ").replaceAll("\r", "");
  return element("td", {class: "text"}, shortened(printable(plain), LONGEST_LINE));
}

function sourceCell({file, line, inlined}) {
  const name = file ? file.slice(file.lastIndexOf("/") + 1) : "";
  const text = name ? `${name}:${line}` : "";
  return element("td", {class: "ends"}, shownName(inlined ? `${text} ${inlined}` : text, ""));
}

// One of the two listings: a table that scrolls in itself.
function panel({title, one, parts, shown, heads, cells, empty}, code, state, page, links) {
  const made = element("div", {class: "code-panel"}, element("h3", {}, title));
  if (parts.length === 0 || !state.event) {
    made.append(element("p", {class: "note"}, parts.length === 0 ? empty : "No samples."));
    return made;
  }
  const figures = parts.map((part) => figuresOf(part, code, state.event));
  const metrics = Object.keys(parts[0].metrics)
                      .filter((name) => parts.some((part) => part.metrics[name]?.value != null));
  const figureCells = figureWriter(figures, code, state, page);
  const names = [
    "share", "95 %", ...heads, "samples", shownName(state.event.name),
    ...metrics.map((name) => shownName(name))
  ];
  const body = element("tbody");
  const write = (index) => {
    const part = cells(parts[index]);
    if (part.above !== null) body.append(wideRow(part.above, names.length, "file"));
    const [shares, counts] = figureCells(index);
    const row = element(
        "tr", {class: shade(figures[index].share), tabindex: -1}, ...shares, ...part.cells,
        ...counts, ...metrics.map((name) => metricCell(parts[index], name)));
    links.add(
        row, part.key,
        `${part.name}: ${figures[index].samples > 0 ? percent(figures[index].share) : "no sample"}`,
        one);
    body.append(row);
  };
  const chosen = parts.map((_, index) => index).filter((index) => shown[index]);
  const end = element("p", {class: "note"});
  writeRows(chosen, write, body, names.length, end);
  const first = body.querySelector("tr[tabindex]");
  if (first) first.tabIndex = 0;
  const head = names.map(
      (name) => element("th", {scope: "col", class: heads.includes(name) ? null : "number"}, name));
  made.append(
      element(
          "div", {class: "scroll listing"},
          element(
              "table", {"aria-label": title, onkeydown: moveFocus},
              element("thead", {}, element("tr", {}, ...head)), body)),
      end);
  if (chosen.length < parts.length) made.append(leftOut(figures, shown, one));
  return made;
}

// Writes rows, with a mark where rows are left out, and a button for those beyond MOST_ROWS.
function writeRows(chosen, write, body, width, end) {
  let at = 0;
  const more = element("button", {type: "button", onclick: next}, "Show more rows");
  function next() {
    const until = Math.min(at + MOST_ROWS, chosen.length);
    for (; at < until; ++at) {
      if (at > 0 && chosen[at] > chosen[at - 1] + 1) body.append(wideRow("…", width, "gap"));
      write(chosen[at]);
    }
    more.hidden = at >= chosen.length;
  }
  end.append(more);
  next();
}

function wideRow(text, width, name) {
  return element("tr", {class: name}, element("td", {colspan: width}, text));
}

function leftOut(figures, shown, one) {
  const rest = figures.filter((_, index) => !shown[index]);
  const share = rest.reduce((sum, each) => sum + each.share, 0);
  return element(
      "p", {class: "note"},
      `${plural(rest.length, one)} more, with ${percent(share)} of the samples.`);
}

function shade(share) { return share >= HOT ? "hot" : share >= WARM ? "warm" : null; }

// Returns a function that makes the cells of a row: of its share, and of its counts. Rows without a
// sample have no figures: a column of zeros would hide the others.
function figureWriter(figures, code, {event}, page) {
  const unit = page.profile.events.find((each) => each.name === event.name)?.unit ?? null;
  const write =
      countColumn({total: event.count, unit, intervals: figures.map((each) => each.ci95)});
  const domain = /** @type {[number, number]} */ ([
    0,
    Math.max(...figures.map((each) => each.samples > 0 ? each.share95?.[1] ?? each.share : 0), 0.01)
  ]);
  return (index) => {
    const {samples, count, ci95, share, share95} = figures[index];
    if (samples === 0) return [[element("td"), element("td")], [element("td"), element("td")]];
    const label = share95 ? `${percent(share)}, 95 % interval ${range(share95)}` :
                            `${percent(share)}, interval not known`;
    const bar = intervalBar({
      value: share,
      low: share95?.[0] ?? null,
      high: share95?.[1] ?? null,
      domain,
      label,
      width: BAR_WIDTH
    });
    return [
      [number(percent(share)), element("td", {title: label}, bar)],
      [number(whole(samples)), number(write(count, ci95))]
    ];
  };
}

function number(text) { return element("td", {class: "number"}, text); }

function metricCell(part, name) {
  const sampled = part.events.some((event) => event.samples > 0);
  const figure = sampled ? figureText(metricFigure(part.metrics[name])) : "";
  return number(figure);
}

// The rows that come from the same source line. Pointing at one marks all.
class Links {
  constructor(said) {
    this.said = said;
    this.rows = new Map();  // by file and line
    this.marked = [];
  }

  add(row, key, name, one) {
    if (key !== null) {
      if (!this.rows.has(key)) this.rows.set(key, []);
      this.rows.get(key).push({row, one});
    }
    row.addEventListener("mouseenter", () => this.mark(key));
    row.addEventListener("mouseleave", () => this.mark(null));
    row.addEventListener("focus", () => this.tell(key, name, one));
    row.addEventListener("blur", () => this.mark(null));
    row.addEventListener("click", () => this.reveal(row, key));
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.reveal(row, key);
    });
  }

  mark(key) {
    for (const {row} of this.marked) row.classList.remove("linked");
    this.marked = this.rows.get(key) ?? [];
    for (const {row} of this.marked) row.classList.add("linked");
  }

  tell(key, name, one) {
    this.mark(key);
    const other = one === "line" ? "instruction" : "line";
    const count = this.marked.filter((each) => each.one === other).length;
    this.said.textContent =
        `${name}; ${plural(count, `shown ${other}`)} of the same source line marked`;
  }

  // Brings the first row of the other listing into view.
  reveal(row, key) {
    const panel = row.closest(".code-panel");
    const other = (this.rows.get(key) ?? []).find((each) => !panel.contains(each.row));
    const place = other?.row.closest(".listing");
    if (place) place.scrollTop = other.row.offsetTop - place.clientHeight / 3;
  }
}
