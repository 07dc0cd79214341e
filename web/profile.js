// The page of a recording: samples or threads over time, a flame graph that shows how sure each
// frame is, the table of functions, and the code of a function. The page keeps what is chosen;
// other modules compute and draw it.
import {pathTo} from "./call_tree.js";
import {reportOfPart} from "./chosen_functions.js";
import {drawCode} from "./code.js";
import {onThemeChange} from "./colours.js";
import {crumbs} from "./crumbs.js";
import {element} from "./elements.js";
import {FlameGraph} from "./flame_graph.js";
import {inOrderOfTime, layoutByTime, layoutByWeight, widened} from "./flame_layout.js";
import {FlameLegend} from "./flame_legend.js";
import {axisText, flameRuler} from "./flame_ruler.js";
import {slotsOfModules} from "./frame_colours.js";
import * as frameFacts from "./frame_facts.js";
import {FunctionSearch} from "./function_search.js";
import {drawFunctions} from "./functions.js";
import {FramePanel, GraphControls} from "./graph_controls.js";
import {nameless, shownName} from "./names.js";
import {percentOf, plural, seconds, whole} from "./numbers.js";
import {chosenSamples, decodeEvent, weightsOfModules} from "./profile_event.js";
import {filterText, setFilterText} from "./table.js";
import {choiceWords, chosenThreads, threadOptions} from "./thread_choice.js";
import {Timeline} from "./timeline.js";
import {drawThreads} from "./wait_threads.js";
import {drawPlaces, drawStates} from "./waits.js";

/**
 * @param {HTMLElement} main
 * @param {import("./data.js").Page} page
 */
export function drawProfile(main, page) {
  const profile = page.profile;
  const sampled = (profile?.events ?? []).some((event) => event.samples > 0);
  if (!sampled) {
    main.append(element(
        "p", {class: "empty"},
        "The recording has no samples, so there is " +
            "nothing to show. The program may have been too short for the rate."));
    return;
  }
  new ProfilePage(main, page).start();
}

class ProfilePage {
  constructor(main, page) {
    this.main = main;
    this.page = page;
    this.profile = page.profile;
    /** @type {"weight" | "time"} */
    this.order = "weight";
    this.rootBelow = false;
    this.zoom = null;      // {node, first, last}: the frame that has the whole width
    this.threads = "all";  // the choice of threads
    this.decoded = [];     // by event
    this.filter = "";      // of the table of functions
  }

  start() {
    this.build();
    this.chooseEvent(this.profile.event ?? 0);
    this.expose();
  }

  // --- What is chosen -----------------------------------------------------------------------

  chooseEvent(index) {
    this.eventIndex = index;
    this.data = this.dataOf(index);
    const {slices, threadRows} = this.data;
    this.zoom = null;
    this.weights = weightsOfModules(this.profile, this.data);
    this.slots = slotsOfModules(this.profile.modules, this.weights);
    const hidden = !slices || this.profile.threads.length < 2;
    this.threadSelect.hidden = this.threadLabel.hidden = hidden;
    if (!hidden)
      this.threadSelect.replaceChildren(...threadOptions(this.profile.threads, threadRows.order));
    this.timePart.hidden = !slices;
    this.noTimes.hidden = Boolean(slices);
    if (!slices) this.setOrder("weight");
    this.legend.draw(this.profile.modules, this.weights, this.slots);
    this.keepFilter();
    this.functionsPart.replaceChildren();
    this.partTable = null;
    this.wholeTable = this.drawTable(this.wholeReport(), null);
    this.threads = "all";
    this.choose({from: 0, to: slices?.count ?? 1, threads: null});
  }

  dataOf(index) { return this.decoded[index] ??= decodeEvent(this.page, index); }

  chooseThreads(value) {
    this.threads = value;
    this.choose({...this.choice, threads: chosenThreads(this.profile.threads, value)});
  }

