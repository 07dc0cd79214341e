// The search for functions by a regular expression.
import {element} from "./elements.js";

export class FunctionSearch {
  /**
   * @param {string[]} names of all functions
   * @param {() => void} onChange the matches are others
   */
  constructor(names, onChange) {
    this.names = names;
    this.onChange = onChange;
    /** @type {Uint8Array | null} 1 for each function that matches; null: nothing is searched */
    this.matches = null;
    this.field = element("input", {
      type: "search",
      id: "search",
      size: 24,
      placeholder: "regular expression",
      spellcheck: "false",
      autocomplete: "off",
      "aria-describedby": "search-fault",
      oninput: () => this.search()
    });
    this.ignoreCase =
        element("input", {type: "checkbox", id: "ignore-case", onchange: () => this.search()});
    this.matched = element("span", {role: "status", id: "matched"});
    this.fault = element("span", {role: "alert", id: "search-fault", class: "fault"});
    const label = element("label", {}, "Search functions (/)");
    label.htmlFor = "search";
    this.controls = element(
        "div", {class: "controls", role: "search"}, label, this.field,
        element("label", {}, this.ignoreCase, " ignore case"), this.matched, this.fault);
  }

  // A wrong expression changes nothing.
  search() {
    this.fault.textContent = "";
    this.field.removeAttribute("aria-invalid");
    try {
      this.matches = matching(this.names, this.field.value, this.ignoreCase.checked);
    } catch (error) {
      this.field.setAttribute("aria-invalid", "true");
      this.fault.textContent = `This is not a regular expression: ${reason(error)}.`;
      return;
    }
    this.onChange();
  }

  /** Shows a sentence about the matches. */
  tell(text) { this.matched.textContent = text; }
}

function matching(names, words, ignoreCase) {
  if (words === "") return null;
  const expression = new RegExp(words, ignoreCase ? "i" : "");
  return Uint8Array.from(names.map((name) => expression.test(name)), Number);
}

// The browser's reason, without the expression itself.
function reason(error) { return error.message.replace(/^.*: /s, ""); }
