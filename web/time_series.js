// Every event over time: one row for each, with a common time axis that can be zoomed.
import {axisBottom} from "d3-axis";
import {scaleLinear} from "d3-scale";
import {select} from "d3-selection";
import {extent, frame, nearest, responsive} from "./chart.js";
import {element, svg} from "./elements.js";
import {hatching} from "./hatching.js";
import {shownName} from "./names.js";
import {brief, fixed, isNumber} from "./numbers.js";
import {beyondTop, leastLength, topOf} from "./track_scale.js";

const ROW = 84;
const PLOT = 50;  // height of a row's plot
const MARGIN = {
  left: 64,
  right: 12
};
// Pixels of the sign for a figure above the scale.
const BEYOND = {
  half: 4,
  height: 7
};
const STEPS_FROM = 3;      // pixels that a stretch needs to be drawn by itself
const MANY = 100;          // stretches may share pixels on a narrow screen
const SHORT_PAUSE = 0.01;  // of a stretch: the line goes on
const NARROWEST = 1e-4;    // of the whole time: no closer zoom
const NEARLY = 1 - 1e-9;   // of the whole time is all of it: steps there and back are rounded

/**
 * Draws nothing if there are no tracks.
 * @param {HTMLElement} main
 * @param {ReturnType<typeof import("./time_tracks.js").tracksOf>} content
 */
export function drawOverTime(main, content) {
  const {tracks} = content;
  if (tracks.length === 0) return;
  const whole = [0, 1].map(
      (side) => extent(tracks.flatMap(({start, end}) => [start[0], end[end.length - 1]]))[side]);
  const leasts = tracks.map(leastLength);
  const view = {from: whole[0], to: whole[1], cursor: null};
  const said = element("span", {class: "said", role: "status"});
  const axis = element("div");
  const rows = element("div", {class: "tracks"});
  const show = (from, to) => {
    const all = whole[1] - whole[0];
    const length = Math.max(to - from, all * NARROWEST);
    if (length > all * NEARLY) {
      [view.from, view.to] = whole;
    } else {
      view.from = Math.min(Math.max((from + to - length) / 2, whole[0]), whole[1] - length);
      view.to = view.from + length;
    }
    redraw();
  };
  const zoom = (factor) => {
    const middle = (view.from + view.to) / 2;
    const half = (view.to - view.from) / 2 * factor;
    show(middle - half, middle + half);
  };
  const move = (part) => {
    const step = (view.to - view.from) * part;
    show(view.from + step, view.to + step);
  };
  const actions = {
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    "−": () => zoom(2),
    "0": () => show(whole[0], whole[1]),
    "ArrowLeft": () => move(-0.25),
    "ArrowRight": () => move(0.25),
  };
  const button = (label, key, title) =>
      element("button", {type: "button", title, "aria-label": title, onclick: actions[key]}, label);
  const figure = element(
      "div", {
        class: "over-time",
        tabindex: 0,
        role: "group",
        "aria-label": `${tracks.length} figures over time. Keys: + and − zoom, the arrows move, ` +
            "0 shows the whole time, Shift and an arrow move the cursor.",
        onkeydown: (event) => {
          if (event.ctrlKey || event.altKey || event.metaKey) return;
          const action = event.shiftKey && event.key.startsWith("Arrow") ?
              () => stepCursor(event.key === "ArrowRight" ? 1 : -1) :
              actions[event.key];
          if (!action) return;
          event.preventDefault();
          action();
        },
      },
      element(
          "div", {class: "time-head"},
          element(
              "div", {class: "controls buttons"}, button("+", "+", "Zoom in"),
              button("−", "-", "Zoom out"), button("◀", "ArrowLeft", "Earlier"),
              button("▶", "ArrowRight", "Later"), button("Whole time", "0", "Show the whole time"),
              said),
          axis),
      rows);

  // Moves the cursor along the stretches of the first track.
  const stepCursor = (by) => {
    const {start, end} = tracks[0];
    const middles = start.map((from, index) => (from + end[index]) / 2);
    const at =
        view.cursor === null ? nearest(middles, view.from) : nearest(middles, view.cursor) + by;
    view.cursor = middles[Math.min(Math.max(at, 0), middles.length - 1)];
    if (view.cursor < view.from || view.cursor > view.to) {
      const half = (view.to - view.from) / 2;
      show(view.cursor - half, view.cursor + half);
    }
    pictures.forEach(({point}) => point(view.cursor));
    said.textContent = cursorText(view.cursor);
  };

  let pictures = [];
  let pending = 0;
  const draw = (width) => {
    pictures = tracks.map((track, index) => drawTrack(track, view, width, leasts[index]));
    rows.replaceChildren(...pictures.map(({picture}) => picture));
    axis.replaceChildren(timeAxis(view, width));
    said.textContent = view.cursor === null ? spanText(view, whole) : cursorText(view.cursor);
    return element("span");
  };
  const sensor = element("div");
  figure.prepend(sensor);
  main.append(element(
      "section", {}, element("h2", {}, "Over time"),
      element("p", {class: "note"}, explanation(content, leasts)), figure));
  const redrawNow = responsive(sensor, draw);
  const redraw = () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(redrawNow);
  };
  selectByDrag(rows, view, show, (time) => {
    view.cursor = time;
    pictures.forEach(({point}) => point(time));
    said.textContent = time === null ? spanText(view, whole) : cursorText(time);
  });
}

