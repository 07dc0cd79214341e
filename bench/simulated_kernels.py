#!/usr/bin/env python3
"""Compares the cycles of eleven kernels on this machine and in a simulation of it. Prints a table:

    bench/simulated_kernels.py [--rounds N] [BUILD_DIR]     (default: 9, build/release)

The native cycles are this machine's CPU time in units of a chain of additions, which take a cycle each. The chain and
the kernel run in turn, so that the core's clock may change; the figure is the median. The simulated cycles are those of
--pmu simulated:host. The kernels are in simulated_work.c. Needs cc.
"""
import statistics

from simulated_work import arguments, built, native_ns, simulated_cycles
from timing import in_turn

NATIVE_ROUNDS = 15  # of one run
CLOSE = 1.5         # a factor
CLOCK = "additions"
KERNELS = ["triad of 48 MiB", "read 16 MiB", "independent loads, 64 MiB", "addsd chain", "chase in L1", "chase in L2",
           "chase of 64 MiB", "binary search in 8 MiB", "quicksort", "random branch", "division loop"]


def main():
    tacho, rounds = arguments()
    close = 0
    print("| kernel | native, cycles a step | simulated | ratio |\n" + "| --- " * 4 + "|")
    with built() as program:
        for kernel in KERNELS:
            steps = {name: native_ns(program, name, 1)[1] for name in (CLOCK, kernel)}
            times = in_turn({name: name for name in steps}, rounds,
                            lambda name: native_ns(program, name, NATIVE_ROUNDS)[0] / steps[name])
            native = statistics.median(a / b for a, b in zip(times[kernel], times[CLOCK]))
            simulated = simulated_cycles(tacho, program, kernel) / steps[kernel]
            ratio = simulated / native
            close += 1 / CLOSE <= ratio <= CLOSE
            print(f"| {kernel} | {native:.2f} | {simulated:.2f} | {ratio:.2f} |", flush=True)
    print(f"\n{close} of {len(KERNELS)} within a factor of {CLOSE}")


if __name__ == "__main__":
    main()
