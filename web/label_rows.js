// Puts labels above a plot into rows, so that none covers another.

const CHARACTER = 6.8;  // width of one in a label, in pixels
const GAP = 6;

/** Height of a row, in pixels. */
export const LABEL_ROW = 15;

/**
 * Gives each label the lowest row in which it touches no other.
 * @template T
 * @param {(T & {x: number, label: string})[]} labels x is the wanted middle
 * @param {number} width of the plot
 * @returns {(T & {label: string, x: number, middle: number, row: number})[]} from left to right
 */
export function labelRows(labels, width) {
  const ends = [];
  return labels.slice().sort((a, b) => a.x - b.x).map((each) => {
    const half = CHARACTER * each.label.length / 2;
    const middle = Math.max(Math.min(half, width / 2), Math.min(width - half, each.x));
    let row = 0;
    while (ends[row] > middle - half - GAP) ++row;
    ends[row] = middle + half;
    return {...each, middle, row};
  });
}

/** The number of rows. @param {{row: number}[]} labels */
export function rowCount(labels) {
  return labels.reduce((most, {row}) => Math.max(most, row + 1), 0);
}

/** How wide a label is, about. @param {string} label */
export function labelWidth(label) { return CHARACTER * label.length; }
