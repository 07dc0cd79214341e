// A flame graph of the change between two programs, on a canvas. The outermost function is at the
// top. Only significant changes have a colour, and a sign with it.
import {mixed, onThemeChange, cssValue, readable} from "./colours.js";
import {element} from "./elements.js";
import {isSignificant, placeFrames} from "./change_tree.js";

const ROW = 20;  // height of a row in pixels; 1 of them is the gap
const FONT_SIZE = 12;
const LEAST_LABEL = 3;      // characters
const MOST_PRINTED = 6000;  // pixels; a longer picture is cut on paper

export class ChangeGraph {
  /**
   * @param {Element} parent
   * @param {import("./change_tree.js").ChangeTree} tree
   * @param {object} handlers
   * @param {(node: number) => string} handlers.nameOf
   * @param {(node: number) => string} handlers.explain text of the tooltip
   * @param {(node: number) => void} handlers.onFocus
   * @param {number} handlers.largest change, which has the full colour
   * @param {Float64Array} handlers.total which time is the width: tree.before or tree.after
   */
  constructor(parent, tree, handlers) {
    this.tree = tree;
    this.handlers = handlers;
    this.total = handlers.total;
    this.zoomed = 0;
    this.focus = 0;  // a node
    this.frames = [];
    this.canvas = element("canvas");
    this.box = element(
        "div", {
          class: "change-graph",
          tabindex: 0,
          role: "application",
          "aria-roledescription": "flame graph",
          "aria-label": "Flame graph of the change",
          "aria-keyshortcuts": "ArrowUp ArrowDown ArrowLeft ArrowRight Enter Escape",
        },
        element("div", {}, this.canvas));
    this.tip = element("div", {class: "change-tip", hidden: true, "aria-hidden": "true"});
    parent.append(this.box, this.tip);
    this.listen();
    this.place();
  }

  listen() {
    const redraw = () => this.draw();
    onThemeChange(redraw);
    new ResizeObserver(() => {
      if (this.box.clientWidth !== this.width) this.place();
    }).observe(this.box);
    this.box.addEventListener("scroll", redraw);
    addEventListener("beforeprint", () => this.draw(true));
    addEventListener("afterprint", redraw);
    this.box.addEventListener("keydown", (event) => this.press(event));
    this.box.addEventListener("focus", () => {
      this.draw();
      this.handlers.onFocus(this.focus);
    });
    this.box.addEventListener("blur", redraw);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
    this.canvas.addEventListener("click", (event) => {
      const frame = this.at(event);
      if (frame) this.zoom(frame.node);
    });
  }

  /** @param {Float64Array} total which time is the width: tree.before or tree.after */
  showWidth(total) {
    this.total = total;
    if (!(total[this.zoomed] > 0)) this.zoomed = 0;
    this.place();
  }

  zoom(node) {
    this.tip.hidden = true;
    this.zoomed = this.total[node] > 0 ? node : 0;
    this.focus = this.zoomed;
    this.place();
    this.handlers.onFocus(this.focus);
  }

  place() {
    this.width = Math.max(1, this.box.clientWidth);
    this.frames = placeFrames(this.tree, this.total, this.zoomed, this.width);
    if (!this.frames.some((frame) => frame.node === this.focus)) this.focus = this.zoomed;
    this.height = ROW * (this.frames.at(-1).row + 1);
    this.canvas.parentElement.style.height = `${this.height}px`;
    this.draw();
  }

  // The canvas shows what is in view: that of a deep tree would be too large. On paper it has all
  // that fits.
  draw(onPaper = false) {
    const ratio = window.devicePixelRatio || 1;
    const {canvas, width} = this;
    const scroll = onPaper ? 0 : this.box.scrollTop;
    const height = Math.min(this.height, onPaper ? MOST_PRINTED : this.box.clientHeight);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    const theme = readTheme();
    context.setTransform(ratio, 0, 0, ratio, 0, -scroll * ratio);
    context.font = `${FONT_SIZE}px ${theme.font}`;
    context.textBaseline = "middle";
    const letter = context.measureText("0").width;
    for (const frame of this.frames)
      if (frame.row * ROW < scroll + height && (frame.row + 1) * ROW > scroll)
        this.drawFrame(context, theme, letter, frame);
    const focused = this.frames.find((frame) => frame.node === this.focus);
    if (document.activeElement === this.box && focused) drawFocus(context, theme, focused);
  }

