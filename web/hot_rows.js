// Which lines and instructions a reader should see first. The rules are those of
// src/profile/hot_rows.cpp.

// Together, hot parts have COVERED of an event's samples. A part below LEAST explains nothing.
const COVERED = 0.9;
const MOST = 10;
const LEAST = 0.005;
const LINES_AROUND = 2;
const INSTRUCTIONS_AROUND = 3;

/**
 * @param {number[][]} shares of each part, event by event
 * @returns {Set<number>} indexes of the hot parts
 */
function hotParts(shares) {
  const hot = new Set();
  for (let event = 0; event < (shares[0]?.length ?? 0); ++event) {
    const order = shares.map((_, index) => index)
                      .sort((a, b) => shares[b][event] - shares[a][event] || a - b);
    let covered = 0;
    for (const index of order.slice(0, MOST)) {
      if (covered >= COVERED || shares[index][event] < LEAST) break;
      hot.add(index);
      covered += shares[index][event];
    }
  }
  return hot;
}

/** @returns {boolean[]} which lines are hot, or near a hot one */
export function linesToShow(lines, shares) {
  const near = new Set();
  for (const index of hotParts(shares))
    for (let step = -LINES_AROUND; step <= LINES_AROUND; ++step)
      near.add(`${lines[index].line + step} ${lines[index].file}`);
  return lines.map(({file, line}) => near.has(`${line} ${file}`));
}

/** @returns {boolean[]} which instructions are hot, or near a hot one */
export function instructionsToShow(instructions, shares) {
  const shown = instructions.map(() => false);
  for (const index of hotParts(shares))
    shown.fill(true, Math.max(index - INSTRUCTIONS_AROUND, 0), index + INSTRUCTIONS_AROUND + 1);
  return shown;
}

/** The order in which lines are read: one's own files before libraries, the hottest file first. */
export function linesInOrder(lines) {
  const shares = new Map();
  for (const {file, share} of lines) shares.set(file, (shares.get(file) ?? 0) + share);
  const files = [...shares.keys()].sort(
      (a, b) => Number(isForeign(a)) - Number(isForeign(b)) || shares.get(b) - shares.get(a) ||
          (a < b ? -1 : 1));
  const place = new Map(files.map((file, index) => [file, index]));
  return [...lines].sort((a, b) => place.get(a.file) - place.get(b.file) || a.line - b.line);
}

function isForeign(file) {
  if (!file) return true;
  if (file.startsWith("/usr/") && !file.startsWith("/usr/src/")) return true;
  return ["/include/c++/", "/rustc/", "/.cargo/registry/", "/lib/gcc/"].some(
      (part) => file.includes(part));
}
