// Writes numbers as tacho's text reports do: with the digits that the interval justifies. The rules
// are those of src/report/figure.cpp and src/base/number.cpp.

/**
 * A number with its unit and its 95 % interval. All are empty if there is no number.
 * @typedef {object} Figure
 * @property {string} value "24,060"; "~24,060" if it is an estimate
 * @property {string} unit "ms", "%" or ""
 * @property {string} spread "± 1.2 %", "± 0.02", "(57…126)" or ""
 */

const MOST_DECIMALS = 12;

/**
 * @param {number} value
 * @param {number} decimals 0 to 30
 * @returns {string} "1,234.57"; "-" for a value that is not finite
 */
export function fixed(value, decimals) {
  if (!isNumber(value)) return "-";
  const [digits, fraction] = roundedToEven(Math.abs(value), decimals).split(".");
  const text = digits.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction ? `.${fraction}` : "");
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text;
}

// toFixed() rounds a tie up, and C++ to the even digit.
function roundedToEven(size, decimals) {
  if (size >= 1e21) return BigInt(size).toString() + (decimals ? `.${"0".repeat(decimals)}` : "");
  const up = size.toFixed(decimals);
  const [head, rest] = cutAt(size.toFixed(decimals + 60), decimals);
  return /^50*$/.test(rest) && /[02468]\.?$/.test(head) ? head.replace(/\.$/, "") : up;
}

function cutAt(text, decimals) {
  const at = text.indexOf(".") + 1 + decimals;
  return [text.slice(0, at), text.slice(at)];
}

/** @returns {value is number} */
export function isNumber(value) { return typeof value === "number" && Number.isFinite(value); }

/** 1,234,567 */
export function whole(value) { return fixed(value, 0); }

/** A whole number from four digits on; below that with three digits: 12.3, 1.23. */
export function brief(value) {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return fixed(value, 0);
  return fixed(value, size >= 10 ? 1 : 2);
}

/** "1 end", "2 ends" */
export function plural(count, one) { return `${whole(count)} ${one}${count === 1 ? "" : "s"}`; }

