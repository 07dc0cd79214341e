// A flame graph on a canvas: draws frames, finds the frame under the pointer, and moves the focus
// by keyboard. The canvas has the size of what can be seen; the box around it scrolls.
import {element} from "./elements.js";
import {onThemeChange, cssValue} from "./colours.js";
import {readTheme} from "./frame_colours.js";
import {frameAt} from "./flame_layout.js";
import {printable} from "./names.js";

const ROW = 20;  // height of a row in pixels; 1 of them is the gap
const FONT_SIZE = 12;
const LEAST_LABEL = 3;          // characters
const NARROWEST_WITH_BAR = 24;  // pixels; bars of narrower frames would hide each other
const MOST_PRINTED = 1300;      // pixels, about a page; deeper frames are cut on paper

/**
 * What the graph draws of a frame.
 * @typedef {object} Mark
 * @property {string} label
 * @property {number} slot of the palette
 * @property {boolean} few has few samples
 * @property {boolean} matched by the search
 * @property {boolean} tied not certainly smaller than the sibling to the left
 * @property {number} lowPart low end of the interval of the width, as a part of the width
 * @property {number} highPart 1 or more; both are 1 if the width is exact
 */

/**
 * @typedef {object} Picture
 * @property {(width: number) => import("./flame_layout.js").Frames} layout
 * @property {(frames: import("./flame_layout.js").Frames, index: number) => Mark} mark
 * @property {boolean} rootBelow the outermost frame is at the bottom
 */

export class FlameGraph {
  /**
   * @param {Element} parent
   * @param {object} handlers
   * @param {(index: number) => void} handlers.onZoom
   * @param {(index: number) => void} handlers.onFocus
   * @param {() => void} handlers.onReset
   * @param {() => void} handlers.onPlace the frames have new places
   * @param {(index: number) => string} handlers.explain text of the tooltip
   */
  constructor(parent, handlers) {
    this.handlers = handlers;
    this.canvas = element("canvas");
    this.space = element("div", {class: "flame-space"}, this.canvas);
    this.box = element(
        "div", {
          class: "flame-box",
          tabindex: 0,
          role: "application",
          "aria-roledescription": "flame graph",
          "aria-label": "Flame graph",
          "aria-keyshortcuts": "ArrowUp ArrowDown ArrowLeft ArrowRight Enter Escape",
        },
        this.space);
    this.tip = element("div", {class: "tooltip", hidden: true, "aria-hidden": "true"});
    parent.append(this.box);
    document.body.append(this.tip);
    /** @type {Picture | null} */
    this.picture = null;
    this.frames = null;
    this.focus = 0;
    this.hovered = -1;
    this.printing = false;
    this.width = 0;
    this.drawn = {height: 0, scroll: 0};  // what the canvas shows
    this.readColours();
    this.listen();
  }