function explanation({tracks, what, banded, periods}, leasts) {
  const estimated = tracks.some(({low, high}) => low?.some((end, index) => end !== high[index]));
  const bands =
      banded && estimated ? " The band of a reporting interval is its 95 % interval." : "";
  const gaps = tracks.some(({turned}) => turned) ?
      " Solid: the event was counted. Hatched: another event set had the counters, and the " +
          "picture goes from one counted period to the next." :
      "";
  const many = tracks.some(({start}) => start.length > MANY);
  const shared = periods && many ? " Where many periods share a pixel, the line is their mean, " +
          "and the band goes from the lowest to the highest of them." :
                                   "";
  const phases = tracks.some((track) => track.phases.length > 0) ?
      " Upright lines: the rate of this event changed there (a test of ranks, at a risk of 1 % for " +
          "the whole picture); level lines: the mean of each phase." :
      "";
  const hasBeyond = (track, index) => {
    const last = track.start.length;
    return beyondTop(track, 0, last, topOf(track, 0, last, leasts[index])).length > 0;
  };
  const beyond = tracks.some(hasBeyond) ?
      " ▲ at the top: a short stretch of time has a figure above the scale. Point at it to read it." :
      "";
  return `${what}.${bands}${gaps}${shared}${phases}${beyond} Drag over a stretch of time to zoom.`;
}

function spanText({from, to}, whole) {
  const all = from <= whole[0] && to >= whole[1];
  return all ? "the whole time" : `${time(from)} to ${time(to)}`;
}

function cursorText(at) { return `at ${time(at)}`; }

function time(value) { return `${fixed(value, value < 1 ? 6 : value < 1000 ? 4 : 1)} s`; }

function timeScale({from, to}, width) {
  return scaleLinear().domain([from, to]).range([0, width - MARGIN.left - MARGIN.right]);
}

function timeAxis(view, width) {
  const made = frame({
    width,
    height: 34,
    label: `Time from ${time(view.from)} to ${time(view.to)}`,
    margin: {top: 2, bottom: 32, ...MARGIN}
  });
  const group = svg("g", {class: "axis"});
  const inner = svg("g");
  select(inner).call(axisBottom(timeScale(view, width))
                         .ticks(Math.max(2, made.width / 110))
                         .tickFormat(tickText(timeScale(view, width), made.width / 110)));
  for (const name of ["font-size", "font-family", "fill"]) inner.removeAttribute(name);
  group.append(inner);
  made.plot.append(group);
  return made.picture;
}

// The unit stands at every tick: there is no room for a label.
function tickText(scale, number) {
  const format = scale.tickFormat(Math.max(2, number));
  return (value) => `${format(value)} s`;
}

/**
 * @param {import("./time_tracks.js").Track} track
 * @param {{from: number, to: number, cursor: number | null}} view
 * @param {number} width
 * @param {number} least length of a stretch that sets the scale
 */
