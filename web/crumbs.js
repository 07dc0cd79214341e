// The callers of the zoomed frame as buttons. Long paths lose their middle.
import {element} from "./elements.js";

const MOST_CRUMBS = 8;
const FIRST_CRUMBS = 2;  // that are always shown

/**
 * @param {string[]} names outermost first
 * @param {boolean} all nothing is left out
 * @param {(index: number) => void} onChoose
 * @param {() => void} onAll the button in place of the middle was pressed
 * @returns {HTMLElement}
 */
export function crumbs(names, all, onChoose, onAll) {
  const skipped = names.length > MOST_CRUMBS && !all ? names.length - MOST_CRUMBS : 0;
  const items = names.map((name, index) => {
    const last = index === names.length - 1;
    return crumb(name, () => onChoose(index), {"aria-current": last ? "true" : null, title: name});
  });
  if (skipped > 0) items.splice(FIRST_CRUMBS, skipped, crumb(`… ${skipped} more`, onAll));
  return element("ol", {}, ...items);
}

function crumb(text, onclick, attributes = {}) {
  return element("li", {}, element("button", {type: "button", onclick, ...attributes}, text));
}
