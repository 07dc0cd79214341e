// The heading of every page: what was measured, where and how; warnings; buttons.
import {element} from "./elements.js";
import {printable, shortened} from "./names.js";

const LONGEST = 300;  // characters

/** @param {import("./data.js").Page} page */
export function heading(page) {
  const header = element(
      "header", {}, element("h1", {}, shown(page.title)), element("p", {class: "how"}, page.how),
      facts(page), buttons(page));
  if (page.warnings.length > 0) header.append(warnings(page.warnings));
  return header;
}

// A text of others on a few lines, with nothing in it that deceives.
function shown(text) { return shortened(printable(text), LONGEST); }

function facts(page) {
  const list = element("dl", {class: "facts"});
  for (const [name, value] of page.facts)
    list.append(element("div", {}, element("dt", {}, name), element("dd", {}, shown(value))));
  return list;
}

function warnings(texts) {
  const label = texts.length === 1 ? "1 warning" : `${texts.length} warnings`;
  const items = texts.map((text) => element("li", {}, text));
  return element(
      "details", {class: "warnings", open: true}, element("summary", {}, label),
      element("ul", {}, ...items));
}

function buttons(page) {
  const command = page.written_by.map(quoted).join(" ");
  const said = element("span", {role: "status", class: "said"});
  return element(
      "div", {class: "buttons", role: "group", "aria-label": "This page"},
      element("code", {class: "command"}, shown(command)),
      element(
          "button", {type: "button", id: "copy", onclick: () => copy(command, said)},
          "Copy command"),
      element(
          "button", {type: "button", id: "download", onclick: () => download(page)},
          "Download JSON"),
      element("button", {type: "button", id: "theme", onclick: turnTheme}, "Light or dark"), said);
}

/** A word as a shell reads it. */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// A page from a file may not use the clipboard in every browser. The old way then works.
async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", {class: "hidden"});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  said.textContent = "copied";
}

function download(page) {
  const blob = new Blob([JSON.stringify(page)], {type: "application/json"});
  const link = element("a", {href: URL.createObjectURL(blob), download: "tacho.json"});
  link.click();
  URL.revokeObjectURL(link.href);
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" :
                                    matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  root.dispatchEvent(new Event("themechange"));
}
