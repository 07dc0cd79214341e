#!/usr/bin/env python3
"""Compares self-measurement with rpistat on naive: repeats the comparison published for the first Raspberry Pi.
Prints the table of docs/explanation/self-measurement.md:

    bench/self_measurement.py [--size N] [--board] [BUILD_DIR]          (default: 500, build/release)

By default it runs on the simulated first Raspberry Pi (simulated:arm1176). Self-measurement there is the count of the
whole program minus the count of a run that stops before the product; every event is counted all the time. rpistat
launches the unmodified program and estimates from sets that take turns. With --board it runs on the emulated board
armv7: the program counts itself around the product, by perf_event_open. That board counts cycles and instructions only.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT / "lab")]
from rpistat_layout import read, rows_of  # noqa: E402

EVENTS = {"Cycles": "cycles", "Instructions": "instructions", "DC cached accesses": "l1d_cache",
          "DC misses": "l1d_cache_refill", "MicroTLB misses": "l1d_tlb_refill", "Main TLB misses": "main-tlb-misses"}
# P. J. Drongowski, RPi performance event monitoring: rpistat (2013): 500 × 500 floats on a Raspberry Pi 1. Its counter
# divided cycles by 64.
PUBLISHED = {
    "Elapsed time": ("16.0 s", "16.6 s"), "Cycles / 64": ("181,984,943", "184,288,556"),
    "Instructions": ("1,190,897,822", "1,245,571,856"), "DC access": ("17,588,053", "18,587,014"),
    "DC miss": ("2,982,314", "3,735,024"), "MicroTLB miss": ("809,154", "904,166"),
    "Main TLB miss": ("612,688", "661,667"), "CPI": ("9.78", "9.47"), "DC access rate": ("14.77 PTI", "14.92 PTI"),
    "DC miss rate": ("2.50 PTI", "2.99 PTI"), "DC miss ratio": ("17.0 %", "20.1 %"),
    "MicroTLB rate": ("0.68 PTI", "0.73 PTI"), "Main TLB rate": ("0.51 PTI", "0.53 PTI")}


def run(command, cwd):
    done = subprocess.run(list(map(str, command)), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr}")


def counted(build, scratch, *arguments):
    """Counts all events of one run of naive, all the time. Returns the counts, and the simulated time as "seconds"."""
    run([build / "bin/tacho", "stat", "--pmu", "simulated:arm1176", "--json", "-o", "counts.json", "-e",
         ",".join(EVENTS.values()), "--", build / "examples/naive", *arguments], scratch)
    document = json.loads((scratch / "counts.json").read_text())
    counts = {entry["name"]: entry["count"] for entry in document["events"]}
    return {label: counts[name] for label, name in EVENTS.items()} | {"seconds": document["simulated_s"]}


def estimated(text, data):
    """Returns rpistat's scaled counts (with the run's "seconds"), their relative half-widths, and the periods."""
    report, last = read(text), rows_of(data)[-1]
    figures, spreads = {"seconds": last["start_s"] + last["duration_s"]}, {}
    for label in EVENTS:
        value = report[label]
        if value.reason is None:
            figures[label] = value.count if value.scaled is None else value.scaled
            if value.spread is not None and figures[label] > 0:
                spreads[label] = value.half_width() / figures[label]
    return figures, spreads, report["Total periods"].count


def rows(figures):
    """Returns the rows of the published table as text; a dash stands for a value that could not be counted."""
    def per_thousand(label):
        return f"{1000 * figures[label] / figures['Instructions']:.2f} PTI" if label in figures else "–"

    def count(label, by=1):
        return f"{figures[label] / by:,.0f}" if label in figures else "–"

    has_cache = "DC misses" in figures
    return {
        "Elapsed time": f"{figures['seconds']:.3f} s", "Cycles / 64": count("Cycles", 64),
        "Instructions": count("Instructions"), "DC access": count("DC cached accesses"), "DC miss": count("DC misses"),
        "MicroTLB miss": count("MicroTLB misses"), "Main TLB miss": count("Main TLB misses"),
        "CPI": f"{figures['Cycles'] / figures['Instructions']:.2f}",
        "DC access rate": per_thousand("DC cached accesses"), "DC miss rate": per_thousand("DC misses"),
        "DC miss ratio": f"{100 * figures['DC misses'] / figures['DC cached accesses']:.1f} %" if has_cache else "–",
        "MicroTLB rate": per_thousand("MicroTLB misses"), "Main TLB rate": per_thousand("Main TLB misses")}


def show(own, whole, estimates, spreads):
    """Prints the table. own: counts of the product alone; whole: of the program, or None; estimates: by rpistat."""
    labels = {"Instructions": "Instructions", "DC access": "DC cached accesses", "DC miss": "DC misses",
              "MicroTLB miss": "MicroTLB misses", "Main TLB miss": "Main TLB misses"}
    columns = [rows(own), rows(estimates)] + ([rows(whole)] if whole else [])
    print("| metric | published: self | published: rpistat | self-measurement | rpistat | ± |"
          + (" the whole program |" if whole else "") + "\n" + "| --- " * (7 if whole else 6) + "|")
    for name, published in PUBLISHED.items():
        spread = spreads.get(labels.get(name))
        shown = [column[name] for column in columns]
        if set(shown) == {"–"}:
            continue
        shown.insert(2, "" if spread is None else f"{100 * spread:.2g} %" if spread > 1e-5 else "0 %")
        print(f"| {name} | {published[0]} | {published[1]} | " + " | ".join(shown) + " |")


def simulated(build, size):
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        whole, rest = counted(build, scratch, size), counted(build, scratch, size, 0)
        own = {label: whole[label] - rest[label] for label in whole}
        run([build / "bin/rpistat", "--pmu", "simulated:arm1176", build / "examples/naive", size], scratch)
        estimates, spreads, periods = estimated((scratch / "rpistat.txt").read_text(),
                                                (scratch / "rpistat.data").read_text())
    print(f"naive {size}, simulated:arm1176, {periods:.0f} periods\n")
    show(own, whole, estimates, spreads)


def on_board(size):
    from board import boot
    from boards import BOARDS
    from crossbuild import prepare
    prepare(["armv7"])
    with boot(BOARDS["armv7"]) as board:
        done = board.run(f"PATH=/opt/tacho/bin:/opt/tacho/examples:/opt/tacho/programs:$PATH; cd /tmp; self_measured {size} && echo ===== "
                         f"&& rpistat --pmu hardware naive {size} >/dev/null && cat rpistat.txt && echo ===== && cat rpistat.data",
                         limit=600)
    if done.code != 0:
        sys.exit(f"failed on the board: {done.stderr}")
    printed, text, data = done.stdout.split("=====\n")
    words = dict(line.split() for line in printed.splitlines())
    own = {"Cycles": float(words["cycles"]), "Instructions": float(words["instructions"]), "seconds": float(words["seconds"])}
    estimates, spreads, periods = estimated(text, data)
    # QEMU models no caches and no TLBs: their events open, but read 0.
    kept = {label: estimates[label] for label in ("Cycles", "Instructions", "seconds")}
    print(f"naive {size}, the board armv7 under icount, {periods:.0f} periods\n")
    show(own, None, kept, {"Instructions": spreads["Instructions"]} if "Instructions" in spreads else {})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--board", action="store_true")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    args = parser.parse_args()
    if args.board:
        on_board(args.size)
    else:
        simulated(pathlib.Path(args.build).resolve(), args.size)


if __name__ == "__main__":
    main()