/** "512 B", "6.2 MiB" */
export function bytes(value) {
  if (value < 1024) return `${whole(value)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let scaled = value / 1024;
  let unit = 0;
  for (; scaled >= 1023.95 && unit + 1 < units.length; ++unit) scaled /= 1024;
  return `${fixed(scaled, 1)} ${units[unit]}`;
}

// The power of ten of the first digit; 0 for a number without one.
function magnitude(value) {
  if (value === 0 || !Number.isFinite(value)) return 0;
  return Math.floor(Math.log10(Math.abs(value)));
}

// Decimals (negative: whole tens, hundreds, …) that show so many significant digits.
function decimalsForDigits(value, digits) {
  if (value === 0) return 0;
  const decimals = digits - 1 - magnitude(value);
  const shown = Math.round(Math.abs(value) * 10 ** decimals);
  const carried = shown >= 10 ** digits;  // 9.996 with three digits is 10.0
  return Math.min(carried ? decimals - 1 : decimals, MOST_DECIMALS);
}

// Two significant digits of an uncertainty that starts with 1, 2 or 3, else one.
function decimalsForUncertainty(halfWidth) {
  const power = magnitude(halfWidth);
  const leading = halfWidth / 10 ** power;
  return Math.min(leading < 3.55 ? 1 - power : -power, MOST_DECIMALS);
}

// A ratio has six digits at most, however narrow its interval.
function finestDecimals(value) {
  return value === 0 ? MOST_DECIMALS : Math.max(decimalsForDigits(value, 6), 0);
}

/**
 * @param {number} value
 * @param {number} decimals negative: whole tens, hundreds, …
 */
export function rounded(value, decimals) {
  if (decimals >= 0) return fixed(value, decimals);
  const step = 10 ** -decimals;
  return fixed(Math.sign(value) * Math.round(Math.abs(value) / step) * step, 0);
}

// At least one significant digit of the figure stays.
function decimalsOf(value, halfWidth, most) {
  const justified = decimalsForUncertainty(halfWidth);
  const firstDigit = value === 0 ? justified : -magnitude(value);
  return Math.min(Math.max(justified, firstDigit), most);
}

/**
 * The ends of the 95 % interval of a positive figure: equally far from it on a logarithmic scale.
 * @returns {[number, number]}
 */
export function ends95(value, halfWidth) {
  if (value === 0) return [0, halfWidth];
  if (value < 0) return [value - halfWidth, value + halfWidth];
  const factor = Math.exp(2 * Math.asinh(halfWidth / value / 2));
  return [value / factor, value * factor];
}

function needsBothEnds(value, halfWidth) { return halfWidth > 0.3 * Math.abs(value); }

function fromTo([low, high], halfWidth, most) {
  const end = (value) => rounded(value, decimalsOf(value, halfWidth, most));
  return `(${end(low)}…${end(high)})`;
}

function relativeOrEnds(value, halfWidth, ends, most) {
  if (halfWidth === 0) return "± 0 %";
  if (needsBothEnds(value, halfWidth)) return fromTo(ends, halfWidth, most);
  const percents = 100 * halfWidth / Math.abs(value);
  if (percents < 0.01) return `± <${fixed(0.01, 2)} %`;
  return `± ${rounded(percents, decimalsForUncertainty(percents))} %`;
}

function absolute(value, halfWidth) {
  const finest = finestDecimals(value);
  const justified = decimalsForUncertainty(halfWidth);
  if (value !== 0 && justified > finest) return `± <${fixed(10 ** -finest, finest)}`;
  return `± ${rounded(halfWidth, justified)}`;
}

/** The interval of a positive figure: "± 1.2 %", "(57…126)". */
export function spread(value, halfWidth) {
  return relativeOrEnds(value, halfWidth, ends95(value, halfWidth), MOST_DECIMALS);
}

function decimalsWithoutInterval({unit, estimated, repeated}, value) {
  if (estimated) return Math.min(decimalsForDigits(value, 3), unit ? 3 : 0);
  if (!unit) return repeated && !Number.isInteger(value) ? 1 : 0;
  if (unit === "ns") return value < 10 ? 3 : 2;
  return Math.max(decimalsForDigits(value, 4), 0);
}

// How many decimals an event's figure has at most.
function mostDecimals({unit, repeated}, value) {
  if (!unit) return repeated ? 1 : 0;
  return unit === "ns" ? 3 : finestDecimals(value);
}

/**
 * The figure of an event, as an element of `events` in the JSON of `tacho stat`. Clocks (unit "ns")
 * are shown in ms.
 * @param {{estimate: number | null, ci95: number | null, low?: number | null, high?: number | null,
 *          unit?: string | null, status?: string}} event
 * @param {boolean} [repeated] the figure is a mean over runs
 * @returns {Figure}
 */
export function eventFigure(event, repeated = false) {
  if (!isNumber(event.estimate)) return {value: "", unit: "", spread: ""};
  const kind = {unit: event.unit ?? "", estimated: event.status === "estimated", repeated};
  const scale = kind.unit === "ns" ? 1e-6 : 1;
  const value = event.estimate * scale;
  // An interval of zero around none would claim more than is known.
  const shown = isNumber(event.ci95) && (kind.estimated ? value !== 0 || event.ci95 > 0 : repeated);
  const halfWidth = shown ? Math.abs(event.ci95) * scale : 0;
  const most = mostDecimals(kind, value);
  const decimals = halfWidth > 0 ? decimalsOf(value, halfWidth, most) :
      shown                      ? (kind.unit ? Math.min(most, 3) : 0) :
                                   decimalsWithoutInterval(kind, value);
  const ends = isNumber(event.low) && isNumber(event.high) ?
      [event.low * scale, event.high * scale] :
      ends95(value, halfWidth);
  return {
    value: (kind.estimated ? "~" : "") + rounded(value, decimals),
    unit: kind.unit === "ns" ? "ms" : kind.unit,
    spread: shown ? relativeOrEnds(value, halfWidth, ends, most) : "",
  };
}

/**
 * The figure of a metric, as in JSON: a ratio, or a percentage if its unit is "%".
 * @param {{value: number | null, ci95: number | null, low?: number | null, high?: number | null,
 *          unit?: string | null}} metric
 * @returns {Figure}
 */
export function metricFigure(metric) {
  const value = metric.value;
  if (!isNumber(value)) return {value: "", unit: "", spread: ""};
  const unit = metric.unit === "%" ? "%" : "";
  if (!isNumber(metric.ci95))
    return {value: `~${rounded(value, decimalsForDigits(value, 3))}`, unit, spread: ""};
  const halfWidth = Math.abs(metric.ci95);
  if (halfWidth === 0)
    return {value: fixed(value, Math.max(decimalsForDigits(value, 4), 0)), unit, spread: ""};
  const finest = finestDecimals(value);
  const ends = /** @type {[number, number]} */ (
      isNumber(metric.low) && isNumber(metric.high) ? [metric.low, metric.high] :
                                                      ends95(value, halfWidth));
  // A difference may be negative. Its ends are equally far from it, so its half-width says all.
  const difference = Math.abs(ends[0] + ends[1] - 2 * value) < 1e-9 * halfWidth;
  const bothEnds = unit === "%" || (!difference && needsBothEnds(value, halfWidth));
  return {
    value: rounded(value, decimalsOf(value, halfWidth, finest)),
    unit,
    spread: bothEnds ? fromTo(ends, halfWidth, finest) : absolute(value, halfWidth),
  };
}

/**
 * A figure as one text: "~24,060 ms ± 1.2 %"; "-" if there is no number.
 * @param {Figure} figure
 */
export function figureText({value, unit, spread: interval}) {
  return [value || "-", unit, interval].filter((part) => part !== "").join(" ");
}

/**
 * Returns a function that writes the counts of one column with the same decimals: no finer than a
 * thousandth of the whole, nor than the narrowest interval justifies.
 * @param {{total: number, unit?: string | null, intervals: (number[] | null)[]}} column `total` is
 *     the count of all samples; unit "ns" is shown in ms
 * @returns {(count: number | null, interval: number[] | null) => string} "~518.5 ms", "<0.1 ms"
 */
export function countColumn({total, unit = null, intervals}) {
  const scale = unit === "ns" ? 1e-6 : 1;
  const decimalsOfStep = (step) => -Math.floor(Math.log10(step));
  let decimals = total > 0 ? decimalsOfStep(total * scale * 1e-3) : 0;
  let narrowest = Infinity;
  for (const interval of intervals)
    if (interval && interval[1] > interval[0])
      narrowest = Math.min(narrowest, (interval[1] - interval[0]) / 2);
  if (narrowest < Infinity) decimals = Math.min(decimals, decimalsOfStep(narrowest * scale) + 1);
  decimals = Math.min(decimals, unit === "ns" ? 6 : 0);
  const after = unit === "ns" ? " ms" : "";
  return (count, interval) => {
    if (!isNumber(count)) return "-";
    const value = count * scale;
    if (!interval) return `~${rounded(value, decimals)}${after}`;
    if (interval[1] <= interval[0]) return fixed(value, unit === "ns" ? 2 : 0) + after;
    const step = 10 ** -decimals;
    if (value > 0 && Math.round(value / step) === 0)
      return `<${fixed(step, Math.max(decimals, 0))}${after}`;
    return `~${rounded(value, decimals)}${after}`;
  };
}

/**
 * The interval of such a count: "± 12 %", "(57…126)"; "" if it is exact or not known.
 * @param {number | null} count
 * @param {number[] | null} interval
 * @param {string | null} [unit]
 */
export function countSpread(count, interval, unit = null) {
  if (!isNumber(count) || !interval) return "";
  const ci95 = Math.max(interval[1] - count, count - interval[0]);
  return eventFigure({
           estimate: count,
           ci95,
           low: interval[0],
           high: interval[1],
           unit,
           status: ci95 > 0 ? "estimated" : "counted"
         })
      .spread;
}

/**
 * A rate with an SI prefix and its interval: "19.5 k/s", "20 k/s ± 4 %".
 * @param {number} perSecond
 * @param {number | null} [halfWidth] in 1/s
 */
export function rate(perSecond, halfWidth = null) {
  const prefixes = [" /s", " k/s", " M/s", " G/s", " T/s"];
  const relative = (halfWidth ?? Infinity) / perSecond;
  const digits = relative < 0.01 ? 3 : 2;
  const limit = digits === 3 ? 999.5 : 995;  // from here on it would round to 1,000
  let scaled = perSecond;
  let prefix = 0;
  for (; scaled >= limit && prefix + 1 < prefixes.length; ++prefix) scaled /= 1000;
  const text = rounded(scaled, decimalsForDigits(scaled, digits)) + prefixes[prefix];
  return halfWidth > 0 ? `${text} ${spread(scaled, relative * scaled)}` : text;
}

/** A number of CPUs with its interval: "0.960 CPUs used", "0.96 CPUs used ± 3 %". */
export function used(cpus, halfWidth, unit) {
  const decimals = halfWidth > 0 ? decimalsOf(cpus, halfWidth, 3) : 3;
  const text = `${rounded(cpus, decimals)} ${unit}`;
  return halfWidth > 0 ? `${text} ${spread(cpus, halfWidth)}` : text;
}

/** A part of the whole with three digits: "25.1 %", "100 %". */
export function percentage(part) {
  const value = 100 * part;
  return `${fixed(value, Math.min(Math.max(decimalsForDigits(value, 3), 0), 6))} %`;
}

/** A share with one decimal: "12.3 %". */
export function percent(share) { return `${fixed(100 * share, 1)} %`; }

/** A share with one decimal, or with one digit if that would be 0.0: "12.3 %", "0.02 %". */
export function percentOf(share) {
  return share > 0 && share < 0.0005 ? `${Number((100 * share).toPrecision(1))} %` : percent(share);
}

/**
 * The interval of a share: "10.1…14.9 %".
 * @param {number[]} interval
 */
export function range([low, high]) { return `${fixed(100 * low, 1)}…${fixed(100 * high, 1)} %`; }

/** Seconds, with fewer decimals the longer they are: "0.0012 s", "12.345 s". */
export function seconds(value) {
  if (value === 0) return "0 s";
  return `${fixed(value, value < 0.001 ? 6 : value < 1 ? 4 : 3)} s`;
}

/** A number with its sign: "+12.3", "-0.5"; three digits below 1,000. */
export function signed(value) {
  const rounded = Number(value.toPrecision(3));
  const size = Math.abs(rounded) >= 1000 ? whole(rounded) : String(rounded);
  return (value > 0 ? "+" : "") + size;
}
