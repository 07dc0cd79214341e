// What a comparison of recordings rests on: why it claims nothing, and what to do about it.
import {element} from "./elements.js";
import {plural} from "./numbers.js";

const FEWEST_RECORDINGS = 6;  // of each side, for a test
const MANY_RECORDINGS = 12;
const NO_CLAIM = "So no change has an interval, and none is called significant.";

const REASONS = {
  damaged:
      "A part of a recording could not be read, and what is missing would look like a change. " +
      `${NO_CLAIM} Leave the damaged recordings out.`,
  equal: "The recordings of one side took the same samples, as those of a simulation do. " +
      `${NO_CLAIM} Record with another sampling period (-c) each time.`,
  machines: "The recordings come from processors of different kinds, which would look like a " +
      `change of the program. ${NO_CLAIM} Record both programs on one machine.`,
  blocks: "The recordings were not made in turn: most pairs have three others or more between " +
      "them. If the machine became slower or faster meanwhile, that looks like a change. " +
      NO_CLAIM,
};

/**
 * @param {any} report of `tacho report --compare --json`
 * @returns {Element[]} empty if there is nothing to say
 */
export function evidenceNotes(report) {
  if (report.evidence === "pairs") return pairNotes(report);
  const notes = [element("p", {class: "failure", role: "note"}, reason(report))];
  if (["too_few", "blocks"].includes(report.evidence)) notes.push(...advice());
  return notes;
}

function reason({evidence, before, after}) {
  if (evidence !== "too_few") return REASONS[evidence] ?? NO_CLAIM;
  return `${plural(before.files.length, "recording")} before and ${after.files.length} after do ` +
      `not show how much two runs of one program differ. ${NO_CLAIM} At least ` +
      `${FEWEST_RECORDINGS} on each side are needed, better ${MANY_RECORDINGS}.`;
}

function advice() {
  const commands = [
    `for i in $(seq ${MANY_RECORDINGS}); do`,
    "  tacho record -g -o before-$i.data -- BEFORE",
    "  tacho record -g -o after-$i.data -- AFTER",
    "done",
    "tacho report -i before-*.data --compare after-*.data --html changes.html",
  ];
  return [
    element("p", {}, "Record both programs several times, in turn:"),
    element("pre", {class: "scroll"}, commands.join("\n"))
  ];
}

function pairNotes(report) {
  const pairs = Math.min(report.before.files.length, report.after.files.length);
  const surplus = Math.max(report.before.files.length, report.after.files.length) - pairs;
  const texts =
      [`Intervals come from ${
           plural(pairs, "pair")} of recordings. If the programs are the same, at ` +
       "most 5 of 100 comparisons find a significant change in all, and at most 5 in any row."];
  if (report.order === "unknown")
    texts.push(
        "The recordings do not tell in which order they were made. If they were not made " +
        "in turn, a change of the machine's speed looks like a change of the program.");
  if (surplus > 0)
    texts.push(
        `The last ${plural(surplus, "recording")} of one side ` +
        `${surplus === 1 ? "is" : "are"} in no pair.`);
  return texts.map((text) => element("p", {class: "note"}, text));
}
