#!/usr/bin/env python3
"""Compares simulated loops with published latencies and throughputs. Prints a table:

    bench/published_chains.py [BUILD_DIR]

Each loop repeats one instruction, or two, 16 times and more in a code run. A chain needs the result before; the others
are independent. The cycles are the difference of two runs. The ARM models execute the same x86-64 code: it shows their
latencies, as Arm's guides give them. Needs cc.
"""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
UOPS, AGNER = "uops.info", "Agner Fog"
A72, A76 = "Cortex-A72 guide", "Cortex-A76 guide"
FEW, MANY = 2_000, 12_000
CLOSE = 0.10


@dataclasses.dataclass
class Loop:
    """`code` is repeated; {0}, {1}, … are different registers in turn, x{0} different vectors. `cycles` are of one."""
    name: str
    code: str
    cycles: float
    source: str
    model: str = "skylake"


LOOPS = [
    Loop("add r, r", "add %rax, %rax", 1, UOPS),
    Loop("imul r, r", "imul %rax, %rax", 3, UOPS),
    Loop("lea of three", "lea 8(%rax,%rcx), %rax", 3, UOPS),
    Loop("shl r, i", "shl $3, %rax", 1, UOPS),
    Loop("adc r, r", "adc %rcx, %rax", 1, UOPS),
    Loop("cmovne r, r", "cmovne %rcx, %rax", 1, UOPS),
    Loop("popcnt r, r", "popcnt %rax, %rax", 3, UOPS),
    Loop("bswap r64", "bswap %rax", 2, UOPS),
    Loop("div r32", "mov $7, %eax; xor %edx, %edx; or %ecx, %eax; div %ecx; mov %eax, %ecx; or $1, %ecx", 28, AGNER),
    Loop("addsd x, x", "addsd %xmm1, %xmm0", 4, UOPS),
    Loop("mulsd x, x", "mulsd %xmm1, %xmm0", 4, UOPS),
    Loop("divsd x, x", "divsd %xmm1, %xmm0", 13.5, AGNER),
    Loop("divss x, x", "divss %xmm1, %xmm0", 11, UOPS),
    Loop("sqrtsd x, x", "sqrtsd %xmm0, %xmm0", 15.5, AGNER),
    Loop("paddd x, x", "paddd %xmm1, %xmm0", 1, UOPS),
    Loop("pmullw x, x", "pmullw %xmm1, %xmm0", 5, UOPS),
    Loop("pmulld x, x", "pmulld %xmm1, %xmm0", 10, UOPS),
    Loop("pshufd x, x", "pshufd $27, %xmm0, %xmm0", 1, UOPS),
    Loop("cvtdq2ps x, x", "cvtdq2ps %xmm0, %xmm0", 4, UOPS),
    Loop("roundsd x, x", "roundsd $0, %xmm0, %xmm0", 8, UOPS),
    Loop("haddps x, x", "haddps %xmm0, %xmm0", 6, UOPS),
    Loop("movq there and back", "movq %rax, %xmm0; movq %xmm0, %rax", 4, AGNER),
    Loop("load of its address", "mov (%rsi), %rsi", 4, UOPS),
    Loop("add m, i", "addl $1, 64(%rsi)", 5, AGNER),
    Loop("xor r, r, all of one", "xor %eax, %eax", 0.25, UOPS),
    Loop("add: throughput", "add %rcx, {0}", 0.25, UOPS),
    Loop("imul: throughput", "imul %rcx, {0}", 1, UOPS),
    Loop("lea: throughput", "lea 8(%rcx), {0}", 0.5, UOPS),
    Loop("shl r, cl: throughput", "shl %cl, {0}", 1.5, UOPS),
    Loop("cmovbe: throughput", "cmovbe %rcx, {0}", 1, UOPS),
    Loop("load: throughput", "mov 64(%rsi), {0}", 0.5, UOPS),
    Loop("store: throughput", "mov %rax, 64(%rsi)", 1, UOPS),
    Loop("mulsd: throughput", "mulsd %xmm15, x{0}", 0.5, UOPS),
    Loop("divsd: throughput", "divsd %xmm15, x{0}", 4, UOPS),
    Loop("div r32: throughput", "xor %edx, %edx; mov $1, %eax; div %ecx", 6, UOPS),
    Loop("punpcklbw: throughput", "punpcklbw %xmm15, x{0}", 1, UOPS),
    Loop("pand: throughput", "pand %xmm15, x{0}", 1 / 3, UOPS),
    Loop("cmp, je, dec, jnz", "cmp %rax, %rcx; je 9f", 1, AGNER),
    Loop("add r, r", "add %rax, %rax", 1, A72, "cortex-a72"),
    Loop("imul r, r", "imul %eax, %eax", 3, A72, "cortex-a72"),
    Loop("addsd x, x", "addsd %xmm1, %xmm0", 4, A72, "cortex-a72"),
    Loop("load of its address", "mov (%rsi), %rsi", 4, A72, "cortex-a72"),
    Loop("addsd x, x", "addsd %xmm1, %xmm0", 2, A76, "cortex-a76"),
    Loop("mulsd x, x", "mulsd %xmm1, %xmm0", 3, A76, "cortex-a76"),
]
REGISTERS = ["%rax", "%rbx", "%rdx", "%rdi", "%r8", "%r9", "%r10", "%r11"]


