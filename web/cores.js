// Draws `tacho latency --cores`: how long a cache line takes from each CPU to each other and back.
import {element} from "./elements.js";
import {heatMap} from "./heat_map.js";

/** @param {HTMLElement} main @param {import("./data.js").Page} page */
export function drawCores(main, page) {
  const matrix = page.document.cores;
  if (matrix.rows.length < 2) main.append(element("p", {class: "note"}, "A pair needs two CPUs."));
  heatMap(main, matrix, (cpu) => `CPU ${cpu}`);
}
