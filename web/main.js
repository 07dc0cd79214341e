// Draws the page: reads its data, shows the heading, and calls the module of its kind.
import {readData} from "./data.js";
import {element} from "./elements.js";
import {heading} from "./heading.js";
import {drawBlocks} from "./blocks.js";
import {drawCommands} from "./commands.js";
import {drawCores} from "./cores.js";
import {drawLatency} from "./latency.js";
import {drawProfile} from "./profile.js";
import {drawProfileChanges} from "./profile_changes.js";
import {drawRegions} from "./regions.js";
import {drawStat} from "./stat.js";

// By the kind of a page: the function that draws its data into an element. It may return a promise.
const KINDS = {
  "blocks": drawBlocks,
  "blocks-compare": drawBlocks,
  "compare": drawCommands,
  "cores": drawCores,
  "latency": drawLatency,
  "regions": drawRegions,
  "report": drawProfile,
  "report-compare": drawProfileChanges,
  "stat": drawStat,
};

async function draw() {
  const page = await readData();
  document.body.append(heading(page));
  const main = element("main");
  document.body.append(main);
  await KINDS[page.kind](main, page);
  document.documentElement.dataset.ready = "yes";
}

// On paper, a page is light.
function printLight() {
  const root = document.documentElement;
  const show = (theme) => {
    if (theme)
      root.dataset.theme = theme;
    else
      delete root.dataset.theme;
    root.dispatchEvent(new Event("themechange"));
  };
  let shown;
  addEventListener("beforeprint", () => {
    shown = root.dataset.theme;
    show("light");
  });
  addEventListener("afterprint", () => show(shown));
}

printLight();
draw().catch((error) => {
  document.body.append(element(
      "p", {class: "failure", role: "alert"}, `This page cannot be shown: ${error.message}`));
  throw error;
});
