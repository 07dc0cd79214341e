// Paints the cells of a heat map on a canvas, with the numbers that have room, and finds the cell
// at a place.
import {max} from "d3-array";
import {interpolateLab} from "d3-interpolate";
import {cssValue, readable} from "./colours.js";
import {isNumber} from "./numbers.js";

const CELL = {
  least: 2,
  most: 84,
  highest: 44
};  // pixels
const NUMBER = 40;  // from this width on, a cell has room for a number without its interval
const FONT = 12;    // pixels
const SHADES = 100;

/**
 * Where the cells are, in pixels of the page.
 * @typedef {object} Layout
 * @property {number} left of the first cell
 * @property {number} top of the first cell
 * @property {number} width of a cell
 * @property {number} height of a cell
 */

/**
 * What is painted.
 * @typedef {object} Cells
 * @property {string[]} rowNames
 * @property {string[]} columnNames
 * @property {number[]} rows the order of the rows
 * @property {number[]} columns the order of the columns
 * @property {{row: number, column: number, part: number, text: string, sure: boolean}[]} known
 *     `part` is the place in the colours, 0 to 1
 * @property {{row: number, column: number}[]} missing cells that should have a time
 */

/** The colours of times from 0 to 1, in the theme of the page: from near the background to blue. */
export function shade(part) {
  const {back, blue} = theme();
  return interpolateLab(back, blue)(0.08 + 0.92 * part);
}

function theme() {
  return {
    back: cssValue("--back"),
    blue: cssValue("--blue"),
    text: cssValue("--text"),
    quiet: cssValue("--quiet"),
    font: `${FONT}px ${getComputedStyle(document.body).fontFamily}`
  };
}

// Each shade, and the colour of text on it.
function shades({back, blue, text}) {
  const ramp = interpolateLab(back, blue);
  return Array.from({length: SHADES + 1}, (_, index) => {
    const fill = ramp(0.08 + 0.92 * index / SHADES);
    return {fill, ink: readable(fill, text, back)};
  });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Cells} cells
 * @param {number} room the width of the canvas's place
 * @returns {Layout}
 */
export function paintCells(canvas, cells, room) {
  const palette = theme();
  const context = canvas.getContext("2d");
  context.font = palette.font;
  const layout = layoutOf(context, cells, room);
  resize(
      canvas, layout.left + layout.width * cells.columns.length + 2,
      layout.top + layout.height * cells.rows.length + 2);
  context.font = palette.font;
  context.textBaseline = "middle";
  const box = boxesOf(cells, layout);
  paintMissing(context, cells.missing, layout, palette, box);
  paintKnown(context, cells.known, layout, shades(palette), box);
  paintNames(context, cells, layout, palette);
  return layout;
}

function layoutOf(context, {rowNames, columns}, room) {
  const left = Math.ceil(max(rowNames, (name) => context.measureText(name).width)) + 8;
  const fitting = Math.floor((room - left - 2) / columns.length);
  const width = Math.min(CELL.most, Math.max(CELL.least, fitting));
  return {left, top: FONT + 10, width, height: Math.min(width, CELL.highest)};
}

function resize(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.getContext("2d").scale(ratio, ratio);
}

/** Returns a function that finds the corner of a cell. */
export function boxesOf({rows, columns}, {left, top, width, height}) {
  const [rowAt, columnAt] = [inverse(rows), inverse(columns)];
  return ({row, column}) => ({x: left + columnAt[column] * width, y: top + rowAt[row] * height});
}

function inverse(order) {
  const made = [];
  order.forEach((index, at) => {
    made[index] = at;
  });
  return made;
}

function paintMissing(context, missing, {width, height}, palette, box) {
  context.strokeStyle = palette.quiet;
  context.beginPath();
  for (const cell of missing) {
    const {x, y} = box(cell);
    context.moveTo(x + 1, y + height - 2);
    context.lineTo(x + width - 2, y + 1);
  }
  context.stroke();
}

function paintKnown(context, known, {width, height}, colours, box) {
  const gap = width >= 12 ? 1 : 0;
  const widest = max(known, ({text}) => context.measureText(text).width);
  const textOf = widest + 6 < width ? ({text}) => text :
      width > NUMBER                ? ({text}) => text.split(" ")[0] :
                                      () => "";
  context.textAlign = "center";
  for (const cell of known) {
    const {x, y} = box(cell);
    const {fill, ink} = colours[Math.round(cell.part * SHADES)];
    context.fillStyle = fill;
    context.fillRect(x, y, width - gap, height - gap);
    context.fillStyle = ink;
    context.fillText(textOf(cell), x + width / 2, y + height / 2);
    if (!cell.sure && gap > 0) context.fillRect(x + width - gap - 5, y + 2, 3, 3);
  }
}

// As many names as have room.
function paintNames(context, cells, {left, top, width, height}, palette) {
  context.fillStyle = palette.quiet;
  context.textAlign = "right";
  const everyRow = Math.ceil((FONT + 2) / height);
  cells.rows.forEach((row, at) => {
    if (at % everyRow === 0)
      context.fillText(cells.rowNames[row], left - 5, top + (at + 0.5) * height);
  });
  context.textAlign = "center";
  const widest = max(cells.columnNames, (name) => context.measureText(name).width);
  const everyColumn = Math.ceil((widest + 6) / width);
  cells.columns.forEach((column, at) => {
    if (at % everyColumn === 0)
      context.fillText(cells.columnNames[column], left + (at + 0.5) * width, top - 9);
  });
}
