// A table that sorts and filters its rows, and the small picture of an estimate with its interval.
// It makes few rows at a time: a table of 100,000 rows must not stop the browser.
import {element, svg} from "./elements.js";
import {whole} from "./numbers.js";

const FIRST_ROWS = 100;
const MOST_NEW_ROWS = 2000;  // that one click adds

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [help] a sentence about the column
 * @property {(row: any) => number | string | null} value by which rows are sorted; null comes last
 * @property {(row: any) => string} text what the cell says; the filter searches columns of words
 * @property {boolean} [number] numbers are at the right, and the largest comes first
 * @property {(cell: HTMLElement, row: any) => void} [draw] fills the cell in place of the text
 */

/**
 * Draws a table. Rows stay in their order until a person sorts them.
 * @param {Element} parent
 * @param {object} options
 * @param {Column[]} options.columns
 * @param {any[]} options.rows
 * @param {string} options.caption
 * @param {string | null} [options.filter] the label of a text filter, if there is one
 * @param {(row: any) => void} [options.onOpen] a row was clicked, or Enter was pressed
 * @param {(row: any) => string} [options.rowClass] a CSS class of the row
 * @returns {HTMLElement} what was added to the parent
 */
export function table(parent, {columns, rows, caption, filter = null, onOpen, rowClass}) {
  const body = element("tbody");
  const headers = columns.map((column, index) => header(column, () => sortBy(index)));
  const status = element("span", {role: "status", class: "note"});
  const search = searchOf(rows, columns);
  const more = element("button", {type: "button", onclick: showMore});
  const state = {chosen: rows, shown: FIRST_ROWS, sorted: -1, descending: false, words: []};

  function sortBy(index) {
    const column = columns[index];
    state.descending = state.sorted === index ? !state.descending : column.number === true;
    state.sorted = index;
    headers.forEach((cell, at) => {
      if (at !== index) return cell.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    });
    refresh();
  }

  function refresh() {
    const found = search(state.words);
    state.chosen =
        state.sorted < 0 ? found : sorted(found, columns[state.sorted].value, state.descending);
    state.shown = FIRST_ROWS;
    body.replaceChildren();
    append(0);
    status.textContent =
        state.words.length === 0 ? "" : `${whole(found.length)} of ${whole(rows.length)} rows`;
  }

  function append(from) {
    const made = state.chosen.slice(from, state.shown)
                     .map((row) => tableRow(row, columns, {onOpen, rowClass}));
    body.append(...made);
    if (onOpen && from === 0 && made.length > 0) made[0].tabIndex = 0;
    if (state.chosen.length === 0) body.append(noRows(columns.length, rows.length > 0));
    const left = state.chosen.length - state.shown;
    more.hidden = left <= 0;
    more.textContent = `Show ${whole(Math.min(left, step()))} more of ${whole(left)} rows`;
  }

  function step() { return Math.min(state.shown, MOST_NEW_ROWS); }

  function showMore() {
    const from = state.shown;
    state.shown += step();
    append(from);
  }

  const input = filter === null ? null : element("input", {
    type: "search",
    oninput: () => {
      state.words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
      refresh();
    }
  });
  const made = element("div", {class: "table"});
  if (input)
    made.append(
        element("p", {class: "controls"}, element("label", {}, `${filter} `, input), " ", status));
  made.append(
      element(
          "div", {class: "scroll"},
          element(
              "table", {role: onOpen ? "grid" : null, onkeydown: moveFocus},
              ...(caption ? [element("caption", {}, element("span", {}, caption))] : []),
              element("thead", {}, element("tr", {}, ...headers)), body)),
      element("p", {class: "controls"}, more));
  refresh();
  parent.append(made);
  return made;
}

/** The text of a table's filter; null if it has no filter. */
export function filterText(made) { return filterField(made)?.value ?? null; }

export function setFilterText(made, text) {
  const field = filterField(made);
  if (!field || field.value === text) return;
  field.value = text;
  field.dispatchEvent(new Event("input"));
}

/** @returns {HTMLInputElement | null} */
function filterField(made) { return made.querySelector("input[type=search]"); }

function header(column, onclick) {
  return element(
      "th", {scope: "col", class: column.number ? "number" : null},
      element(
          "button", {type: "button", class: "sort", title: column.help, onclick}, column.title));
}

