#!/usr/bin/env python3
"""Compares the simulated cycles of straight pieces of code with those of a real Skylake, as BHive measured them
(Y. Chen et al., IISWC 2019), and with llvm-mca's. Prints a table:

    bench/measured_blocks.py BLOCKS.csv [--blocks N] [--seed N] [--model MODEL] [--worst N] [BUILD_DIR]

BLOCKS.csv has a block in each line: its bytes in hexadecimal, and the cycles that 100 of it took. The data set is
benchmark/throughput/skl.csv of https://github.com/ithemal/bhive, and is not part of tacho. The bench draws 320 blocks.

Each block runs as there: all registers are 0x2324000 at the start, and all addresses lead to one page. The block is
repeated without a loop between, as often as a code run holds it, for dependences are followed within a code run. A
loop around that repeats it 100 times or more, and half as often: the cycles of a block are from the difference. Blocks
that cannot run here are left out and counted.

BHive repeated the blocks without any loop. Such code comes from the decoder, which gets 16 bytes a cycle (Agner Fog), and
not from the cache of decoded code, as in loops. A second row of the table takes that as a further bound. It shows how
much of the error is of this kind, for tacho has no such bound.

Needs cc and objdump; llvm-mca and llvm-mc, in PATH or as version 19, are optional.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA_SET = "https://github.com/ithemal/bhive has it as benchmark/throughput/skl.csv"
RUN_INSTRUCTIONS = 58    # of a code run, besides the two of the loop: Valgrind translates at most 60 at a time
REPETITIONS = 1000       # so that the first misses hardly count
FETCHED = 16             # bytes a cycle
PATTERN = 0x2324000
CELLS = 0x1000000        # bench/block_harness.c
COUNTER, VECTOR = CELLS + 8, CELLS + 32
NAMES = {"rax": "[er]?ax|al|ah", "rcx": "[er]?cx|cl|ch", "rdx": "[er]?dx|dl|dh", "rbx": "[er]?bx|bl|bh",
         "rsp": "[er]?sp|spl", "rbp": "[er]?bp|bpl", "rsi": "[er]?si|sil", "rdi": "[er]?di|dil",
         **{f"r{n}": f"r{n}[dwb]?" for n in range(8, 16)}}
REGISTERS = list(NAMES)
STACK = re.compile(r"\b(push|pop)")  # llvm-mca makes a chain of them
IMPLICIT = re.compile(r"\b(i?mul|i?div|cdq|cqo|cwd|push|pop|leave|call|ret|cpuid|rdtsc|xgetbv|mulx|cmpxchg|stos|movs|"
                      r"lods|scas|cmps|pcmp.str|loop|xlat|in|out|syscall)")


def disassembled(blocks):
    """Returns the instructions of each block as texts."""
    gap = b"\x90" * 16
    with tempfile.NamedTemporaryFile() as file:
        starts = {}
        for block in blocks:
            starts[file.tell()] = block
            file.write(bytes.fromhex(block) + gap)
        file.flush()
        text = subprocess.run(["objdump", "-D", "-w", "-b", "binary", "-mi386:x86-64", "-Mintel", file.name], check=True,
                              capture_output=True, text=True).stdout
    found = {}
    block, end = None, 0
    for at, code in re.findall(r"^ *([0-9a-f]+):\t[0-9a-f ]+\t(.*)$", text, re.MULTILINE):
        at = int(at, 16)
        if at in starts:
            block = starts[at]
            end = at + len(block) // 2
            found[block] = []
        if block and at < end:
            found[block].append(code.strip())
    return found


def free_register(code):
    """Returns the number of a register that the block does not use, or None."""
    text = "\n".join(code)
    implicit = IMPLICIT.search(text)
    for name in ("r15", "r14", "r13", "r12", "r11", "r10", "r9", "r8", "rbx", "rbp", "rsi", "rdi"):
        if name in ("rbx", "rbp", "rsi", "rdi") and implicit:
            continue
        if not re.search(rf"\b({NAMES[name]})\b", text):
            return REGISTERS.index(name)
    return None


def program(block, copies, counter):
    """Returns the code for the harness: sets the registers, and repeats `copies` blocks in a loop."""
    def absolute(at):
        return at.to_bytes(4, "little")

    code = b"\xfc"
    for n in range(16):  # movups xmm, [VECTOR]
        code += (b"\x44" if n >= 8 else b"") + b"\x0f\x10" + bytes([4 | (n & 7) << 3, 0x25]) + absolute(VECTOR)
    for n in range(16):
        code += bytes([0x48 | n >> 3, 0xc7, 0xc0 | n & 7]) + absolute(PATTERN)
    if counter is not None:  # mov counter, [COUNTER]
        code += bytes([0x48 | (counter >> 3) << 2, 0x8b, 4 | (counter & 7) << 3, 0x25]) + absolute(COUNTER)
    code += b"\x90" * (-len(code) % 64)
    loop = bytes.fromhex(block) * copies
    if counter is not None:
        loop += bytes([0x48 | counter >> 3, 0xff, 0xc8 | counter & 7])       # dec counter
    else:
        loop += bytes([0x48, 0xff, 0x0c, 0x25]) + absolute(COUNTER)          # dec qword [COUNTER]
    back = -(len(loop) + 6)
    code += loop + b"\x0f\x85" + back.to_bytes(4, "little", signed=True)     # jnz
    return code + b"\xff\x24\x25" + absolute(CELLS)                          # jmp [CELLS]


def simulated(tacho, harness, model, scratch, name, code, rounds):
    """Returns the cycles of one repetition, or None if the block cannot run."""
    path = pathlib.Path(scratch) / name
    path.write_bytes(code)
    done = subprocess.run([tacho, "stat", "--pmu", f"simulated:{model}", "-e", "cycles", "--json", "-o", f"{path}.json",
                           "--", harness, path, str(REPETITIONS), str(rounds)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        if "tacho" in done.stderr and done.returncode == 125:
            sys.exit(done.stderr)
        return None
    return json.loads(pathlib.Path(f"{path}.json").read_text())["events"][0]["count"] / REPETITIONS


def cycles_of_block(tacho, harness, model, scratch, block, code):
    copies = max(1, RUN_INSTRUCTIONS // len(code))
    rounds = 2 * max(4, 50 // copies)
    machine = program(block, copies, free_register(code))
    found = [simulated(tacho, harness, model, scratch, f"{block[:40]}-{len(block)}-{each}", machine, each)
             for each in (rounds, rounds // 2)]
    if None in found:
        return None
    return (found[0] - found[1]) / ((rounds - rounds // 2) * copies)


def tool(name):
    return shutil.which(f"{name}-19") or shutil.which(f"/usr/lib/llvm-19/bin/{name}") or shutil.which(name)


def of_llvm_mca(mca, mc, block):
    """Returns llvm-mca's cycles of the block, for 100 repetitions less 50; None if it does not know an instruction."""
    text = " ".join(f"0x{byte:02x}" for byte in bytes.fromhex(block))
    assembly = subprocess.run([mc, "--disassemble", "--triple=x86_64"], input=text, capture_output=True, text=True,
                              check=False).stdout
    totals = []
    for count in (100, 50):
        done = subprocess.run([mca, "-mtriple=x86_64", "-mcpu=skylake", f"-iterations={count}", "-instruction-info=0",
                               "-resource-pressure=0"], input=assembly, capture_output=True, text=True, check=False)
        total = re.search(r"Total Cycles: +(\d+)", done.stdout)
        totals += [int(total[1])] if done.returncode == 0 and total else []
    return (totals[0] - totals[1]) / 50 if len(totals) == 2 else None


