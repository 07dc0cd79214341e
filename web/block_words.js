// The numbers and words of `tacho blocks`, written as its text report writes them.
import {shownName, printable} from "./names.js";
import {brief, fixed, isNumber, percent, plural, range, whole} from "./numbers.js";

/** The largest value that an entry of a branch stack can hold: it means this many or more. */
export const MOST_CYCLES = 65535;

/** "34.1", "164" */
export function cyclesOf(cycles) {
  return isNumber(cycles) ? fixed(cycles, cycles < 100 ? 1 : 0) : "-";
}

/** "164"; "≥65,535" */
export function cyclesCell(cycles) {
  if (!isNumber(cycles)) return "-";
  return (cycles === MOST_CYCLES ? "≥" : "") + whole(cycles);
}

/** "167 (164…169)", "12 (?)" */
export function medianCell({median, median_ci95: ends}) {
  if (!isNumber(median)) return "-";
  if (!ends) return `${cyclesCell(median)} (?)`;
  if (ends[0] === ends[1]) return cyclesCell(median);
  return `${cyclesCell(median)} (${cyclesCell(ends[0])}…${cyclesCell(ends[1])})`;
}

/** "0.79 (0.78…0.79)"; "≤0.01" if executions are saturated. */
export function ipcCell(run) {
  if (!isNumber(run.ipc)) return "-";
  const value = fixed(run.ipc, 2);
  if (run.cycles.saturated > 0) return `≤${value}`;
  if (!run.ipc_ci95) return `${value} (?)`;
  const [low, high] = run.ipc_ci95.map((end) => fixed(end, 2));
  return low === high ? value : `${value} (${low}…${high})`;
}

/** "0.0 % (0.0…0.1)" */
export function mispredictedCell(run) {
  if (!isNumber(run.mispredicted) || !run.mispredicted_ci95) return "-";
  const [low, high] = run.mispredicted_ci95;
  return `${percent(run.mispredicted / run.count)} ` +
      `(${fixed(100 * low, 1)}…${fixed(100 * high, 1)})`;
}

/** "foo+0x0"; addresses if the function is not known. */
export function runName(run) {
  if (run.function) return `${shownName(run.function)}+0x${run.offset.toString(16)}`;
  return run.instructions === null ? `${run.start}…${run.end}` : run.start;
}

export function moduleName(run) { return shownName(run.module, "[no module]"); }

// Digits after the point: one for small values, and for narrow intervals around large ones.
function digitsBetween([low, high]) { return low < 100 || high - low < 10 ? 1 : 0; }

/** "6.9 % of executions (5.8…8.2 %) at 73.5 cycles (72.5…74.0): 39.4 more" */
export function modeText(mode) {
  const open = mode.cycles >= MOST_CYCLES;
  const digits = digitsBetween(mode.ci95);
  const ends = mode.ci95.map((end) => fixed(end, digits));
  const place = open ? `${whole(MOST_CYCLES)} cycles or more` :
                       `${fixed(mode.cycles, digits)} cycles (${ends[0]}…${ends[1]})`;
  const more = isNumber(mode.extra_cycles) ?
      `: ${open ? "at least " : ""}${cyclesOf(mode.extra_cycles)} more than if nothing missed` :
      "";
  return `${percent(mode.share)} of executions (${range(mode.share_ci95)}) at ${place}${more}`;
}

/** "1 cycles at least, 1 in the fastest hundredth, median 164" */
export function measuredText(run, explanation) {
  const parts = [`${cyclesCell(run.cycles.min)} cycles at least`];
  if (explanation) parts.push(`${cyclesCell(explanation.fastest_cycles)} in the fastest hundredth`);
  parts.push(`median ${medianCell(run.cycles)}`);
  const {mean, mean_ci95: ends} = run.cycles;
  if (isNumber(mean)) parts.push(`mean ${meanText(mean, ends)}`);
  return `${parts.join(", ")}.`;
}

/** "166.2 (165.6…166.9)" */
export function meanText(mean, ends) {
  if (!ends) return `${fixed(mean, 1)} (?)`;
  return `${fixed(mean, 1)} (${fixed(ends[0], 1)}…${fixed(ends[1], 1)})`;
}

