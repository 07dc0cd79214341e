#!/usr/bin/env python3
"""Compares the order of twenty pairs of programs on this machine and in a simulation of it. Prints a table:

    bench/simulated_pairs.py [--rounds N] [BUILD_DIR]     (default: 9, build/release)

Both columns are the time of the first program over that of the second. The native one is the median of pairs of runs
(A B B A …) of this machine's CPU time, the other one the quotient of simulated cycles with --pmu simulated:host. The
order is right if both are above 1, or both below; a simulated quotient within 1 % of 1 is no order. The programs are in
simulated_work.c. Needs cc.
"""
from simulated_work import arguments, built, native_ns, simulated_cycles
from timing import in_turn, median_and_interval

NATIVE_ROUNDS = 15  # of one run
EQUAL = 0.01
PAIRS = [
    ("naive product", "interchanged product"),
    ("branch on unsorted", "branch on sorted"),
    ("structures", "field in an array"),
    ("chase in L2, 2 Mi steps", "triad of 48 MiB"),
    ("division loop", "multiplication loop"),
    ("dependent imul", "independent imul"),
    ("one sum", "four sums"),
    ("polynomials, each after the other", "polynomials, independent"),
    ("stored in halves, loaded whole", "stored and loaded whole"),
    ("read each 16th line", "read as many words in a row"),
    ("random places, 64 MiB", "places in order, 64 MiB"),
    ("virtual calls", "direct calls"),
    ("switch", "table in place of a switch"),
    ("table of 256 KiB, random", "table of 16 KiB, random"),
    ("copy by octets", "copy by words"),
    ("list of 1 MiB", "array in place of the list"),
    ("binary search, 64 Ki numbers", "hash table, 64 Ki numbers"),
    ("transpose", "transpose in tiles"),
    ("floating-point division", "times the reciprocal"),
    ("CRC by bits", "CRC by a table"),
]


def main():
    tacho, rounds = arguments()
    right = 0
    print("| first | second | native | 95 % interval | simulated | order |\n" + "| --- " * 6 + "|")
    with built() as program:
        for pair in PAIRS:
            times = in_turn({name: name for name in pair}, rounds,
                            lambda name: native_ns(program, name, NATIVE_ROUNDS)[0])
            native, low, high = median_and_interval([a / b for a, b in zip(times[pair[0]], times[pair[1]])])
            cycles = [simulated_cycles(tacho, program, name) for name in pair]
            simulated = cycles[0] / cycles[1]
            agrees = abs(simulated - 1) > EQUAL and (native > 1) == (simulated > 1)
            right += agrees
            print(f"| {pair[0]} | {pair[1]} | {native:.2f} | {low:.2f} to {high:.2f} | {simulated:.2f} | "
                  f"{'right' if agrees else 'wrong'} |", flush=True)
    print(f"\n{right} of {len(PAIRS)} in the right order")


if __name__ == "__main__":
    main()
