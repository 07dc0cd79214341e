#!/usr/bin/env python3
"""Compares tacho latency with multichase and lmbench's lat_mem_rd: the results, and the time that they take.

    bench/latency.py [--multichase PATH] [--lat-mem-rd PATH] [--runs N] [--busy]

For 18 sizes from 16 KB to 256 MB it prints the median latency (ns) by each tool, the spread of tacho's runs, and the
wall time of each tool's sweep. Then it prints ten full tables of tacho: capacities beside sysfs, surplus levels, TLBs.
With --busy it repeats all of this with a busy loop on each CPU, and prints the ratio of the medians, busy over quiet.
The peers are built outside the project; a tool whose path is not given is left out.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import time

from timing import busy_cpus

ROOT = pathlib.Path(__file__).resolve().parents[1]
TACHO = pathlib.Path(os.environ.get("TACHO", ROOT / "build" / "release" / "bin" / "tacho"))
KIB = 1024
SIZES = [round(16 * KIB * 2 ** (14 * i / 17) / 4096) * 4096 for i in range(18)]


def tacho():
    sizes = ",".join(map(str, SIZES))
    document = json.loads(subprocess.run([TACHO, "latency", "--json", "--sizes", sizes, "--pages", "huge"], check=True,
                                         capture_output=True, text=True).stdout)
    return {size["bytes"]: (size["ns"], size["disturbed"] or size["core_shared"] or size["other_levels_share"] >= 0.1,
                            size["cycles"]) for size in document["sizes"]}


def multichase(program):
    found = {}
    for size in SIZES:
        out = subprocess.run([program, "-m", str(size), "-s", "64", "-n", "5", "-H"], capture_output=True, text=True)
        if out.returncode != 0:  # an older version, which has no huge pages
            out = subprocess.run([program, "-m", str(size), "-s", "64", "-n", "5"], check=True, capture_output=True,
                                 text=True)
        found[size] = (float(re.findall(r"[\d.]+", out.stdout)[-1]), False, None)
    return found


def lat_mem_rd(program):
    """Takes, for each of our sizes, the nearest of its sizes. Its default of 11 repetitions takes ten minutes a sweep."""
    out = subprocess.run([program, "-N", "1", "-t", str(SIZES[-1] // KIB // KIB), "64"], capture_output=True, text=True)
    points = [tuple(map(float, line.split())) for line in out.stderr.splitlines()
              if re.fullmatch(r"[\d.]+ [\d.]+", line)]
    return {size: (min(points, key=lambda point: abs(point[0] * KIB * KIB / size - 1))[1], False, None)
            for size in SIZES}


def spread(cycles):
    """Returns the relative range of cycles. Times would also vary with the core's clock. The peers report no cycles."""
    return None if None in cycles else (max(cycles) - min(cycles)) / statistics.median(cycles)


def sweep(tools, runs):
    """Returns for each tool: medians and relative spread by size, sizes flagged in any run, median wall time."""
    result = {}
    for name, measure in tools.items():
        tables, walls = [], []
        for _ in range(runs if name == "tacho" else max(1, runs // 4)):
            begin = time.monotonic()
            tables.append(measure())
            walls.append(time.monotonic() - begin)
        times = {size: [table[size][0] for table in tables] for size in SIZES}
        result[name] = {
            "ns": {size: statistics.median(each) for size, each in times.items()},
            "spread": {size: spread([table[size][2] for table in tables]) for size in SIZES},
            "flagged": {size for size in SIZES if any(table[size][1] for table in tables)},
            "wall": statistics.median(walls)}
    return result


def print_sweep(result):
    names = list(result)
    print(f"{'size':>12} " + " ".join(f"{name + ', ns':>16}" for name in names) + "   spread of tacho's cycles")
    for size in SIZES:
        line = f"{size:>12} " + " ".join(f"{result[name]['ns'][size]:>16.2f}" for name in names)
        flag = "  flagged" if size in result["tacho"]["flagged"] else ""
        print(line + f"   {100 * result['tacho']['spread'][size]:5.1f} %{flag}")
    print(f"{'wall time, s':>12} " + " ".join(f"{result[name]['wall']:>16.1f}" for name in names))


def print_tables(runs):
    cache = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
    advertised = {}
    for index in cache.glob("index*"):
        if (index / "type").read_text().strip() != "Instruction":
            level = "L" + (index / "level").read_text().strip()
            advertised[level] = int((index / "size").read_text().strip()[:-1]) * KIB
    print(f"\n{runs} full tables; sysfs: "
          + ", ".join(f"{name} {size // KIB} KiB" for name, size in sorted(advertised.items())))
    for _ in range(runs):
        begin = time.monotonic()
        document = json.loads(subprocess.run([TACHO, "latency", "--json"], check=True, capture_output=True,
                                             text=True).stdout)
        wall = time.monotonic() - begin
        chain = {}
        for size in document["sizes"]:
            if size["layout"] == "packed" and size["chain_cycles"] and not size["disturbed"]:
                chain[size["bytes"]] = size["chain_cycles"]
        parts = []
        for tier in document["tiers"]:
            capacity = tier["capacity_bytes"]
            known = advertised.get(tier["name"])
            beside = f" (sysfs × {capacity / known:.2f})" if capacity and known else ""
            parts.append(f"{tier['name']} {tier['cycles']:.2f} cycles"
                         + (f" to {capacity / KIB:.0f} KiB{beside}" if capacity else ""))
        l1_size, l2_size = advertised.get("L1", 0), advertised.get("L2", 0)
        l1 = [cycles for size, cycles in chain.items() if size <= 0.5 * l1_size]
        l2 = [cycles for size, cycles in chain.items() if 3 * l1_size < size < 0.3 * l2_size]
        reference = ", ".join(f"{statistics.median(each):.2f}" for each in (l1, l2) if each)
        tlb = "; ".join(f"{each['name']} {each['entries']:.0f}, a miss +{each['miss_extra_cycles']:.1f}"
                        for each in document["tlb"])
        print(f"{wall:5.1f} s  {'; '.join(parts)}  [chains: {reference}]  {tlb}  trust: {document['trust']['word']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--multichase", type=pathlib.Path)
    parser.add_argument("--lat-mem-rd", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--busy", action="store_true", help="also with a busy loop on each CPU")
    given = parser.parse_args()
    tools = {"tacho": tacho}
    if given.multichase:
        tools["multichase"] = lambda: multichase(given.multichase)
    if given.lat_mem_rd:
        tools["lat_mem_rd"] = lambda: lat_mem_rd(given.lat_mem_rd)
    quiet = sweep(tools, given.runs)
    print_sweep(quiet)
    print_tables(given.runs)
    if given.busy:
        with busy_cpus():
            busy = sweep(tools, given.runs)
            print("\nwith a busy loop on each CPU")
            print_sweep(busy)
            print_tables(given.runs)
        print("\nbusy over quiet\n" + f"{'size':>12} " + " ".join(f"{name:>12}" for name in tools))
        for size in SIZES:
            flag = "  flagged" if size in busy["tacho"]["flagged"] | quiet["tacho"]["flagged"] else ""
            print(f"{size:>12} " + " ".join(f"{busy[name]['ns'][size] / quiet[name]['ns'][size]:>12.2f}"
                                            for name in tools) + flag)


if __name__ == "__main__":
    main()