def tau(first, second):
    """Kendall's tau-b."""
    agree = ties_first = ties_second = 0
    pairs = len(first) * (len(first) - 1) // 2
    for i, (a, b) in enumerate(zip(first, second)):
        for c, d in zip(first[:i], second[:i]):
            x, y = (a > c) - (a < c), (b > d) - (b < d)
            agree += x * y
            ties_first += x == 0
            ties_second += y == 0
    return agree / ((pairs - ties_first) * (pairs - ties_second)) ** 0.5


def row(name, predicted, measured):
    errors = [100 * abs(p / m - 1) for p, m in zip(predicted, measured)]
    return (f"| {name} | {len(errors)} | {statistics.fmean(errors):.1f} | {statistics.median(errors):.1f} | "
            f"{tau([round(p, 2) for p in predicted], measured):.3f} |")


def read(path):
    try:
        with open(path, newline="") as file:
            blocks = {line[0]: float(line[1]) / 100 for line in csv.reader(file) if len(line) == 2 and line[0] and line[1]}
    except (OSError, ValueError) as error:
        sys.exit(f"cannot read measured blocks from '{path}': {error}; {DATA_SET}")
    return blocks or sys.exit(f"'{path}' has no measured blocks; {DATA_SET}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("measured")
    parser.add_argument("--blocks", type=int, default=320)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default="skylake")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    args = parser.parse_intermixed_args()
    for needed in ("cc", "objdump"):
        if not shutil.which(needed):
            sys.exit(f"{needed} is not installed: this bench needs it")
    measured = read(args.measured)
    drawn = random.Random(args.seed).sample(sorted(measured), min(args.blocks, len(measured)))
    code = disassembled(drawn)
    tacho = f"{args.build}/bin/tacho"
    with tempfile.TemporaryDirectory() as scratch:
        harness = f"{scratch}/harness"
        subprocess.run(["cc", "-O1", "-static", "-nostdlib", "-fno-stack-protector", "-fno-pie", "-no-pie", "-mno-red-zone",
                        "-o", harness, ROOT / "bench/block_harness.c"], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cycles = list(pool.map(lambda block: cycles_of_block(tacho, harness, args.model, scratch, block, code[block]),
                                   drawn))
        mine = {block: value for block, value in zip(drawn, cycles) if value is not None}
        mca, mc, theirs = tool("llvm-mca"), tool("llvm-mc"), {}
        if mca and mc:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                theirs = dict(zip(mine, pool.map(lambda block: of_llvm_mca(mca, mc, block), mine)))
            theirs = {block: value for block, value in theirs.items() if value is not None}
    print("| predictor | blocks | mean error % | median % | Kendall's tau |\n| --- | --- | --- | --- | --- |")
    print(row(f"tacho simulated:{args.model}", list(mine.values()), [measured[block] for block in mine]))
    print(row("the same, at least a cycle for 16 bytes", [max(value, len(block) / 2 / FETCHED) for block, value in mine.items()],
              [measured[block] for block in mine]))
    both = [block for block in mine if block in theirs and not STACK.search("\n".join(code[block]))]
    if both:
        for name, found in ((f"tacho simulated:{args.model}", mine), (pathlib.Path(mca).name, theirs)):
            print(row(f"{name}, without push and pop", [found[block] for block in both], [measured[block] for block in both]))
    print(f"\n{len(drawn)} blocks drawn of {len(measured)}, seed {args.seed}; {len(drawn) - len(mine)} cannot run here" +
          ("" if theirs else "; llvm-mca is not installed"))
    for block in sorted(mine, key=lambda each: -abs(mine[each] / measured[each] - 1))[:args.worst]:
        print(f"\n{block}: measured {measured[block]:.2f}, simulated {mine[block]:.2f}\n  " + "\n  ".join(code[block]))


if __name__ == "__main__":
    main()
