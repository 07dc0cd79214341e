#!/usr/bin/env python3
"""Measures the cost of tacho blocks: on a real recording, beside perf script and awk; and on large synthetic ones.

    bench/blocks_cost.py [RECORDING] [MEGABYTES…]   default: the Xeon recording of the corpus; 1000 and 4000 MB;
                                                    tacho of build/release

Prints the medians of elapsed time, CPU time and peak memory. perf prints instructions and cycles (brstackinsn) only
if the recorded binary is on this machine. Otherwise it prints the entries themselves (brstack). awk sums executions
and cycles of each branch; tacho --csv gives the distribution of cycles of each code run.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from timing import cost

ROOT = pathlib.Path(__file__).resolve().parents[1]
TACHO = os.environ.get("TACHO", str(ROOT / "build" / "release" / "bin" / "tacho"))
CORPUS = pathlib.Path(os.environ.get("TACHO_CORPUS", ROOT.parent / "shared" / "corpus"))
RUNS = 5
INSTRUCTIONS = """/PRED [0-9]+ cycles/ {
  for (i = 1; i <= NF; ++i) if ($i == "cycles") { sum[$1] += $(i - 1); ++count[$1] } }
END { for (branch in sum) print branch, count[branch], sum[branch] }"""
ENTRIES = """{ for (i = 1; i <= NF; ++i) if (split($i, part, "/") > 5) {
  branch = part[1] "/" part[2]; sum[branch] += part[6]; ++count[branch]; if (part[3] == "M") ++missed[branch] } }
END { for (branch in sum) print branch, count[branch], missed[branch], sum[branch] }"""


def row(name, command, runs=RUNS):
    elapsed, processor, memory = (statistics.median(column) for column in zip(*(cost(command) for _ in range(runs))))
    print(f"{name:<34} {elapsed:8.3f} s {processor:8.3f} s {memory:6.0f} MB", end="")
    return elapsed, processor


def beside_perf(recording):
    print(f"{recording.name}, median of {RUNS} runs\n{'':<34} {'elapsed':>10} {'CPU':>10} {'peak':>9}")
    row("tacho blocks", [TACHO, "blocks", "-i", recording])
    print("  includes the code, its source and the estimate of llvm-mca")
    tacho = row("tacho blocks --csv", [TACHO, "blocks", "-i", recording, "--csv"])
    print()
    if not shutil.which("perf"):
        return
    for field, awk in (("brstackinsn", INSTRUCTIONS), ("brstack", ENTRIES)):
        script = f"perf script -i '{recording}' -F +{field} 2>/dev/null | awk '{awk}'"
        if len(subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout.splitlines()) < 2:
            continue
        perf = row(f"perf script -F +{field} | awk", ["sh", "-c", script])
        print(f"\ntacho / perf: {tacho[0] / perf[0]:.3f} of elapsed time, {tacho[1] / perf[1]:.3f} of CPU time")
        return


def large(megabytes):
    with tempfile.TemporaryDirectory() as directory:
        maker, data = (os.path.join(directory, name) for name in ("make_recording", "perf.data"))
        subprocess.run(["c++", "-std=c++23", "-O2", ROOT / "bench" / "make_recording.cpp", "-o", maker], check=True)
        for each in megabytes:
            subprocess.run([maker, data, each, "--branches"], check=True)
            os.sync()  # otherwise the kernel would write it back during the measurement
            elapsed, processor = row(f"tacho blocks, {each} MB", [TACHO, "blocks", "-i", data], 3)
            size = os.path.getsize(data) / 1e6
            print(f"  {size / elapsed:.0f} MB/s, {size / processor:.0f} MB per CPU second")


def main():
    recording = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS / "lbr-cycles-xeon-gold-6154.data"
    beside_perf(recording)
    large(sys.argv[2:] or ["1000", "4000"])


if __name__ == "__main__":
    main()
