// Names of functions, files and threads, as tacho's text reports write them: characters that nobody
// can see are spelled, and long names are cut in the middle. docs/reference/formats.md has the
// rule.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Spells control characters, and those without a width or that change the direction of text.
 * @param {string} name
 * @returns {string} "a\x1bb" for an escape between a and b
 */
export function printable(name) { return name.replace(UNSEEN, spelled); }

function spelled(character) {
  const code = character.codePointAt(0);
  const digits = (count) => code.toString(16).padStart(count, "0");
  if (code < 0x80) return `\\x${digits(2)}`;
  return code < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}

/**
 * Cuts a long name in the middle.
 * @param {string} name
 * @param {number} [most] characters
 */
export function shortened(name, most = 160) {
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}

/**
 * The name as a table shows it.
 * @param {string | null | undefined} name
 * @param {string} [nameless] what stands for a name that is not known
 */
export function shownName(name, nameless = "[no name]") {
  return name ? shortened(printable(name)) : nameless;
}

/**
 * What stands for a function without a name.
 * @param {string} module that it is in; modules without a file have brackets already
 * @returns {string}
 */
export function nameless(module) {
  return !module ? "[unknown]" : module.startsWith("[") ? module : `[${module}]`;
}