def repeated(loop):
    """Returns the code of one round of the loop, and how often it has the instruction."""
    width = loop.code.count(";") + 1
    times = 48 // width
    if "je " in loop.code:
        return loop.code, 1
    return "\n".join(loop.code.replace("x{0}", f"%xmm{n % 12}").replace("{0}", REGISTERS[n % len(REGISTERS)])
                     for n in range(times)), times


def source():
    """Returns a program whose first argument is the number of the loop, its second the number of rounds."""
    cases = "".join(
        f'case {number}: __asm__ volatile("mov $3, %%ecx; mov $1, %%eax; .p2align 6; 1: '
        + repeated(loop)[0].replace("\n", "\\n").replace("%", "%%") +
        '\\n dec %0; jnz 1b; 9:" : "+r"(rounds) : "S"(memory) : CHANGED); break;\n' for number, loop in enumerate(LOOPS))
    changed = ", ".join(f'"{name}"' for name in (*(r[1:] for r in REGISTERS), "rcx", "cc", "memory"))
    return f"""#include <stdlib.h>
#define CHANGED {changed}
static void* memory[64] __attribute__((aligned(64)));
int main(int argc, char** argv) {{
  long rounds = argc == 3 ? atol(argv[2]) : 0;
  if (rounds < 1) return 2;
  memory[0] = memory;
  switch (atol(argv[1])) {{
{cases}  }}
  return 0;
}}
"""


def cycles(tacho, program, number, loop, scratch):
    counts = []
    for rounds in (FEW, MANY):
        out = f"{scratch}/{number}-{rounds}.json"
        done = subprocess.run([tacho, "stat", "--pmu", f"simulated:{loop.model}", "-e", "cycles", "--json", "-o", out, "--",
                               program, str(number), str(rounds)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{loop.name}: {done.stderr}")
        counts.append(json.loads(pathlib.Path(out).read_text())["events"][0]["count"])
    return (counts[1] - counts[0]) / (MANY - FEW) / repeated(loop)[1]


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release")
    compiler = shutil.which("cc") or sys.exit("cc is not installed: this bench builds a program with it")
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/loops"
        pathlib.Path(f"{program}.c").write_text(source())
        subprocess.run([compiler, "-O1", "-o", program, f"{program}.c"], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda each: cycles(f"{build}/bin/tacho", program, each[0], each[1], scratch),
                                  enumerate(LOOPS)))
    print("| model | loop | simulated | published | error % | source |\n" + "| --- " * 6 + "|")
    errors = [value / loop.cycles - 1 for value, loop in zip(found, LOOPS)]
    for value, loop, error in zip(found, LOOPS, errors):
        print(f"| {loop.model} | {loop.name} | {value:.2f} | {loop.cycles:.2f} | {100 * error:+.1f} | {loop.source} |")
    close = sum(abs(error) <= CLOSE for error in errors)
    print(f"\n{close} of {len(LOOPS)} within {100 * CLOSE:.0f} %: {100 * close / len(LOOPS):.0f} %")


if __name__ == "__main__":
    main()