function tableRow(row, columns, {onOpen, rowClass}) {
  const made = element("tr", {class: rowClass ? rowClass(row) || null : null});
  for (const column of columns) {
    const cell = element("td", {class: column.number ? "number" : null});
    if (column.draw)
      column.draw(cell, row);
    else
      cell.textContent = column.text(row);
    made.append(cell);
  }
  if (!onOpen) return made;
  made.tabIndex = -1;
  made.classList.add("opens");
  made.addEventListener("click", () => {
    if (getSelection().isCollapsed) onOpen(row);  // a person who marks text does not open the row
  });
  made.addEventListener("keydown", (event) => {
    if (event.key === "Enter") onOpen(row);
  });
  return made;
}

function noRows(columns, filtered) {
  const text = filtered ? "No row has this text." : "There are no rows.";
  return element("tr", {}, element("td", {colspan: columns, class: "note"}, text));
}

/**
 * Handles a key: one row at a time is in the Tab order, and arrows go to the others.
 * @param {KeyboardEvent} event
 */
export function moveFocus(event) {
  const row = event.target;
  if (!(row instanceof HTMLTableRowElement)) return;
  const to = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: row.parentElement.firstElementChild,
    End: row.parentElement.lastElementChild
  }[event.key];
  if (!(to instanceof HTMLTableRowElement)) return;
  event.preventDefault();
  row.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

// Returns a function that finds the rows with all of some words in their columns of words. It
// remembers the texts of the rows from its first call on.
function searchOf(rows, columns) {
  const named = columns.filter((column) => !column.number);
  let texts = null;
  return (words) => {
    if (words.length === 0) return rows;
    texts ??= rows.map((row) => named.map((each) => each.text(row)).join("\n").toLowerCase());
    return rows.filter((_, index) => words.every((word) => texts[index].includes(word)));
  };
}

function sorted(rows, value, descending) {
  const keyed = rows.map((row, index) => ({row, index, key: value(row) ?? null}));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null)
      return Number(a.key === null) - Number(b.key === null) || a.index - b.index;
    if (a.key === b.key) return a.index - b.index;
    return a.key < b.key ? -sign : sign;
  });
  return keyed.map(({row}) => row);
}

const LAST_CHARACTERS = 8;  // of a name that stay where there is no room, as in style.css

/**
 * A name on one line. Where there is no room, its middle is left out.
 * @param {string} text
 * @param {string} title the whole name
 * @param {string} [kind] a CSS class
 */
export function nameOnOneLine(text, title, kind = "") {
  const characters = [...text];
  const cut = Math.max(0, characters.length - LAST_CHARACTERS);
  return element(
      "div", {class: `name one-line ${kind}`.trim(), title},
      ...[characters.slice(0, cut), characters.slice(cut)].map(
          (part) => element("span", {}, part.join(""))));
}

const BAR = {
  height: 16,
  margin: 5,
  cap: 4
};

/**
 * A dot with the bar of its 95 % interval. Without an interval the dot is hollow and has no bar.
 * @param {object} estimate
 * @param {number} estimate.value
 * @param {number | null} estimate.low
 * @param {number | null} estimate.high
 * @param {[number, number]} estimate.domain what the left and the right end of the picture mean:
 *     the same for all rows. If 0 is inside, there is a line at 0
 * @param {string} estimate.label the finding in words
 * @param {string} [estimate.tone] a CSS class: "more" is orange, "unsure" is grey
 * @param {number} [estimate.width] in pixels
 * @returns {SVGElement}
 */
export function intervalBar({value, low, high, domain, label, tone = "", width = 120}) {
  const span = domain[1] - domain[0] || 1;
  const room = width - 2 * BAR.margin;
  const place = (at) => BAR.margin + room * Math.min(Math.max((at - domain[0]) / span, 0), 1);
  const middle = BAR.height / 2;
  const line = (from, to, top, bottom, name) =>
      svg("line", {class: name, x1: from, x2: to, y1: top, y2: bottom});
  const picture =
      svg("svg", {
        class: `interval ${tone}`,
        role: "img",
        "aria-label": label,
        width,
        height: BAR.height,
        viewBox: `0 0 ${width} ${BAR.height}`
      },
          svg("title", {}, label));
  picture.append(line(place(domain[0]), place(domain[1]), middle, middle, "track"));
  if (domain[0] < 0 && domain[1] > 0)
    picture.append(line(place(0), place(0), 0, BAR.height, "zero"));
  const known = low !== null && high !== null;
  if (known) {
    picture.append(line(place(low), place(high), middle, middle, "bar"));
    for (const end of [low, high])  // an end outside of the picture has no cap
      if (end >= domain[0] && end <= domain[1])
        picture.append(line(place(end), place(end), middle - BAR.cap, middle + BAR.cap, "bar"));
  }
  picture.append(
      svg("circle", {class: known ? "dot" : "dot hollow", cx: place(value), cy: middle, r: 2.75}));
  return picture;
}
