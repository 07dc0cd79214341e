// What happened over time: a track for each event and metric, from the periods of --series or from
// the reporting intervals of -I.
import {brief, figureText, isNumber, metricFigure, plural, rate, used} from "./numbers.js";

/**
 * One row of the picture. The lists are as long as there are stretches of time with a number.
 * @typedef {object} Track
 * @property {string} name
 * @property {string} unit of the figures
 * @property {boolean} turned it was counted in some periods only: the time between is a gap
 * @property {number[]} start of each stretch, in seconds, ascending
 * @property {number[]} end
 * @property {number[]} figure
 * @property {(number | null)[] | null} low ends of the 95 % intervals; null for exact counts
 * @property {(number | null)[] | null} high
 * @property {Phase[]} phases stretches with a rate of their own; none if the rate did not change
 * @property {(track: Track, index: number) => string} textOf a figure
 */

/** @typedef {{start: number, end: number, figure: number}} Phase `figure` is the mean */

/**
 * @param {import("./data.js").Page & {intervals?: any[], series?: any, phases?: any[]}} page
 * @returns {{tracks: Track[], what: string, banded: boolean, periods: boolean}} metrics come from
 *     the intervals; events from the periods of the series if there is one
 */
export function tracksOf(page) {
  const periods = page.series?.periods ?? [];
  const intervals = (page.intervals ?? []).filter(({interval}) => isNumber(interval));
  const whats = [
    intervals.length > 1 ? plural(intervals.length, "reporting interval") : null,
    periods.length > 1 ? plural(periods.length, "period") : null,
  ].filter((what) => what !== null);
  const events = periods.length > 1 ?
      page.series.head.events.map((event) => trackOfSeries(event, periods)) :
      null;
  const tracks = intervals.length > 1 ?
      [
        ...tracksOfIntervals(intervals, "metrics"),
        ...events ?? tracksOfIntervals(intervals, "events")
      ] :
      events ?? [];
  addPhases(events ?? tracks, page.phases ?? []);
  return {
    tracks: tracks.filter(({start}) => start.length > 0),
    what: whats.join(", "),
    banded: intervals.length > 1,
    periods: periods.length > 1
  };
}

function addPhases(tracks, found) {
  for (const {event, phases} of found) {
    const track = tracks.find(({name}) => name === event);
    if (!track) continue;
    track.phases = phases.map(
        ({start_s: start, end_s: end, rate: figure}) =>
            ({start, end, figure: track.unit === "CPUs" ? figure / 1e9 : figure}));
  }
}

function trackOfSeries(event, periods) {
  const turned = event.duty === "turned";
  const track = emptyTrack(event.name, event.unit, turned);
  for (const period of periods) {
    if (turned && period.set !== event.set) continue;
    const count = (turned ? period.counts : period.always)?.[event.slot];
    const counting = countingTime(period, turned);
    if (!isNumber(count) || !(counting > 0)) continue;
    add(track, period.start_s, period.start_s + period.duration_s,
        perSecond(count * event.scale / counting, event.unit));
  }
  return track;
}

// The kernel may take the counters away for a part of a period.
function countingTime({duration_s, enabled_ns, running_ns}, turned) {
  if (!turned || !(enabled_ns > running_ns)) return duration_s;
  return duration_s * running_ns / enabled_ns;
}

function tracksOfIntervals(intervals, key) {
  const starts = intervals.map((_, index) => (index === 0 ? 0 : intervals[index - 1].interval));
  const names = new Set(intervals.flatMap((one) => one[key].map(({name}) => name)));
  const make = key === "metrics" ? metricTrack : eventTrack;
  return [...names].map(
      (name) => make(
          intervals.map((one) => one[key].find((figure) => figure.name === name)), intervals,
          starts));
}

function metricTrack(found, intervals, starts) {
  const {name, unit} = found.find((metric) => metric !== undefined);
  const texts = [];
  const track = {
    ...emptyTrack(name, unit, false),
    low: [],
    high: [],
    unit: unit === "PTI" ? "per thousand instructions" : unit ?? "",
    textOf: (_, index) => texts[index]
  };
  found.forEach((metric, index) => {
    if (!metric || !isNumber(metric.value)) return;
    add(track, starts[index], intervals[index].interval, metric.value);
    track.low.push(metric.low);
    track.high.push(metric.high);
    texts.push(figureText(metricFigure(metric)));
  });
  return track;
}

function eventTrack(found, intervals, starts) {
  const {name, unit} = found.find((event) => event !== undefined);
  const track = {...emptyTrack(name, unit, false), low: [], high: []};
  found.forEach((event, index) => {
    const length = intervals[index].interval - starts[index];
    if (!event || !isNumber(event.estimate) || !(length > 0)) return;
    const scaled = (value) => (isNumber(value) ? perSecond(value / length, unit) : null);
    add(track, starts[index], intervals[index].interval, scaled(event.estimate));
    track.low.push(scaled(event.low));
    track.high.push(scaled(event.high));
  });
  return track;
}

/** @returns {Track} */
function emptyTrack(name, unit, turned) {
  return {
    name,
    unit: unitOfRate(unit),
    turned,
    start: [],
    end: [],
    figure: [],
    low: null,
    high: null,
    phases: [],
    textOf: rateText
  };
}

function add(track, start, end, figure) {
  track.start.push(start);
  track.end.push(end);
  track.figure.push(figure);
}

// A clock's ns in a second are CPUs.
function perSecond(value, unit) { return unit === "ns" ? value / 1e9 : value; }

function unitOfRate(unit) {
  if (unit === "ns") return "CPUs";
  return unit ? `${unit} per second` : "per second";
}

function rateText({figure, low, high, unit}, index) {
  const half =
      low && isNumber(low[index]) && isNumber(high[index]) ? (high[index] - low[index]) / 2 : null;
  if (unit === "CPUs") return used(figure[index], half, "CPUs");
  return unit === "per second" ? rate(figure[index], half) : `${brief(figure[index])} ${unit}`;
}
