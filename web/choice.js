// A row of buttons of which one is chosen.
import {element} from "./elements.js";

/**
 * @param {string} label what is chosen
 * @param {[string, string][]} options values and the texts of their buttons; the first is chosen
 * @param {(value: string) => void} onChange
 * @returns {HTMLElement}
 */
export function choice(label, options, onChange) {
  const buttons = options.map(
      ([value, text], index) => element(
          "button", {
            type: "button",
            "aria-pressed": String(index === 0),
            onclick: () => choose(value, index),
          },
          text));

  function choose(value, index) {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === index)));
    onChange(value);
  }

  return element(
      "span", {class: "choice", role: "group", "aria-label": label},
      element("span", {class: "note"}, `${label} `), ...buttons);
}
