// A pattern of slanted lines: an area of which something is not known.
import {svg} from "./elements.js";

let hatchings = 0;

/**
 * A new pattern. Each picture needs one of its own, because a pattern of another picture may not be
 * drawn. An area that is filled with `url(#ID)` shows it.
 */
export function hatching() {
  const id = `hatch-${++hatchings}`;
  const pattern =
      svg("pattern",
          {id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
          svg("line", {class: "hatch", y2: 5}));
  return pattern;
}