  listen() {
    onThemeChange(() => {
      this.readColours();
      this.draw();
    });
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.box.addEventListener("scroll", () => this.drawIfMoved());
    this.box.addEventListener("keydown", (event) => this.press(event));
    this.box.addEventListener("focus", () => this.draw());
    this.box.addEventListener("blur", () => this.draw());
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.hideTip());
    this.canvas.addEventListener("click", (event) => {
      const index = this.at(event);
      if (index < 0) return;
      this.hideTip();
      this.setFocus(index);
      this.handlers.onZoom(index);
    });
  }

  readColours() {
    this.theme = readTheme();
    this.brush = brushOn(this.canvas, this.theme);
  }

  /** @param {Picture} picture */
  show(picture) {
    const turned = this.picture?.rootBelow !== picture.rootBelow;
    this.picture = picture;
    this.place();
    if (turned || picture.rootBelow) this.box.scrollTop = picture.rootBelow ? this.height : 0;
    this.draw();
  }

  /** The picture has changed in its marks, but not in its places. */
  refresh() { this.draw(); }

  place() {
    const kept = this.frames && this.frames.count > 0 ? this.keyOf(this.focus) : null;
    this.width ||= Math.max(1, this.box.clientWidth);
    this.frames = this.picture.layout(this.width);
    this.height = this.frames.rows * ROW;
    this.space.style.height = `${this.height}px`;
    this.focus = kept ? this.find(kept) : 0;
    this.hovered = -1;
    this.handlers.onPlace();
  }

  keyOf(index) { return {node: this.frames.node[index], first: this.frames.first[index]}; }

  find({node, first}) {
    for (let i = 0; i < this.frames.count; ++i)
      if (this.frames.node[i] === node && this.frames.first[i] === first) return i;
    return 0;
  }

  resize() {
    if (!this.picture || this.printing) return;
    const width = Math.max(1, this.box.clientWidth);
    if (width === this.width) return this.drawIfMoved();
    this.width = width;
    this.place();
    this.draw();
  }

  // Draws if another part of the picture can be seen than was drawn.
  drawIfMoved() {
    if (!this.frames || this.printing) return;
    const {height, scroll} = this.visible();
    if (height !== this.drawn.height || scroll !== this.drawn.scroll) this.draw();
  }

  visible() {
    return {height: Math.min(this.height, this.box.clientHeight), scroll: this.box.scrollTop};
  }

  printed() {
    const height = Math.min(this.height, MOST_PRINTED);
    return {height, scroll: this.picture.rootBelow ? this.height - height : 0};
  }

  print(printing) {
    if (!this.picture) return;
    this.printing = printing;
    this.readColours();
    this.draw();
  }

  /** Top of a row in the space that scrolls. */
  top(row) { return this.picture.rootBelow ? this.height - (row + 1) * ROW : row * ROW; }

  rowAt(y) { return Math.floor((this.picture.rootBelow ? this.height - y : y) / ROW); }

  draw() {
    if (!this.frames) return;
    this.drawn = this.printing ? this.printed() : this.visible();
    const {height, scroll} = this.drawn;
    const {brush} = this;
    brush.begin(this.width, height, scroll);
    const rows = [this.rowAt(scroll), this.rowAt(scroll + height - 0.01)].sort((a, b) => a - b);
    const first = Math.max(0, rows[0]);
    const last = Math.min(this.frames.rows - 1, rows[1]);
    for (let row = first; row <= last; ++row) this.drawRow(brush, row);
    if (document.activeElement === this.box && this.frames.count > 0) this.drawFocus(brush);
  }

  drawRow(brush, row) {
    const {frames, picture} = this;
    const y = this.top(row);
    const from = frames.rowStart[row];
    const to = frames.rowStart[row + 1];
    const marks = [];
    for (let i = from; i < to; ++i) {
      if (frames.node[i] < 0) {
        marks.push(null);
        brush.narrow(frames.x[i], y, frames.width[i]);
        continue;
      }
      const mark = picture.mark(frames, i);
      marks.push(mark);
      brush.frame(frames.x[i], y, frames.width[i], mark);
    }
    for (let i = from; i < to; ++i) {
      if (marks[i - from])
        brush.interval(frames.x[i], y, frames.width[i], marks[i - from], this.isNarrower(i));
    }
    for (let i = from; i < to; ++i) {
      const mark = marks[i - from];
      if (!mark) continue;
      brush.label(frames.x[i], y, frames.width[i], mark);
      if (mark.tied && frames.before[i] >= 0)
        brush.tie(frames.x[i], y, Math.min(frames.width[i], frames.width[frames.before[i]]));
      if (mark.matched) brush.outline(frames.x[i], y, frames.width[i], this.theme.text);
    }
  }

  // Frames as wide as their caller have the same interval: its bar is drawn once.
  isNarrower(index) {
    const caller = this.frames.caller[index];
    return caller < 0 || this.frames.width[index] < this.frames.width[caller] - 0.5;
  }

  drawFocus(brush) {
    const {frames, focus} = this;
    brush.focus(frames.x[focus], this.top(frames.row[focus]), frames.width[focus]);
  }

  at(event) {
    if (!this.frames) return -1;
    const box = this.canvas.getBoundingClientRect();
    const y = event.clientY - box.top + this.box.scrollTop;
    const index = frameAt(this.frames, this.rowAt(y), event.clientX - box.left);
    return index >= 0 && this.frames.node[index] >= 0 ? index : -1;
  }

  hover(event) {
    const index = this.at(event);
    this.canvas.style.cursor = index < 0 ? "default" : "pointer";
    if (index < 0) {
      this.hideTip();
      return;
    }
    if (index !== this.hovered) this.tip.textContent = this.handlers.explain(index);
    this.hovered = index;
    this.tip.hidden = false;
    const {width, height} = this.tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4));
    const below = event.clientY + 18;
    const y = below + height > innerHeight ? Math.max(4, event.clientY - height - 12) : below;
    this.tip.style.left = `${left + scrollX}px`;
    this.tip.style.top = `${y + scrollY}px`;
  }

  hideTip() {
    this.hovered = -1;
    this.tip.hidden = true;
  }

  press(event) {
    const {frames, focus} = this;
    if (!frames || frames.count === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const outwards = this.picture.rootBelow ? "ArrowDown" : "ArrowUp";
    const inwards = this.picture.rootBelow ? "ArrowUp" : "ArrowDown";
    let next = focus;
    if (event.key === outwards)
      next = frames.caller[focus];
    else if (event.key === inwards)
      next = this.firstCallee(focus);
    else if (event.key === "ArrowLeft")
      next = this.neighbour(focus, -1);
    else if (event.key === "ArrowRight")
      next = this.neighbour(focus, 1);
    else if (event.key === "Enter")
      this.handlers.onZoom(focus);
    else if (event.key === "Escape")
      this.handlers.onReset();
    else
      return;
    event.preventDefault();
    if (next >= 0 && next !== focus) this.setFocus(next);
  }

  // A callee that was drawn: the first, which is the largest by weight.
  firstCallee(index) {
    const {frames} = this;
    const row = frames.row[index] + 1;
    for (let i = frames.rowStart[row] ?? 0; i < (frames.rowStart[row + 1] ?? 0); ++i)
      if (frames.caller[i] === index && frames.node[i] >= 0) return i;
    return -1;
  }

  neighbour(index, step) {
    const {frames} = this;
    for (let i = index + step; i >= 0 && i < frames.count; i += step) {
      if (frames.row[i] !== frames.row[index]) return -1;
      if (frames.node[i] >= 0) return i;
    }
    return -1;
  }

  setFocus(index) {
    this.focus = index;
    const top = this.top(this.frames.row[index]);
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const bottom = top + ROW - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
    this.draw();
    this.handlers.onFocus(index);
  }

  /** Where a frame is, in the window. */
  rectangle(index) {
    const box = this.canvas.getBoundingClientRect();
    return {
      left: box.left + this.frames.x[index],
      top: box.top + this.top(this.frames.row[index]) - this.box.scrollTop,
      width: this.frames.width[index],
      height: ROW - 1,
    };
  }
}

