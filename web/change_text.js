// The words and numbers of a change between two commands, as src/compare/change_text.cpp has them.
import {brief, bytes, fixed} from "./numbers.js";

const MOST_DECIMALS = 3;
/** @type {[number, string][]} */
const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

// Two digits of a half-width that begins with 1, 2 or 3, else one.
function decimalsFor(halfWidth) {
  if (!Number.isFinite(halfWidth)) return 0;
  if (!(halfWidth > 0)) return 2;
  const power = Math.floor(Math.log10(halfWidth));
  const two = halfWidth / 10 ** power < 3.55;
  return Math.min(Math.max(two ? 1 - power : -power, 0), MOST_DECIMALS);
}

function withSign(value, decimals) {
  if (Math.abs(value) < 0.5 * 10 ** -decimals) return fixed(0, decimals);
  return (value > 0 ? "+" : "") + fixed(value, decimals);
}

/** The ends of a change's interval; an end that is not known is infinite. */
export function endsOf({ci95}) { return [ci95[0] ?? -Infinity, ci95[1] ?? Infinity]; }

function isExact(change) { return change.ci95[0] !== null && change.ci95[0] === change.ci95[1]; }

/** Whether the change has an interval. */
export function isBounded(change) { return change.ci95[0] !== null && change.ci95[1] !== null; }

/** The factor from the metric's unit to the one that is shown, and the latter. */
export function unitFor(value, unit) {
  if (unit !== "s" && unit !== "ns") return {factor: 1, name: unit};
  const own = unit === "ns" ? 1e-9 : 1;
  const [from, name] = TIMES.find(([least]) => Math.abs(value) * own >= least) ?? TIMES[3];
  return {factor: own / from, name};
}

// The numbers of a change: in per cent, as a factor if it doubles or more, or in the metric's unit.
function numbersOf(change) {
  const [low, high] = endsOf(change);
  const estimate = change.change;
  if (change.scale === "ratio") {
    if (estimate >= 1)
      return {estimate: estimate + 1, low: low + 1, high: high + 1, unit: " times", times: true};
    return {estimate: 100 * estimate, low: 100 * low, high: 100 * high, unit: " %", times: false};
  }
  const {factor, name} = unitFor(Math.max(Math.abs(low), Math.abs(high)), change.unit);
  return {
    estimate: estimate * factor,
    low: low * factor,
    high: high * factor,
    unit: name ? ` ${name}` : "",
    times: false
  };
}

// The end of an interval that excludes 0 must not look like 0.
function number(value, {low, high, times}) {
  let decimals = decimalsFor((high - low) / 2);
  const excludes = low > 0 || high < 0;
  while (excludes && value !== 0 && Math.abs(value) < 0.5 * 10 ** -decimals &&
         decimals < MOST_DECIMALS)
    ++decimals;
  return times ? fixed(value, decimals) : withSign(value, decimals);
}

/** "12.81 ms"; `scaleOf` chooses the unit, so that two values have the same one. */
export function amount(value, scaleOf, unit) {
  if (value === null) return "-";
  if (unit === "bytes") return bytes(Math.max(value, 0));
  if (value === 0) return "0";
  const {factor, name} = unitFor(scaleOf, unit);
  if (!name) return brief(value);
  const largest = Math.abs(scaleOf * factor);
  const wholeDigits = largest < 1 ? 1 : 1 + Math.floor(Math.log10(largest));
  const decimals = Math.min(Math.max(4 - wholeDigits, 0), MOST_DECIMALS);
  return `${fixed(value * factor, decimals)} ${name}`;
}

/** "-24 %", "3.94 times" */
export function changeText(change) {
  if (change.verdict === "missing") return "not known";
  const numbers = numbersOf(change);
  return number(numbers.estimate, numbers) + numbers.unit;
}

/** "(-33…-20)" */
export function rangeText(change) {
  if (change.verdict === "missing" || isExact(change)) return "";
  if (!isBounded(change)) return "(too few pairs)";
  const numbers = numbersOf(change);
  return `(${number(numbers.low, numbers)}…${number(numbers.high, numbers)})`;
}

/** "less", "fewer", "more", "the same", "not decided" or "not known" */
export function verdictWord({verdict, unit}) {
  if (verdict === "less") return unit === "" ? "fewer" : "less";
  return {more: "more", equal: "the same", undecided: "not decided"}[verdict] ?? "not known";
}

/**
 * "B takes 24 % less CPU time than A (20 to 33 %)"
 * @param {any} change
 * @param {string} first the first command's name
 * @param {string} other
 */
export function sentence(change, first, other) {
  const name = change.metric;
  switch (change.verdict) {
    case "less":
    case "more": {
      const verb = change.unit === "" ? "has" : "takes";
      const than = numbersOf(change).times ? "of" : "than";
      return `${other} ${verb} ${lessOrMore(change)} ${than} ${first} (${unsignedRange(change)})`;
    }
    case "equal":
      return `${first} and ${other} have the same ${name} in every pair`;
    case "undecided":
      return `No difference in ${name} is shown between ${first} and ${other}: ${within(change)}`;
    default:
      return `${name} of ${first} and ${other} is not known`;
  }
}

/** What follows a sentence: "wall time: -3.2 % (-6.6…-0.6)" */
export function clause(change) {
  const text = {
    less: () => `${changeText(change)} ${rangeText(change)}`.trim(),
    more: () => `${changeText(change)} ${rangeText(change)}`.trim(),
    equal: () => "the same",
    undecided: () => `not decided, ${within(change)}`,
  }[change.verdict] ??
      (() => "not known");
  return `${change.metric}: ${text()}`;
}

function lessOrMore(change) {
  const numbers = numbersOf(change);
  if (numbers.times) return `${number(numbers.estimate, numbers)} times the ${change.metric}`;
  const decimals = decimalsFor((numbers.high - numbers.low) / 2);
  return `${fixed(Math.abs(numbers.estimate), decimals)}${numbers.unit} ${verdictWord(change)} ` +
      change.metric;
}

// The interval without signs: the word beside it says less or more.
function unsignedRange(change) {
  if (isExact(change)) return "exactly";
  const numbers = numbersOf(change);
  const [near, far] =
      change.verdict === "less" ? [numbers.high, numbers.low] : [numbers.low, numbers.high];
  const unsigned = (value) => number(value, numbers).replace(/^[+-]/, "");
  return `${unsigned(near)} to ${unsigned(far)}${numbers.times ? "" : numbers.unit}`;
}

function within(change) {
  if (!isBounded(change)) return "too few pairs";
  const numbers = numbersOf(change);
  const [low, high] = [numbers.low, numbers.high].map((end) => number(end, numbers));
  return `within ${low} and ${high}${numbers.unit}`;
}