function drawTrack(track, view, width, least) {
  const [first, last] = visible(track, view);
  const made = frame({
    width,
    height: ROW,
    label: trackLabel(track, first, last),
    margin: {top: 22, bottom: ROW - 22 - PLOT, ...MARGIN}
  });
  const x = timeScale(view, width);
  const many = last - first > made.width / STEPS_FROM;
  const bins = many ? binned(track, first, last, x, made.width) : [];
  const top = topOf(track, first, last, least);
  const y = scaleLinear().domain([0, top || 1]).range([PLOT, 0]).clamp(true);
  const clip = svg(
      "svg",
      {width: made.width, height: PLOT, viewBox: `0 0 ${made.width} ${PLOT}`, overflow: "hidden"});
  clip.append(
      ...many ? drawBins(bins, y) : drawSteps(track, first, last, x, y),
      ...drawPhases(track.phases, x, y),
      ...drawBeyond(track, beyondTop(track, first, last, top), x, made.width));
  const value = svg("text", {class: "track-value", x: made.width, y: -7, "text-anchor": "end"});
  const cursor = svg("line", {class: "cursor", y2: PLOT, visibility: "hidden"});
  made.plot.append(
      svg("text", {class: "track-name", x: 0, y: -7}, shortTitle(track, width)),
      axisOfTrack(y, top > 0 ? [0, top] : [0]),
      svg("line", {class: "base", x2: made.width, y1: PLOT, y2: PLOT}), clip, cursor, value);
  const point = (at) => {
    const inside = at !== null && at >= view.from && at <= view.to;
    cursor.setAttribute("visibility", inside ? "visible" : "hidden");
    value.textContent = inside ? textAt(track, at) : "";
    if (!inside) return;
    cursor.setAttribute("x1", x(at));
    cursor.setAttribute("x2", x(at));
  };
  point(view.cursor);
  return {picture: made.picture, point};
}

// The border before each phase but the first, and its mean.
function drawPhases(phases, x, y) {
  return phases.flatMap(({start, end, figure}, index) => {
    const [from, to, level] = [x(start), x(end), y(figure)].map(point);
    const mean = svg("line", {class: "phase", x1: from, x2: to, y1: level, y2: level});
    const border = svg("line", {class: "phase-border", x1: from, x2: from, y2: PLOT});
    return index === 0 ? [mean] : [border, mean];
  });
}

function shortTitle({name, unit}, width) {
  const most = Math.max(12, Math.floor(width / 8) - unit.length - 22);
  const shown = shownName(name);
  const cut = shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
  return unit ? `${cut}, ${unit}` : cut;
}

function trackLabel({name, unit, figure, phases}, first, last) {
  const [low, high] = extent(figure.slice(first, last));
  const means = phases.map(({figure: mean, start}) => `${brief(mean)} from ${time(start)}`);
  return `${shownName(name)}: ${brief(low)} to ${brief(high)} ${unit}` +
      (means.length > 0 ? `; phases: ${means.join(", ")}` : "");
}

// The indices of the stretches in the view, with one more on each side.
function visible({start}, {from, to}) {
  return [
    Math.max(0, lowerBound(start, from) - 1), Math.min(start.length, lowerBound(start, to) + 1)
  ];
}

function lowerBound(ascending, wanted) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The mean, lowest and highest figure of the stretches that begin in each two pixels.
function binned({start, end, figure, low, high}, first, last, x, width) {
  const made = [];
  let bin = null;
  for (let index = first; index < last; ++index) {
    const at = Math.floor(x(start[index]) / 2);
    if (at < -1 || at > width / 2 + 1) continue;
    if (bin === null || bin.at !== at) {
      const begins = bin === null || 2 * at > bin.to + 4;  // nothing was counted in between
      bin = {
        at,
        x: 2 * at + 1,
        to: 2 * at + 1,
        begins,
        sum: 0,
        time: 0,
        low: Infinity,
        high: -Infinity
      };
      made.push(bin);
    }
    const length = end[index] - start[index];
    bin.sum += figure[index] * length;
    bin.time += length;
    bin.to = Math.max(bin.to, Math.floor(x(end[index])));
    bin.low = Math.min(bin.low, low?.[index] ?? figure[index]);
    bin.high = Math.max(bin.high, high?.[index] ?? figure[index]);
  }
  return made;
}

function drawBins(bins, y) {
  const parts = [];
  for (const bin of bins) {
    if (bin.begins) parts.push([]);
    parts.at(-1).push(bin);
  }
  return parts.flatMap((part) => {
    const along = (figureOf) => part.flatMap((bin) => {
      const at = point(y(figureOf(bin)));
      return [`${bin.x},${at}`, `${bin.to},${at}`];
    });
    const there = along(({low}) => low);
    const back = along(({high}) => high).reverse();
    const mean = along(({sum, time: length}) => sum / length);
    return [
      svg("path", {class: "band", d: `M${there.join("L")}L${back.join("L")}Z`}),
      svg("path", {class: "line", d: `M${mean.join("L")}`})
    ];
  });
}