/**
 * Functions that draw the parts of frames. The legend uses them, too, so that it cannot differ.
 * begin() comes first.
 * @param {HTMLCanvasElement} canvas
 * @param {import("./frame_colours.js").Theme} theme
 */
export function brushOn(canvas, theme) {
  const context = canvas.getContext("2d");
  const font = `${FONT_SIZE}px ${cssValue("--mono")}`;
  context.font = font;
  const letter = context.measureText("0").width;
  const stripes = pattern(context, theme.back, diagonal);
  const lines = pattern(context, theme.line, upright);
  const inner = ROW - 1;

  const lookOf = (mark) =>
      mark.matched ? theme.matched : (mark.few ? theme.pale : theme.solid)[mark.slot];
  const shape = (x, frameWidth) => (frameWidth >= 3 ? frameWidth - 1 : frameWidth);

  return {
    /**
     * Clears the canvas.
     * @param {number} width in CSS pixels
     * @param {number} height
     * @param {number} scroll how much of the picture is above the canvas
     */
    begin(width, height, scroll) {
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      context.setTransform(ratio, 0, 0, ratio, 0, -scroll * ratio);
      context.font = font;
      context.textBaseline = "middle";
    },
    frame(x, y, frameWidth, mark) {
      context.fillStyle = lookOf(mark).fill;
      context.fillRect(x, y, shape(x, frameWidth), inner);
    },
    narrow(x, y, frameWidth) {
      context.fillStyle = lines;
      context.fillRect(x, y, shape(x, frameWidth), inner);
    },
    // From the low end of the interval to the estimate the frame is hatched; a bar goes on to the
    // high end.
    interval(x, y, frameWidth, mark, withBar) {
      const low = x + frameWidth * mark.lowPart;
      const right = x + shape(x, frameWidth);
      if (right - low >= 2 && frameWidth >= 4) {
        context.fillStyle = stripes;
        context.fillRect(low, y, right - low, inner);
      }
      const high = x + frameWidth * mark.highPart;
      if (withBar && high - right >= 3 && frameWidth >= NARROWEST_WITH_BAR) {
        context.fillStyle = theme.quiet;
        context.fillRect(right, y + inner - 3, high - right, 1.5);
        context.fillRect(high - 1, y + inner - 6, 1.5, 6);
      }
    },
    label(x, y, frameWidth, mark) {
      const room = Math.floor((frameWidth - 6) / letter);
      if (room < LEAST_LABEL) return;
      const look = lookOf(mark);
      const text = fitting(context, printable(mark.label.slice(0, 2000)), room, letter);
      if (3 + text.length * letter > frameWidth * mark.lowPart) {  // it is on the hatching, too
        context.strokeStyle = look.fill;
        context.lineWidth = 4;
        context.lineJoin = "round";
        context.strokeText(text, x + 3, y + ROW / 2);
      }
      context.fillStyle = look.text;
      context.fillText(text, x + 3, y + ROW / 2);
    },
    // A zigzag in place of the straight edge between two frames.
    tie(x, y, narrower) {
      if (narrower < 7) return;
      context.beginPath();
      for (let step = 0; step <= 6; ++step)
        context.lineTo(x - 0.5 + (step % 2 ? 2.5 : -2.5), y + step * inner / 6);
      context.lineJoin = "miter";
      context.strokeStyle = theme.back;
      context.lineWidth = 4;
      context.stroke();
      context.strokeStyle = theme.text;
      context.lineWidth = 1.2;
      context.stroke();
    },
    outline(x, y, frameWidth, colour) {
      context.fillStyle = colour;
      const right = x + shape(x, frameWidth);
      context.fillRect(x, y, right - x, 2);
      context.fillRect(x, y + inner - 2, right - x, 2);
      if (frameWidth < 6) return;
      context.fillRect(x, y, 2, inner);
      context.fillRect(right - 2, y, 2, inner);
    },
    focus(x, y, frameWidth) {
      const outer = Math.max(frameWidth - 1, 5);
      context.lineWidth = 5;
      context.strokeStyle = theme.back;
      context.strokeRect(x + 1.5, y + 1.5, outer - 3, inner - 3);
      context.lineWidth = 3;
      context.strokeStyle = theme.text;
      context.strokeRect(x + 1.5, y + 1.5, outer - 3, inner - 3);
    },
  };
}