  drawFrame(context, theme, letter, {node, row, x, width}) {
    const look = lookOf(this.tree, node, theme, this.handlers.largest);
    context.fillStyle = look.fill;
    context.fillRect(x, row * ROW, width >= 3 ? width - 1 : width, ROW - 1);
    const room = Math.floor((width - 6) / letter);
    if (room < (look.sign === "" ? LEAST_LABEL : 1)) return;
    context.fillStyle = look.text;
    const name = room < LEAST_LABEL ? "" : this.handlers.nameOf(node);
    context.fillText(cut([...(look.sign + name)], room), x + 3, row * ROW + ROW / 2);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top + this.box.scrollTop) / ROW);
    const x = event.clientX - box.left;
    return this.frames.find((each) => each.row === row && x >= each.x && x < each.x + each.width);
  }

  hover(event) {
    const frame = this.at(event);
    this.canvas.style.cursor = frame ? "pointer" : "default";
    this.tip.hidden = !frame;
    if (!frame) return;
    this.tip.textContent = this.handlers.explain(frame.node);
    const {width, height} = this.tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4));
    const below = event.clientY + 18;
    const top = below + height > innerHeight ? Math.max(4, event.clientY - height - 12) : below;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${top}px`;
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = this.frames.findIndex((frame) => frame.node === this.focus);
    const beside = (step) => {
      const other = this.frames[at + step];
      return other && other.row === this.frames[at].row ? other.node : this.focus;
    };
    const moves = {
      ArrowUp: () => Math.max(this.tree.parent[this.focus], 0),
      ArrowDown: () =>
          this.frames.find(({node}) => node > 0 && this.tree.parent[node] === this.focus)?.node ??
          this.focus,
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
    };
    if (event.key === "Enter")
      this.zoom(this.focus);
    else if (event.key === "Escape")
      this.zoom(0);
    else if (moves[event.key])
      this.moveTo(moves[event.key]());
    else
      return;
    event.preventDefault();
  }

  moveTo(node) {
    this.focus = node;
    const top = this.tree.depth[node] * ROW;
    const least = top + ROW - this.box.clientHeight;
    this.box.scrollTop = Math.min(Math.max(this.box.scrollTop, least), top);
    this.draw();
    this.handlers.onFocus(node);
  }
}

function drawFocus(context, theme, {row, x, width}) {
  const outer = Math.max(width - 1, 5);
  for (const [line, colour] of [[4, theme.back], [2, theme.text]]) {
    context.lineWidth = line;
    context.strokeStyle = colour;
    context.strokeRect(x + 1.5, row * ROW + 1.5, outer - 3, ROW - 4);
  }
}

function cut(letters, most) {
  if (letters.length <= most) return letters.join("");
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return letters.slice(0, head).join("") + "…" + (tail > 0 ? letters.slice(-tail).join("") : "");
}

/**
 * @typedef {Record<"back" | "text" | "grey" | "less" | "lessSoft" | "more" | "moreSoft" | "font",
 *                  string>} Theme
 */

/** @returns {Theme} the colours of the page */
function readTheme() {
  return {
    back: cssValue("--back"),
    text: cssValue("--text"),
    grey: cssValue("--grey-soft"),
    less: cssValue("--blue"),
    lessSoft: cssValue("--blue-soft"),
    more: cssValue("--orange"),
    moreSoft: cssValue("--orange-soft"),
    font: cssValue("--mono"),
  };
}

// How a frame looks. The text is in the colour that is easier to read on the frame.
function lookOf(tree, node, theme, largest) {
  if (!isSignificant(tree, node)) return {fill: theme.grey, text: theme.text, sign: ""};
  const change = tree.after[node] - tree.before[node];
  const part = largest > 0 ? Math.abs(change) / largest : 0;
  const fill = change < 0 ? mixed(theme.lessSoft, theme.less, part) :
                            mixed(theme.moreSoft, theme.more, part);
  return {fill, text: readable(fill, theme.text, theme.back), sign: change < 0 ? "▼ " : "▲ "};
}
