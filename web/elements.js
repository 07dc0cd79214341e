// Makes elements of the page. Text is always text: names come from recordings of others and are
// never markup.

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] of functions, the name is that of an event: onclick
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A part of the page with a heading, which is added to a parent. */
export function section(main, title, ...children) {
  const made = element("section", {}, element("h2", {}, title), ...children);
  main.append(made);
  return made;
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      made.addEventListener(name.replace(/^on/, ""), value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}
