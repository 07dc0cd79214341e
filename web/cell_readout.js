// Reads the cells of a picture that has rows and columns: an outline marks the cell under the
// pointer, or the one that the arrow keys lead to, and the tooltip has its text.
import {hideTooltip, showTooltip} from "./chart.js";
import {svg} from "./elements.js";

/**
 * @typedef {object} Cells
 * @property {number} rows
 * @property {number} columns
 * @property {(x: number, y: number) => {row: number, column: number}} at the cell at a place of the
 *     picture, in pixels; it may be outside
 * @property {(row: number, column: number) => {x: number, y: number, width: number,
 *     height: number}} boxOf
 * @property {(row: number, column: number) => string} textOf
 */

/**
 * @param {SVGElement} picture
 * @param {Cells} cells
 * @returns {Element} the outline
 */
export function readCells(picture, {rows, columns, at, boxOf, textOf}) {
  const outline = svg("rect", {class: "read-cell", visibility: "hidden"});
  let cell = {row: 0, column: 0};

  function show(next, place) {
    cell = next;
    const box = boxOf(cell.row, cell.column);
    for (const [name, value] of Object.entries(box)) outline.setAttribute(name, value);
    outline.setAttribute("visibility", "visible");
    const {left, top} = picture.getBoundingClientRect();
    const {x, y} = place ?? {x: left + box.x, y: top + box.y + box.height - 8};
    showTooltip(textOf(cell.row, cell.column), x, y);
  }

  function hide() {
    outline.setAttribute("visibility", "hidden");
    hideTooltip();
  }

  const isInside = ({row, column}) => row >= 0 && row < rows && column >= 0 && column < columns;
  picture.setAttribute("tabindex", "0");
  picture.addEventListener("pointermove", (event) => {
    const {left, top} = picture.getBoundingClientRect();
    const next = at(event.clientX - left, event.clientY - top);
    if (event.buttons === 0 && isInside(next))
      show(next, {x: event.clientX, y: event.clientY});
    else
      hide();
  });
  picture.addEventListener("pointerleave", hide);
  picture.addEventListener("focus", () => {
    if (picture.matches(":focus-visible")) show(cell);
  });
  picture.addEventListener("blur", hide);
  picture.addEventListener("keydown", (event) => {
    const step = stepOf(event.key, columns);
    if (!step) return;
    event.preventDefault();
    show({
      row: Math.max(0, Math.min(rows - 1, cell.row + step.rows)),
      column: Math.max(0, Math.min(columns - 1, cell.column + step.columns))
    });
  });
  return outline;
}

// How far a key leads; undefined for other keys.
function stepOf(key, columns) {
  return {
    ArrowLeft: {rows: 0, columns: -1},
    ArrowRight: {rows: 0, columns: 1},
    ArrowUp: {rows: -1, columns: 0},
    ArrowDown: {rows: 1, columns: 0},
    Home: {rows: 0, columns: -columns},
    End: {rows: 0, columns},
  }[key];
}