  /** @param {import("./call_tree.js").Choice} choice */
  choose(choice) {
    this.choice = choice;
    const {slices, threadRows} = this.data;
    this.chosen = chosenSamples(this.data, choice);
    this.sequence = null;
    if (this.order === "time" || (this.zoom && !this.chosen.figures.total[this.zoom.node]))
      this.zoom = null;
    if (slices) this.timeline.show(slices, threadRows.rows, choice);
    this.noteChoice();
    this.showTable();
    this.showGraph();
    this.tellMatches();
  }

  noteChoice() {
    const {event, slices, unsampled} = this.data;
    const {everything, all} = this.chosen;
    const least = slices?.leastShare ?? 0;
    const wider = unsampled > 0 || least > 0 ?
        " Intervals may be wider than those of 'tacho report' with --time or --tid." :
        "";
    this.choiceNote.textContent = everything ?
        `All ${plural(all.samples, "sample")} of ${event.name}.` :
        all.total === 0 ?
        "The choice has no samples." :
        this.profile.states ?
        `${seconds(all.total / 1e9)} of ${seconds(event.total / 1e9)} of ${event.name} are ` +
            `chosen. Shares and intervals are of the chosen time.${wider}` :
        `${whole(all.samples)} of ${plural(event.samples, "sample")} are chosen. Shares and ` +
            `intervals are of the chosen samples.${wider}`;
    this.prunedNote.hidden = everything || least === 0;
    this.prunedNote.textContent = `Stacks with less than ${percentOf(least)} of all samples are ` +
        "counted at a caller, so the choice cannot show their innermost functions.";
    this.threadSelect.value = this.threads;
  }

  // --- The table ----------------------------------------------------------------------------

  // The table of the whole recording keeps its order. The text of the filter is that of the table
  // that was shown before.
  showTable() {
    const {everything} = this.chosen;
    this.keepFilter();
    this.partTable?.remove();
    this.partTable = null;
    this.wholeTable.hidden = !everything;
    if (everything) return setFilterText(this.wholeTable, this.filter);
    const {report, notes} = reportOfPart(this.page, this.allEvents(), this.eventIndex, this.choice);
    const words = choiceWords(this.data.slices, this.choice, this.profile.threads, this.threads);
    this.partTable = this.drawTable(report, {words, notes});
  }

  // The document has totals of one event only. Rows of times off the CPU have nothing else.
  wholeReport() {
    const {page, profile, eventIndex} = this;
    const {name, off_cpu: offCpu} = profile.events[eventIndex];
    if (!offCpu || name === page.document.event || !this.data.slices) return page.document;
    const everything = {from: 0, to: this.data.slices.count, threads: null};
    return reportOfPart(page, this.allEvents(), eventIndex, everything).report;
  }

  allEvents() { return this.profile.events.map((_, index) => this.dataOf(index)); }

  // A table with one row has no filter.
  keepFilter() {
    const shown = this.partTable ?? this.wholeTable;
    if (shown) this.filter = filterText(shown) ?? this.filter;
  }

  drawTable(report, part) {
    const made = drawFunctions(
        this.functionsPart, report, this.profile, this.eventIndex,
        (name, module) => this.showCode(name, module), part);
    setFilterText(made, this.filter);
    return made;
  }

  showCode(name, module) {
    this.codePart.replaceChildren();
    drawCode(this.codePart, this.page, name, module);
    this.codePart.scrollIntoView({block: "nearest"});
  }

  // --- The graph ----------------------------------------------------------------------------

  /** @returns {import("./frame_facts.js").View} */
  view() {
    const {profile, data, chosen, order, sequence, slots} = this;
    return {profile, data, chosen, order, sequence, slots, matches: this.search.matches};
  }

