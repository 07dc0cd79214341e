// The numbers and words of `tacho latency`, written as its text report writes them.
import {bytes, fixed, isNumber, percent, plural} from "./numbers.js";

function digitsOfInterval(halfWidth) { return halfWidth < 1 ? 2 : halfWidth < 10 ? 1 : 0; }

/** As many digits as a comparison needs, and no fewer than the interval has: "3.99", "491". */
export function timeText(time, halfWidth) {
  if (!isNumber(time)) return "-";
  const digits = time < 10 ? 2 : time < 100 ? 1 : 0;
  return fixed(time, isNumber(halfWidth) ? Math.max(digits, digitsOfInterval(halfWidth)) : digits);
}

/** "± 0.03"; "(?)" if the interval is unknown. */
export function plusMinus(halfWidth) {
  return isNumber(halfWidth) ? `± ${fixed(halfWidth, digitsOfInterval(halfWidth))}` : "(?)";
}

/** "3.99 ± 0.02 cycles", "1.16 ± 0.01 ns" */
export function timeWithInterval(time, halfWidth, unit) {
  if (!isNumber(time)) return "unknown";
  return `${timeText(time, halfWidth)} ${plusMinus(halfWidth)} ${unit}`;
}

/** "1.16", "143" */
export function nanoseconds(ns) { return isNumber(ns) ? fixed(ns, ns < 100 ? 2 : 0) : "-"; }

/**
 * "12.3 ± 0.4", with the farther end of the interval; "12.3 (9.1…17.0)" if it is wide; "12.3 (?)"
 * if it is unknown.
 * @param {number | null} value
 * @param {number[] | null} ends
 * @param {number} digits after the point
 */
export function withEnds(value, ends, digits) {
  if (!isNumber(value)) return "-";
  const text = fixed(value, digits);
  if (!ends) return `${text} (?)`;
  const half = Math.max(value - ends[0], ends[1] - value);
  if (half > 0.3 * Math.abs(value))
    return `${text} (${fixed(ends[0], digits)}…${fixed(ends[1], digits)})`;
  const least = 10 ** -digits;
  return `${text} ± ${half < least / 2 ? `<${fixed(least, digits)}` : fixed(half, digits)}`;
}

/** Bytes that are an estimate, as a whole number of them. */
export function size(value) { return bytes(Math.round(value)); }

/** "47.2 KiB to 51.6 KiB"; "" if there is no interval. */
export function sizeInterval(ends) { return ends ? `${size(ends[0])} to ${size(ends[1])}` : ""; }

/** "32.0 KiB, 8 ways"; "" if nothing is advertised. */
export function advertised(tier) {
  const parts = [];
  if (isNumber(tier.advertised_bytes)) parts.push(bytes(tier.advertised_bytes));
  if (isNumber(tier.advertised_ways)) parts.push(plural(tier.advertised_ways, "way"));
  return parts.join(", ");
}

/** The JSON keeps an older word for it. */
export function condition(tier) {
  return (tier.condition ?? "").replace("taken off", "subtracted");
}

/** "L1: 1.16 ns (3.99 ± 0.02 cycles) up to 48.7 KiB; …; memory: 143 ns (491 ± 20 cycles)." */
export function finding(document) {
  const tiers = document.tiers ?? [];
  if (tiers.length === 0) return "No level was found: see the lists and the warnings.";
  const parts = tiers.map((tier) => {
    const upTo = isNumber(tier.capacity_bytes) ? ` up to ${size(tier.capacity_bytes)}` : "";
    const cycles = timeWithInterval(tier.cycles, tier.ci95_cycles, "cycles");
    const time = isNumber(tier.ns) ? `${nanoseconds(tier.ns)} ns (${cycles})` : cycles;
    return `${tier.name}: ${time}${upTo}`;
  });
  return `${parts.join("; ")}.`;
}

/** "good", or the word and its reasons: "fair; 19 of 458 lists were disturbed" */
export function trustText(trust) {
  return trust ? [trust.word, ...(trust.reasons ?? [])].join("; ") : "unknown";
}

const LAYOUTS = {
  packed: "cache lines side by side",
  spread: "one cache line on each page",
  repeated: "one word on each page, all pages show the same memory",
};

/** How the elements of a list lie in memory. */
export function layoutText(list) { return LAYOUTS[list.layout] ?? list.layout; }

/** Why a list is special; "" if it is not. */
export function remark(list) {
  const parts = [];
  if (list.disturbed) parts.push(`left out: ${list.disturbance ?? "disturbed"}`);
  if (list.core_shared) parts.push("another thread used the same core");
  if (list.other_levels_share >= 0.1)
    parts.push(`${percent(list.other_levels_share)} of the loads have the time of another level`);
  return parts.join("; ");
}

/** The clock, its bias, and the machine during the measurement, as sentences. */
export function circumstances(document) {
  const sentences = [];
  const [least, most] = document.bias_range_ticks ?? [null, null];
  const perTick = document.core_hz > 0 && document.tick_hz > 0 ?
      `; ${fixed(document.core_hz / document.tick_hz, 2)} cycles per tick` :
      "";
  if (document.clock) sentences.push(`Clock: ${document.clock}${perTick}.`);
  if (isNumber(document.bias_ticks)) {
    const over = isNumber(least) && isNumber(most) ?
        ` (${fixed(least, 0)} to ${fixed(most, 0)} over the lists)` :
        "";
    sentences.push(
        `A pair of readings takes ${fixed(document.bias_ticks, 0)} ticks by itself` +
        `${over}, which are subtracted.`);
  }
  if (document.simulated) return sentences;
  sentences.push(
      document.core_hz > 0 ? `The core runs at ${fixed(document.core_hz / 1e9, 2)} GHz.` :
                             "The core's clock is unknown, because all lists were disturbed.");
  sentences.push(
      document.governor ? `The frequency governor is ${document.governor}.` :
                          "The frequency governor is unknown.");
  if (isNumber(document.load)) sentences.push(`The load average is ${fixed(document.load, 2)}.`);
  sentences.push(`tacho waited ${fixed(document.waited_s ?? NaN, 2)} s for the CPU.`);
  sentences.push(
      isNumber(document.stolen_s) ? `The hypervisor took ${fixed(document.stolen_s, 2)} s.` :
                                    "Stolen time is unknown.");
  return sentences;
}
