// What is known of the commands of a comparison: their names, the primary metric, and whether they
// ran in pairs. Pure functions.
import {unitFor} from "./change_text.js";
import {extent} from "./chart.js";
import {printable, shownName} from "./names.js";
import {isNumber} from "./numbers.js";

// By label: the name that is shown.
export function namesOf(commands) {
  return new Map(commands.map(({label, name}) => [label, shownName(name ?? label)]));
}

export function otherName(change, names) {
  const name = names.get(change.command) ?? change.command;
  return change.role === "control" ? `${name} again` : name;
}

export function firstName(document, names) { return names.get(document.commands[0]?.label) ?? "A"; }

// Orange for more, blue for less, grey if nothing is shown.
export function toneOf({verdict}) {
  return verdict === "more" ? "orange" : verdict === "less" ? "blue" : "unsure";
}

export function isSimulated(document) { return document.pmu.kind === "simulated"; }

export function primaryIndex({changes, metrics}) {
  const primary = changes.find((change) => change.primary)?.metric;
  return Math.max(0, metrics.findIndex(({name}) => name === primary));
}

// Times in s, ms, µs or ns, whichever has whole digits for the largest value.
export function shownUnit(values, unit) {
  const {factor, name} = unitFor(extent(values)[1], unit);
  return {factor, unit: name};
}

export function withUnit(name, unit) {
  return unit ? `${printable(name)}, ${unit}` : printable(name);
}

// With a baseline, the commands did not run side by side.
export function isPaired({runs, members}) {
  const begin = (at) => runs.find(({member}) => member === at)?.begun_s;
  const first = runs.filter(({member}) => member === 0);
  const second = runs.filter(({member}) => member === 1);
  return first.length === second.length && begin(0) !== undefined && members.length > 1 &&
      !baseline(runs);
}

// The runs of a baseline come first, all together, or have times of another session.
function baseline(runs) {
  const order = runs.filter(({member}) => member < 2).map(({block}) => block);
  return order.some((block, index) => index > 0 && block < order[index - 1]);
}

export function median(values) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