  showGraph() {
    const {data, chosen, order, rootBelow, zoom} = this;
    this.emptyNote.hidden = chosen.all.total > 0;
    this.controls.show({rootBelow, order, hasTimes: data.slices !== null});
    this.legend.show(order, Boolean(data.event.exact));
    if (order === "time")
      this.sequence ??=
          inOrderOfTime(data.tree, data.slices, chosen.entries, this.choice, data.threadRows.order);
    const {sequence} = this;
    const layout = order === "time" ?
        (width) => layoutByTime(data.tree, sequence, zoom, width) :
        (width) => layoutByWeight(data.tree, chosen.figures, zoom?.node ?? 0, width);
    this.graph.show({
      layout,
      mark: (frames, index) => frameFacts.markOf(this.view(), frames, index),
      rootBelow
    });
    this.drawCrumbs();
    this.describe(this.graph.focus);
  }

  drawRuler() {
    this.ruler.hidden = this.order !== "time" || this.sequence.span === 0;
    if (this.ruler.hidden) return;
    this.ruler.replaceChildren(flameRuler(this.view(), this.choice, this.zoom, this.graph.width));
    this.legend.tellTime(axisText(this.sequence, this.data.slices));
  }

  zoomTo(index) {
    const {node, first, last} = this.graph.frames;
    this.zoom =
        node[index] === 0 ? null : {node: node[index], first: first[index], last: last[index]};
    this.showGraph();
  }

  // Zooms out to a caller of the zoomed frame.
  zoomOut(node) {
    if (node === 0)
      this.zoom = null;
    else if (this.order === "weight")
      this.zoom = {node, first: 0, last: 0};
    else
      this.zoom = widened(this.data.tree, this.sequence, this.zoom, node);
    this.showGraph();
  }

  reset() {
    this.zoom = null;
    this.allCrumbs = false;
    this.showGraph();
  }

  /** @param {"weight" | "time"} order */
  setOrder(order) {
    if (this.order !== order) this.zoom = null;
    this.order = order;
  }

  drawCrumbs() {
    const path = this.zoom ? pathTo(this.data.tree, this.zoom.node) : [];
    const view = this.view();
    const showAll = () => {
      this.allCrumbs = true;
      this.drawCrumbs();
    };
    this.crumbs.replaceChildren(crumbs(
        path.map((node) => shownName(frameFacts.nameOf(view, node))), this.allCrumbs,
        (index) => this.zoomOut(path[index]), showAll));
    this.crumbs.hidden = path.length === 0;
  }

  describe(index) {
    const {frames} = this.graph;
    const node = frames.count > 0 ? frames.node[index] : -1;
    if (node < 0) return this.panel.hide();
    const facts = frameFacts.factsOf(this.view(), frames, index);
    this.panel.show(facts, {isZoomed: node === (this.zoom?.node ?? 0), isRoot: node === 0});
  }

  tellMatches() { this.search.tell(this.search.matches ? frameFacts.matchText(this.view()) : ""); }

  // --- Elements -----------------------------------------------------------------------------