// Triangles at the top, inside the picture: the figures there are above the scale.
function drawBeyond({start, end}, beyond, x, width) {
  const {half, height} = BEYOND;
  const places =
      beyond.filter((index) => x(end[index]) > 0 && x(start[index]) < width).map((index) => {
        const middle = (Math.max(x(start[index]), 0) + Math.min(x(end[index]), width)) / 2;
        return Math.round(Math.min(Math.max(middle, half), width - half));
      });
  return [...new Set(places)].map(
      (at) => svg("path", {class: "beyond", d: `M${at - half},${height}h${2 * half}L${at},0Z`}));
}

// Each stretch by itself: solid where the event was counted, hatched between; a band for intervals.
function drawSteps({start, end, figure, low, high, turned}, first, last, x, y) {
  let solid = "";
  let tops = "";
  let gaps = "";
  let bands = "";
  for (let index = first; index < last; ++index) {
    const [from, to, top] = [x(start[index]), x(end[index]), y(figure[index])].map(point);
    solid += `M${from},${PLOT}V${top}H${to}V${PLOT}Z`;
    const joined =
        index > first && start[index] - end[index - 1] < SHORT_PAUSE * (end[index] - start[index]);
    tops += joined ? `V${top}H${to}` : `M${from},${top}H${to}`;
    if (low && isNumber(low[index]) && isNumber(high[index]))
      bands += `M${from},${point(y(low[index]))}H${to}V${point(y(high[index]))}H${from}Z`;
    if (turned && index + 1 < last && start[index + 1] > end[index])
      gaps += `M${to},${PLOT}V${top}L${point(x(start[index + 1]))},${point(y(figure[index + 1]))}` +
          `V${PLOT}Z`;
  }
  const nodes =
      low ? [svg("path", {class: "band", d: bands})] : [svg("path", {class: "counted", d: solid})];
  if (gaps) {
    const pattern = hatching();
    nodes.unshift(pattern, svg("path", {d: gaps, fill: `url(#${pattern.id})`}));
  }
  nodes.push(svg("path", {class: "line", d: tops}));
  return nodes;
}

function point(value) { return Math.round(value * 10) / 10; }

function axisOfTrack(y, values) {
  const group = svg("g", {class: "axis"});
  for (const value of values) {
    group.append(
        svg("line", {x1: -4, x2: 0, y1: y(value), y2: y(value)}),
        svg("text", {x: -7, y: y(value), dy: "0.35em", "text-anchor": "end"}, withPrefix(value)));
  }
  return group;
}

/** "2.5 G", "400 k", "0.35" */
function withPrefix(value) {
  const [size, prefix] = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"], [0, ""]].find(
      ([least]) => value >= Number(least));
  return `${Number((value / (Number(size) || 1)).toPrecision(3))}${prefix}`;
}

/** @param {import("./time_tracks.js").Track} track */
function textAt(track, at) {
  const index = lowerBound(track.start, at + Number.EPSILON) - 1;
  const counted = index >= 0 && at <= track.end[index];
  return counted ? track.textOf(track, index) : "not counted here";
}

// Dragging over the rows chooses the time that is shown; the pointer shows the figures at a time.
function selectByDrag(rows, view, show, point) {
  let from = null;
  const shade = element("div", {class: "time-selection", hidden: true});
  const timeAt = (event) => {
    const box = rows.getBoundingClientRect();
    return timeScale(view, box.width).clamp(true).invert(event.clientX - box.left - MARGIN.left);
  };
  rows.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = {x: event.clientX, time: timeAt(event)};
    rows.setPointerCapture(event.pointerId);
  });
  rows.addEventListener("pointermove", (event) => {
    point(timeAt(event));
    if (from === null) return;
    const left = rows.getBoundingClientRect().left;
    rows.append(shade);
    shade.hidden = false;
    shade.style.left = `${Math.min(from.x, event.clientX) - left}px`;
    shade.style.width = `${Math.abs(event.clientX - from.x)}px`;
  });
  rows.addEventListener("pointerup", (event) => {
    const to = timeAt(event);
    if (from !== null && Math.abs(event.clientX - from.x) > 4)
      show(Math.min(from.time, to), Math.max(from.time, to));
    from = null;
    shade.hidden = true;
  });
  rows.addEventListener("pointercancel", () => {
    from = null;
    shade.hidden = true;
  });
  rows.addEventListener("pointerleave", () => {
    if (from === null) point(null);
  });
}
