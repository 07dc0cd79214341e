// How commands were compared: the commands, why the comparison ended, and what is missing.
import {isPaired, isSimulated, otherName} from "./compared_commands.js";
import {element, section} from "./elements.js";
import {printable} from "./names.js";
import {fixed, isNumber, plural} from "./numbers.js";

export function drawNotes(main, document, names) {
  const share = document.layout_share;
  const texts = [
    ending(document),
    share ? layoutText(share) : null,
    ...document.changes
        .filter(
            ({primary, findable, role, verdict}) =>
                primary && role !== "control" && verdict === "undecided" && isNumber(findable))
        .map((change) => `${otherName(change, names)}: ${findableText(change)}`),
  ].filter((text) => text !== null);
  const commands = document.commands.map(
      (command) => element(
          "li", {}, `${names.get(command.label)}: `, element("code", {}, commandLine(command))));
  const place = section(
      main, "How it was compared", element("ul", {}, ...commands),
      element("ul", {}, ...texts.map((text) => element("li", {}, text))));
  drawMissing(place, document);
}

function findableText({pairs, findable}) {
  const percents = Number((100 * findable).toPrecision(2));
  return `${plural(pairs, "such pair")} find a change of ${percents} % in 80 of 100 comparisons.`;
}

// Why the comparison ended, as the text report says it.
function ending(document) {
  const {pairs, looks, changes, sweep} = document;
  const exact = changes.every(
      ({verdict, ci95}) => verdict === "missing" || (ci95[0] !== null && ci95[0] === ci95[1]));
  if (isSimulated(document) && exact)
    return `${pairs} simulated runs of each command counted alike: the counts are exact.`;
  if (sweep) return `${plural(pairs, "run")} of each value, in random order.`;
  if (!isPaired(document)) return "The commands did not run side by side.";
  const done = (looks ?? []).filter((look) => look <= pairs);
  const judged = done.length > 1 ? `, judged at ${done.join(", ")}` : "";
  return `${plural(pairs, "pair")} in random order${judged}.`;
}

function layoutText({value, ci95}) {
  const part = (one) => (isNumber(one) ? fixed(100 * Math.min(Math.max(one, 0), 1), 0) : "?");
  return `Layout: it explains ${part(value)} % of the spread between runs ` +
      `(${part(ci95[0])} to ${part(ci95[1])} %).`;
}

function commandLine({command, environment, directory, input}) {
  const quoted = (word) =>
      (/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  const words = [...environment ?? [], ...command].map(quoted).join(" ");
  return printable(words + (input ? ` < ${input}` : "") + (directory ? ` in ${directory}` : ""));
}

function drawMissing(place, {changes}) {
  const byReason = new Map();
  for (const {metric, reason, verdict} of changes) {
    if (verdict !== "missing") continue;
    const key = reason ?? "no run has a value";
    byReason.set(key, new Set([...byReason.get(key) ?? [], metric]));
  }
  if (byReason.size === 0) return;
  const items = [...byReason].map(
      ([reason, metrics]) => element(
          "li", {},
          element("span", {class: "mono"}, [...metrics].map((name) => printable(name)).join(", ")),
          `: ${reason}`));
  const number = [...byReason.values()].reduce((sum, metrics) => sum + metrics.size, 0);
  place.append(element(
      "details", {class: "missing"},
      element("summary", {}, `${plural(number, "metric")} not compared`),
      element("ul", {}, ...items)));
}
