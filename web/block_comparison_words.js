// The words of `tacho blocks --compare`, written as its text report writes them.
import {MOST_CYCLES, cyclesOf} from "./block_words.js";
import {fixed, isNumber, percent, plural, range, whole} from "./numbers.js";

function signOf(change) {
  if (change === 0) return "±";
  return change > 0 ? "+" : "-";
}

/** "+3.2", "-18.8", "0" */
export function signedNumber(value) {
  const size = Math.abs(value);
  if (size < 0.005) return "0";  // would be shown as 0.00
  return signOf(value) + fixed(size, size < 1 ? 2 : size < 100 ? 1 : 0);
}

function signedPercent(share) { return signOf(share) + fixed(100 * Math.abs(share), 1); }

function withInterval({value, ci95}, text) {
  return ci95 ? `${text(value)} (${text(ci95[0])}…${text(ci95[1])})` : text(value);
}

/** "-18.8 cycles (-19.9…-17.7)", "+0.36 cycles (?)" */
export function changeText({value, ci95}) {
  if (!ci95) return `${signedNumber(value)} cycles (?)`;
  return `${signedNumber(value)} cycles (${signedNumber(ci95[0])}…${signedNumber(ci95[1])})`;
}

/** "164 → 148: -16.0 cycles (-27.2…-3.6)" */
export function bothText(before, after, moved) {
  return `${cyclesOf(before.value)} → ${cyclesOf(after.value)}: ${changeText(moved)}`;
}

/** A mode before and after. */
export function modeShiftText(shift, run) {
  const side = (modes, index) => {
    const mode = modes[index];
    const interval = shift.share_gained?.ci95 ? ` (${range(mode.share_ci95)})` : "";
    return `${percent(mode.share)}${interval} at ${cyclesOf(mode.cycles)} cycles`;
  };
  if (shift.after === null) return `${side(run.before.modes, shift.before)} before, gone after`;
  if (shift.before === null) return `new: ${side(run.after.modes, shift.after)}`;
  return `${side(run.before.modes, shift.before)} before, ` +
      `${side(run.after.modes, shift.after)} after: moved by ` +
      `${withInterval(shift.moved, signedNumber)} cycles, its share by ` +
      `${withInterval(shift.share_gained, signedPercent)} percentage points`;
}

/** By which part an execution changed, or why that is not known. */
export function resultText(run, evidence) {
  const {saturated, pairs, changed, mean_moved: by, before} = run;
  if (saturated > 0)
    return `not known: ${plural(saturated, "execution")} took ${whole(MOST_CYCLES)} cycles or ` +
        "more, so the means are lower bounds";
  if (evidence === "pairs" && changed === null)
    return `not tested: ${plural(pairs, "pair")} of recordings with this code run are too few`;
  if (!by.ci95) return "too few stacks to compare the means";
  if (by.ci95[0] <= 0 && by.ci95[1] >= 0) return "the difference of the means is not significant";
  return `${isNumber(run.p_adjusted) ? "" : "in these recordings, "}an execution takes ` +
      `${fixed(100 * Math.abs(by.value) / before.mean.value, 1)} % ` +
      `${by.value < 0 ? "fewer" : "more"} cycles after than before`;
}

const UNKNOWN_ORDER =
    "The recordings do not tell in which order they were made. If they were not made in turn, a " +
    "change of the machine's speed looks like a change of the program.";
const ONLY_THESE = "So the intervals hold for these recordings only.";

/** How the changes came about, and what they do not say. */
export function evidenceText({evidence, order, before, after}) {
  const counts = [before.files.length, after.files.length];
  switch (evidence) {
    case "pairs":
      return `Medians and means are those of the recordings, and their changes come from ` +
          `${plural(Math.min(...counts), "pair")} of them. If the programs are the same, at ` +
          "most 5 of 100 comparisons find a significant change of the first mean, and at most " +
          "5 of any other. Modes are those of all executions together, without intervals." +
          (order === "unknown" ? ` ${UNKNOWN_ORDER}` : "");
    case "damaged":
      return "A part of a recording could not be read, and what is missing would look like a " +
          `change. ${ONLY_THESE} Leave the damaged recordings out.`;
    case "equal":
      return "The recordings of one side took the same samples, as those of a simulation do. " +
          `${ONLY_THESE} Record with another sampling period (-c) each time.`;
    case "machines":
      return "The recordings come from processors of different kinds, which would look like a " +
          `change of the program. ${ONLY_THESE} Record both programs on one machine.`;
    case "too_few":
      return `${plural(counts[0], "recording")} before and ${counts[1]} after do not show how ` +
          `much two runs of one program differ. ${ONLY_THESE} At least 6 on each side are ` +
          "needed, better 12. Record both programs several times, in turn.";
    default:
      return "The recordings were not made in turn: most pairs have three others or more between " +
          "them. If the machine became slower or faster meanwhile, that looks like a change. " +
          `${ONLY_THESE} Record both programs several times, in turn.`;
  }
}