function pattern(context, colour, paint) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const drawing = tile.getContext("2d");
  drawing.strokeStyle = colour;
  paint(drawing);
  return context.createPattern(tile, "repeat");
}

function diagonal(drawing) {
  drawing.lineWidth = 2;
  drawing.beginPath();
  for (const from of [-6, 0, 6]) {
    drawing.moveTo(from - 1, 7);
    drawing.lineTo(from + 7, -1);
  }
  drawing.stroke();
}

function upright(drawing) {
  drawing.lineWidth = 1;
  drawing.beginPath();
  for (const x of [0.5, 2.5, 4.5]) {
    drawing.moveTo(x, 0);
    drawing.lineTo(x, 6);
  }
  drawing.stroke();
}

// Cuts a name in the middle so that it has at most `room` letters of the given width.
function fitting(context, name, room, letter) {
  if (/^[\x20-\x7e]*$/.test(name)) return cut([...name], room);
  const letters = [...name];
  let most = Math.min(letters.length, room);
  while (most > 1 && context.measureText(cut(letters, most)).width > room * letter) --most;
  return cut(letters, most);
}

function cut(letters, most) {
  if (letters.length <= most) return letters.join("");
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return letters.slice(0, head).join("") + "…" + (tail > 0 ? letters.slice(-tail).join("") : "");
}
