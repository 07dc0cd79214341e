// Reads the data of the page: JSON, compressed with gzip, in base64.

/**
 * What src/page/ writes.
 * @typedef {object} Page
 * @property {number} schema version of this format
 * @property {string} kind which picture it is: see main.js
 * @property {string} tacho version of the program that wrote it
 * @property {string} title what was measured
 * @property {string[]} written_by the words of the command that wrote the page
 * @property {string} how "counted", "estimated", "sampled", "simulated", …: a sentence
 * @property {[string, string][]} facts names and values: host, CPU, kernel, command
 * @property {string[]} warnings
 * @property {any} document what --json prints
 * @property {any} [profile] the call tree and its samples, of a report
 * @property {any} [waits] of report --wall and --off-cpu: what threads did, and where they waited
 * @property {[number, number][][]} [singles] of latency, for each list: cycles of single loads, and
 *     how often they were seen
 * @property {any[]} [intervals] of stat -I: the documents of the intervals
 * @property {any} [series] of stat: the lines of --series, as {head, periods}; null if there are
 * too many of them
 * @property {string} [advice] of stat: how events without a number can be counted, or empty
 */

/** @returns {Promise<Page>} */
export async function readData() {
  const bytes = decoded(document.getElementById("data").textContent);
  return JSON.parse(isCompressed(bytes) ? await expanded(bytes) : new TextDecoder().decode(bytes));
}

function decoded(base64) {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

// A tacho that was built without zlib writes the data as they are.
function isCompressed(bytes) { return bytes[0] === 0x1f && bytes[1] === 0x8b; }

function expanded(bytes) {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).text();
}
