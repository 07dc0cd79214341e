// The page of `tacho compare`: the verdict first, then the gates, the change of each metric with
// its interval, every run, and how it was compared.
import {changeText, clause, rangeText, sentence} from "./change_text.js";
import {drawChanges} from "./command_changes.js";
import {drawGrowth} from "./command_growth.js";
import {drawNotes} from "./command_notes.js";
import {drawRuns} from "./command_runs.js";
import {firstName, namesOf, otherName, toneOf} from "./compared_commands.js";
import {element, section} from "./elements.js";

/**
 * @param {HTMLElement} main
 * @param {import("./data.js").Page} page
 */
export function drawCommands(main, page) {
  const document = page.document;
  const names = namesOf(document.commands);
  if (document.sweep)
    drawGrowth(main, document);
  else
    drawVerdicts(main, document, names);
  drawGates(main, document, names);
  const details = document.sweep ? collapsed(main, "Each value compared with the first one") : main;
  drawChanges(details, document, names);
  drawRuns(details, document, names);
  drawNotes(main, document, names);
}

function collapsed(main, title) {
  const made = element("details", {}, element("summary", {}, title));
  main.append(made);
  return made;
}

function drawVerdicts(main, document, names) {
  const first = firstName(document, names);
  const primary = document.changes.filter((change) => change.primary && change.role !== "control");
  if (primary.length === 0) main.append(element("p", {class: "note"}, "Nothing was compared."));
  for (const change of primary) {
    main.append(element(
        "p", {class: `change-verdict ${toneOf(change)}`},
        `${sentence(change, first, otherName(change, names))}.`));
    const wall = document.changes.find(
        ({metric, command, role}) =>
            metric === "wall time" && command === change.command && role === change.role);
    if (wall && !wall.primary)
      main.append(element("p", {class: "note change-clause"}, `${clause(wall)}.`));
  }
}

const GATE_WORDS = {
  holds: "holds",
  broken: "is broken",
  undecided: "is undecided"
};

function drawGates(main, {gates, changes}, names) {
  if (!gates || gates.length === 0) return;
  const items = gates.map(
      ({gate, command, verdict}) => element(
          "li", {class: `gate ${verdict}`}, element("code", {}, gate),
          ` ${GATE_WORDS[verdict] ?? verdict} (${names.get(command) ?? command}` +
              `${judgedBy(gate, command, changes)})`));
  section(main, "Gates", element("ul", {}, ...items));
}

const SHORT_NAMES = {
  cpu: "CPU time",
  wall: "wall time",
  elapsed: "wall time",
  user: "user time",
  system: "system time",
  memory: "peak memory"
};

// ": +6.0 % (+5.1…+6.9)", the change that the gate bounds
function judgedBy(gate, command, changes) {
  const name = gate.replace(/[<>]=.*/, "").trim();
  const change = changes.find(
      (one) => one.command === command && one.role === "compared" &&
          (one.metric === name || one.metric === SHORT_NAMES[name]));
  return change ? `: ${changeText(change)} ${rangeText(change)}`.trimEnd() : "";
}
