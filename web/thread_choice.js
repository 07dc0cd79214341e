// The threads and processes that can be chosen. A choice is a text: "all", "pid:7", or "thread:3",
// which is an index into the threads of the profile. Pure functions.
import {element} from "./elements.js";
import {shownName} from "./names.js";
import {plural} from "./numbers.js";
import {startOf} from "./time_fields.js";

/** "worker 123" */
export function threadName({name, tid}) { return `${shownName(name)} ${tid}`; }

/**
 * @param {any[]} threads of the profile
 * @param {number[]} order of the threads, the busiest first
 * @returns {HTMLElement[]} the options of a select
 */
export function threadOptions(threads, order) {
  const processes = new Map();
  for (const thread of order) {
    const {pid} = threads[thread];
    processes.set(pid, [...(processes.get(pid) ?? []), thread]);
  }
  const options = [element("option", {value: "all"}, "All threads")];
  for (const [pid, members] of processes) {
    if (members.length > 1)
      options.push(element(
          "option", {value: `pid:${pid}`}, `Process ${pid}: ${plural(members.length, "thread")}`));
    for (const thread of members)
      options.push(element("option", {value: `thread:${thread}`}, threadName(threads[thread])));
  }
  return options;
}

/**
 * @param {any[]} threads
 * @param {string} value
 * @returns {Uint8Array | null} 1 for each chosen thread; null: all
 */
export function chosenThreads(threads, value) {
  if (value === "all") return null;
  const [kind, number] = value.split(":");
  const isChosen = (thread, index) => (kind === "pid" ? thread.pid : index) === Number(number);
  return Uint8Array.from(threads.map(isChosen), Number);
}

/**
 * A choice in words: "0.20 s to 0.45 s, thread worker 123".
 * @param {import("./call_tree.js").Slices} slices
 * @param {import("./call_tree.js").Choice} choice
 * @param {any[]} threads
 * @param {string} value of the choice of threads
 */
export function choiceWords(slices, choice, threads, value) {
  const words = [];
  if (choice.from > 0 || choice.to < slices.count)
    words.push(`${startOf(choice.from, slices)} s to ${startOf(choice.to, slices)} s`);
  const [kind, number] = value.split(":");
  if (kind === "pid") words.push(`process ${number}`);
  if (kind === "thread") words.push(`thread ${threadName(threads[Number(number)])}`);
  return words.join(", ");
}
