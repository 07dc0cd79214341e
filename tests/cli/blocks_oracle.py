#!/usr/bin/env python3
"""Compares `tacho blocks` with `perf script` on any recording with branch stacks: the count, mispredictions and cycles of
each branch and each run. If perf can read the binary: the instructions and IPC of each run, too.

    tests/cli/blocks_oracle.py perf.data [--symfs DIRECTORY]

It prints the numbers of compared items and each difference. It exits with 1 if there is a difference, and with 2 if nothing
could be compared.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ENTRY = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/(.)/.*?/.*?/(\d+)")
FORKED = re.compile(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)")
EXECED = re.compile(r"PERF_RECORD_COMM exec: .*:(\d+)/\d+$")
MAPPED = re.compile(r"PERF_RECORD_MMAP2? (-?\d+)/\d+: \[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (0x[0-9a-f]+|0)(?: .*?)?\]: [-rwxsp]+ (.*)$")
STEP = re.compile(r"^\t([0-9a-f]{16})\t")
END = re.compile(r"# (?:\w+ )*?(?:MISPRED|PRED).*? (\d+) cycles \[\d+\](?: ([\d.]+) IPC)?")
LONGEST = 16384  # bytes of a run without code


def perf(path, *args):
    done = subprocess.run(["perf", "script", "-i", str(path), *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False)
    return done.stdout.decode(errors="replace").splitlines()


def entries_of(line):
    """[(from, to, mispredicted, cycles)], newest entry first."""
    return [(int(source, 16), int(target, 16), flag == "M", int(cycles))
            for source, target, flag, cycles in ENTRY.findall(line)]


def edges_of(path):
    """{(from, to): (count, mispredicted, [cycles of entries that have them])}, of every entry."""
    edges = collections.defaultdict(lambda: [0, 0, []])
    for line in perf(path, "-F", "brstack"):
        for source, target, mispredicted, cycles in entries_of(line):
            edge = edges[source, target]
            edge[0] += 1
            edge[1] += mispredicted
            edge[2] += [cycles] if cycles else []
    return {key: tuple(value) for key, value in edges.items()}


class Mappings:
    """Which process has mapped which file where, from events in their order."""

    def __init__(self):
        self.of = collections.defaultdict(list)
        self.ever = set()  # (start, length, offset, file), of all processes

    def take(self, line):
        """Returns whether the line was an event."""
        if forked := FORKED.search(line):
            child, parent = map(int, forked.groups())
            if child != parent:
                self.of[child] = list(self.of[parent])
        elif execed := EXECED.search(line):
            self.of[int(execed.group(1))] = []
        elif mapped := MAPPED.search(line):
            pid, start, length, offset, file = mapped.groups()
            start, length, offset = int(start, 16), int(length, 16), int(offset, 16)
            if file.startswith("//anon"):  # code without a file is identified by its address
                file, offset = f"[anonymous of process {pid}]", start
            if pid != "-1":  # the kernel's code, too
                self.of[int(pid)].append((start, length, offset, file))
                self.ever.add((start, length, offset, file))
        return "PERF_RECORD_" in line

    def place(self, pid, address):
        for start, length, offset, file in reversed(self.of[pid]):
            if start <= address < start + length:
                return file, address - start + offset
        return None, address

    def places(self, address, name):
        """The places (file, offset) that an address can be, in any process, if the file has this name."""
        found = {(file, address - start + offset) for start, length, offset, file in self.ever
                 if start <= address < start + length and file.rsplit("/", 1)[-1] == name}
        return found | {(None, address)}


def runs_of(path, mappings):
    """{(file, start, end): [(mispredicted, cycles)]} of possible runs, without the doubled newest entry."""
    runs = collections.defaultdict(list)
    for line in perf(path, "-F", "pid,brstack", "--show-mmap-events", "--show-task-events"):
        pid = re.match(r"\s*(-?\d+)", line)
        if mappings.take(line) or not pid:
            continue
        pid, entries = int(pid.group(1)), entries_of(line)
        doubled = len(entries) > 1 and entries[0][:2] == entries[1][:2]
        for newer, older in list(zip(entries, entries[1:]))[doubled:]:
            (file, start), (end_file, end) = mappings.place(pid, older[1]), mappings.place(pid, newer[0])
            if older[1] != 0 and end >= start and file == end_file and end - start <= LONGEST:
                runs[file, start, end].append((newer[2], newer[3]))
    timed = {run: [each for each in times if each[1]] for run, times in runs.items()}
    return {run: times for run, times in timed.items() if times} if any(timed.values()) else runs


def printed_runs(path):
    """{(start, end): (instructions, {(cycles, IPC as printed)})} of the runs that perf can read; recorded addresses."""
    found, seen, addresses = {}, collections.defaultdict(set), []
    for line in perf(path, "-F", "+brstackinsn"):
        step = STEP.match(line)
        if not step:
            if not re.match(r"^\t\S+:$", line):  # a function's name is between instructions
                addresses = []
            continue
        addresses.append(int(step.group(1), 16))
        end = END.search(line)
        if end:
            if end.group(2) is not None:
                run = addresses[0], addresses[-1]
                found[run] = len(addresses)
                seen[run].add((int(end.group(1)), end.group(2)))
            addresses = []
    return {run: (count, seen[run]) for run, count in found.items()}


def blocks(tacho, path, *args):
    done = subprocess.run([str(tacho), "blocks", "-i", str(path), "--json", *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def edge_differences(report, edges):
    """Yields lines. The median of an edge is the lower of the two middle values."""
    found = {(int(each["from"], 16), int(each["to"], 16)): each for each in report["branches"]}
    for key in sorted(found.keys() ^ edges.keys()):
        yield f"branch {key[0]:x} to {key[1]:x}: only {'tacho' if key in found else 'perf'} has it"
    for key in found.keys() & edges.keys():
        count, mispredicted, cycles = edges[key]
        each = found[key]
        has = each["count"], each["mispredicted"] or 0, *(each["cycles"][name] for name in ("count", "sum", "min", "median"))
        wants = (count, mispredicted, len(cycles), sum(cycles), min(cycles, default=None),
                 statistics.median_low(cycles) if cycles else None)
        if has != wants:
            yield f"branch {key[0]:x} to {key[1]:x}: {has}, and perf's entries say {wants}"


def run_differences(report, runs, mappings):
    wanted = dict(runs)
    for each in report["runs"]:
        start, end = (int(address, 16) for address in each["recorded"])
        keys = [(file, offset, offset + end - start) for file, offset in mappings.places(start, each["module"])
                if (file, offset, offset + end - start) in wanted]
        if not keys:
            yield f"run {start:x} to {end:x}: perf's entries have no such run"
            continue
        times = wanted.pop(keys[0])
        cycles = [cycles for _, cycles in times if cycles]
        has = each["count"], each["mispredicted"] or 0, each["cycles"]["count"], each["cycles"]["sum"], each["cycles"]["median"]
        wants = (len(times), sum(missed for missed, _ in times), len(cycles), sum(cycles),
                 statistics.median_low(cycles) if cycles else None)
        if has != wants:
            yield f"run {start:x} to {end:x}: {has}, and perf's entries say {wants}"
    left = sum(map(len, wanted.values()))
    if left > report["skipped"]["impossible"]:
        yield f"{len(wanted)} runs of {left} executions that perf's entries have are not there: {list(wanted)[:5]}"


def instruction_differences(report, printed, compared):
    for each in report["runs"]:
        run = tuple(int(address, 16) for address in each["recorded"])
        if each["instructions"] is None or run not in printed:
            continue
        compared.append(run)
        count, ipcs = printed[run]
        if each["instructions"] != count:
            yield f"run {run[0]:x} to {run[1]:x}: {each['instructions']} instructions, and perf prints {count}"
        for cycles, ipc in ipcs:
            if abs(each["instructions"] / cycles - float(ipc)) > 0.0051:
                yield f"run {run[0]:x} to {run[1]:x} in {cycles} cycles: {each['instructions'] / cycles:.2f} IPC, perf {ipc}"


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser()
    parser.add_argument("recording")
    parser.add_argument("--symfs")
    parser.add_argument("--tacho", default=os.environ.get("TACHO", root / "build" / "release" / "bin" / "tacho"))
    options = parser.parse_args()
    symfs = ["--symfs", options.symfs] if options.symfs else []
    report = blocks(options.tacho, options.recording, *symfs)
    mappings = Mappings()
    edges, compared = edges_of(options.recording), []
    differences = [*edge_differences(report, edges),
                   *run_differences(report, runs_of(options.recording, mappings), mappings),
                   *instruction_differences(report, printed_runs(options.recording), compared)]
    print("\n".join(differences[:100]))
    print(f"{len(edges)} branches, {len(report['runs'])} runs, instructions and IPC of {len(compared)} runs; "
          f"{len(differences)} differences")
    return 1 if differences else 0 if edges else 2


if __name__ == "__main__":
    sys.exit(main())