/**
 * How many cycles the code should take, and how tacho knows it.
 * @param {any} explanation
 * @param {boolean} hasCode
 */
export function floorText(explanation, hasCode) {
  const {floor, core, simulated, analysed_cycles: analysed, width_cycles: width} = explanation;
  const cycles = cyclesOf(floor.cycles);
  if (floor.basis === "observed")
    return "No estimate, because " +
        (hasCode ? "tacho does not know the core" : "the code is not here") +
        `: ${cycles} cycles, as in the fastest executions.`;
  const name = `${simulated ? "the simulated " : ""}${shownName(core, "this core")}`;
  if (!isNumber(analysed))
    return `At least ${cycles} cycles if nothing missed (by the width of ${name}).`;
  return `${cycles} cycles if nothing missed (llvm-mca for ${name}: ${cyclesOf(analysed)}; ` +
      `${cyclesOf(width)} by its width).`;
}

/** The work before the load that is assumed to miss. */
export function windowText({load, window}) {
  return `${cyclesOf(window.cost.cycles)} cycles: ${plural(window.instructions, "instruction")} ` +
      `that do not need it before ${shownName(load, "a load")}. tacho assumes that this load ` +
      "misses.";
}

/** What a prefetch can hide. */
export function adviceText({window}) {
  const parts = [];
  if (window.cost.cycles < 1) {
    parts.push("This run has no work that could hide the miss.");
  } else {
    parts.push(
        `A prefetch where the address is known hides at most ` +
        `${cyclesOf(window.hidden_cycles)} of the ${cyclesOf(window.extra_cycles)} cycles ` +
        `that the slowest mode waits. It saves at most ${percent(window.saving)} ` +
        `(${range(window.saving_ci95)}) of the run's cycles.`);
  }
  if (window.rounds_ahead >= 1)
    parts.push(
        `To hide all of them, ask for the line about ` +
        `${plural(window.rounds_ahead, "round")} ahead of the run that needs it (a round ` +
        `takes ${cyclesOf(window.round_cycles)} cycles when nothing misses).`);
  return parts.join(" ");
}

const MOST_UNSEEN = 0.02;  // the smallest share of a mode

/** Why there is no advice; "" if the run has no slow mode. */
export function noAdviceText({modes, unseen}, hasCode) {
  if (!modes.some((mode) => isNumber(mode.extra_cycles))) return "";
  if (unseen > MOST_UNSEEN)
    return `None, because the stacks have too few of these executions: a mode with up to ` +
        `${percent(unseen)} of all executions may be missing, and ${percent(MOST_UNSEEN)} is ` +
        "allowed. Record longer.";
  return hasCode ?
      "This run has no load that the slow executions could wait for. Look for a misprediction " +
          "before the run, for stores, or for the front end." :
      "The slow executions cannot be explained without the code: --symfs names the folder that " +
          "has it.";
}

/** "2.50 iterations each time (1.00…1,013)" */
export function tripsText({trips, trips_ci95: [low, high]}) {
  if (!isNumber(trips)) return `at least ${brief(low)}`;
  return `${brief(trips)} (${brief(low)}…${isNumber(high) ? brief(high) : "?"})`;
}

/** What the recording has, and what tacho left out. */
export function headText(document) {
  const {skipped, has_cycles: hasCycles} = document;
  const left =
      [
        [skipped.doubled, "doubled newest entries"],
        [skipped.empty, "empty stacks"],
        [skipped.impossible, "that cannot have run straight"],
        [hasCycles ? skipped.no_cycles : 0, "without cycles"],
        [skipped.wrong_path, "branches on a wrong path"],
      ].filter(([count]) => count > 0)
          .map(([count, what]) => `${whole(count)} ${what}`);
  const text = `${shownName(document.event, "Samples")}: ${plural(document.samples, "sample")} ` +
      `with branch stacks, ${whole(document.entries)} branches.`;
  return left.length > 0 ? `${text} Left out: ${left.join(", ")}.` : text;
}

/** The words of a command. */
export function commandText(words) {
  return printable(
      (words ?? [])
          .map(
              (word) =>
                  (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
          .join(" "));
}