  build() {
    const overTime = this.profile.states ? "Threads over time" : "Samples over time";
    this.timePart = element("section", {"aria-label": overTime});
    this.functionsPart = element("section", {"aria-label": "Functions", class: "steady"});
    const statesPart = element("div"), placesPart = element("div");
    if (this.page.waits) {
      drawStates(statesPart, this.page.waits);
      drawPlaces(placesPart, this.page.waits);
      drawThreads(placesPart, this.page.waits);
    }
    this.codePart = element("section", {"aria-label": "Code"});
    this.crumbs = element("nav", {class: "crumbs", "aria-label": "Callers of the zoomed frame"});
    this.noTimes = element(
        "p", {class: "note"},
        "The recording has no times, so samples " +
            "cannot be shown or chosen by time or thread.");
    this.choiceNote = element("p", {class: "note", role: "status"});
    this.prunedNote = element("p", {class: "note"});
    this.emptyNote = element(
        "p", {class: "empty"},
        "The choice has no samples. Choose another " +
            "time or thread.");
    const redraw = (change) => (value) => {
      change(value);
      this.showGraph();
    };
    this.controls = new GraphControls({
      onPicture: redraw((below) => this.rootBelow = below),
      onOrder: redraw((order) => this.setOrder(order)),
      onReset: () => this.reset(),
    });
    const {functions, modules} = this.profile;
    const names =
        functions.name.map((name, index) => name || nameless(modules[functions.module[index]]));
    this.search = new FunctionSearch(names, () => {
      this.graph.refresh();
      this.tellMatches();
    });
    this.main.append(
        this.choiceControls(), element("h2", {}, overTime), this.noTimes, this.timePart,
        this.choiceNote, this.prunedNote, statesPart, element("h2", {}, "Calls"), this.controls.box,
        this.search.controls, this.crumbs, this.emptyNote);
    this.timeline = new Timeline(this.timePart, this.profile, {
      onTime: (from, to) => this.choose({...this.choice, from, to}),
      onThread: (thread) =>
          this.chooseThreads(this.threads === `thread:${thread}` ? "all" : `thread:${thread}`),
    });
    this.graph = new FlameGraph(this.main, {
      onZoom: (index) => this.zoomTo(index),
      onFocus: (index) => this.describe(index),
      onReset: () => this.reset(),
      onPlace: () => this.drawRuler(),
      explain: (index) => frameFacts.tooltipOf(this.view(), this.graph.frames, index),
    });
    this.ruler = element("div", {class: "ruler"});
    this.legend = new FlameLegend();
    this.panel = new FramePanel({
      onZoom: () => this.zoomTo(this.graph.focus),
      onCode: () => this.showCodeOfFocus(),
    });
    this.main.append(
        this.ruler, this.legend.box, this.panel.box, element("h2", {}, "Functions"),
        this.functionsPart, placesPart, this.codePart);
    this.listen();
  }

  choiceControls() {
    const controls = element("div", {class: "controls", role: "group", "aria-label": "Samples"});
    this.eventSelect = element(
        "select", {
          id: "event",
          onchange: () => this.chooseEvent(Number(this.eventSelect.value)),
        },
        ...this.profile.events.map(
            (event, index) => element(
                "option", {value: index}, `${event.name} (${plural(event.samples, "sample")})`)));
    this.eventSelect.value = String(this.profile.event ?? 0);
    if (this.profile.events.length > 1)
      controls.append(element("label", {"for": "event"}, "Event"), this.eventSelect);
    this.threadSelect = element(
        "select", {id: "thread", onchange: () => this.chooseThreads(this.threadSelect.value)});
    this.threadLabel = element("label", {"for": "thread"}, "Threads");
    controls.append(this.threadLabel, this.threadSelect);
    return controls;
  }

  showCodeOfFocus() {
    const {functions, modules} = this.profile;
    const at = this.data.tree.functionOf[this.graph.frames.node[this.graph.focus]];
    this.showCode(functions.name[at], modules[functions.module[at]]);
  }

  listen() {
    onThemeChange(() => this.legend.draw(this.profile.modules, this.weights, this.slots));
    document.addEventListener("keydown", (event) => {
      const target = /** @type {Element} */ (event.target);
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "/") {
        event.preventDefault();
        this.search.field.focus();
      } else if (event.key === "r") {
        this.reset();
      }
    });
  }

  // What tests and scripts of readers can read.
  expose() {
    const exposed = (index) => ({
      ...frameFacts.exposedFrame(this.view(), this.graph.frames, index),
      rectangle: this.graph.rectangle(index),
    });
    const frames = () => [...this.graph.frames.node.keys()]
                             .filter((index) => this.graph.frames.node[index] >= 0)
                             .map(exposed);
    Object.defineProperty(window, "tachoPage", {
      value: Object.freeze({
        frames,
        focused: () => exposed(this.graph.focus),
        matched: () => this.search.matched.textContent,
      })
    });
  }
}
