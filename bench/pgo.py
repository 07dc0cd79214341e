#!/usr/bin/env python3
"""Measures what three real programs gain natively if they are optimised with simulated branch stacks. Prints a table.

    bench/pgo.py [--rounds N] [--only PROGRAM] [--keep DIR] [BUILD_DIR]     (default: 30 rounds, build/release)

The programs are a compiler (tcc), a compressor (bzip2) and an interpreter (lua), from Debian's sources, which the bench
fetches with apt-get. `tacho record --pmu simulated:skylake -b` records each with a training input; docs/how-to/pgo.md
describes the ways to use the recording. The programs then run natively with another, larger input, in turn: A B C C B A …
The gain of a way is the median over the rounds of 1 - CPU seconds / those of the plain program in the same round, with its
95 % interval. Plain is clang-19 -O2. "same" is the plain program once more: its gain is 0, and shows what the machine adds.
"taken" is the change of taken branches in the simulation, with the training input.

Needs clang-19, llvm-19, bolt-19, autofdo, linux-perf, dpkg-dev and libclang-rt-19-dev.
"""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from timing import in_turn, median_and_interval

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

import perf_data  # noqa: E402

PERF2BOLT = "/usr/lib/llvm-19/bin/perf2bolt"  # as perf2bolt-19 it is llvm-bolt
TOOLS = ("clang-19", "llvm-profgen-19", "llvm-profdata-19", PERF2BOLT, "llvm-bolt-19", "create_llvm_prof", "perf",
         "dpkg-source")
PERIOD = 4999  # branches between two samples
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
BZIP2 = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")
SCRIPT = """
local n = tonumber(arg[1])
local function fib(i) if i < 2 then return i end return fib(i - 1) + fib(i - 2) end
local words, seed = {}, 7
for i = 1, n do
  seed = (seed * 16807) % 2147483647
  words[i] = string.format("%x-%d", seed, i % 97)
end
table.sort(words)
local seen, sum = {}, 0
for _, word in ipairs(words) do
  local key = word:match("%-(%d+)$")
  seen[key] = (seen[key] or 0) + #word
end
for _, each in pairs(seen) do sum = sum + each end
local sieve = {}
for i = 2, n do
  if not sieve[i] then for j = i * i, n, i do sieve[j] = true end end
end
print(sum, fib(n > 20000 and 29 or 18), #table.concat(words, ","):gsub("%d", "x"))
"""


def run(*command, cwd=None, **environment):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, errors="replace",
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done.stdout


def fetch(scratch, packages):
    """Fetches and unpacks Debian's sources of these packages. Returns their folders."""
    (scratch / "lists" / "partial").mkdir(parents=True)
    (scratch / "sources.list").write_text(f"deb-src [signed-by={KEYRING}] http://deb.debian.org/debian bookworm main\n")
    options = [f"-oDir::Etc::sourcelist={scratch}/sources.list", "-oDir::Etc::sourceparts=/dev/null",
               f"-oDir::State::lists={scratch}/lists", "-oAPT::Sandbox::User=root", "-qq"]
    run("apt-get", *options, "update")
    run("apt-get", *options, "source", "--download-only", *packages, cwd=scratch)
    for package in packages:
        run("dpkg-source", "--no-check", "-x", next(scratch.glob(f"{package}_*.dsc")), scratch / package)
    return [scratch / package for package in packages]


def source_for_tcc(functions):
    """C source with this many functions, always the same."""
    draw = random.Random(functions)
    lines = ["struct pair { long a; unsigned b; };"]
    for i in range(functions):
        lines.append(f"static long f{i}(long x, struct pair *p) {{")
        for j in range(draw.randint(4, 20)):
            lines.append(draw.choice((f"  x += p->a * {draw.randint(2, 99)};", f"  if (x > {j}) p->b ^= x << {j}; else x--;",
                                      f"  for (int i = 0; i < {j + 1}; ++i) x = x * 31 + i;", '  p->a = sizeof "text" + x;',
                                      f"  switch (x & 3) {{ case 0: x = {j}; break; default: p->b++; }}",
                                      f"  x = {f'f{draw.randrange(i)}(x, p)' if i else 'x'} - p->b;  /* call */")))
        lines += ["  return x;", "}"]
    return "\n".join([*lines, f"long last(struct pair *p) {{ return f{functions - 1}(1, p); }}", ""])


def text_for_bzip2(size):
    draw = random.Random(size)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(3000)]
    mixed = bytearray()
    while len(mixed) < size:
        mixed += " ".join(draw.choices(words, k=500)).encode() + draw.randbytes(300)
    return bytes(mixed[:size])


def lua_sources(lua):
    """The sources of the interpreter in this folder, complete."""
    (lua / "src" / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH ""\n')  # debian/rules makes it
    return sorted(str(each) for each in (lua / "src").glob("*.c") if each.name != "luac.c")


def programs(scratch):
    """{name: (folder of the source, sources and options for the compiler, training arguments, arguments to measure)}"""
    tcc, bzip2, lua = fetch(scratch, ("tcc", "bzip2", "lua5.4"))
    run("./configure", "--cc=clang-19", cwd=tcc)
    made = {}
    for name, functions, size in (("train", 1500, 400_000), ("test", 20_000, 3_000_000)):
        (scratch / f"{name}.c").write_text(source_for_tcc(functions))
        (scratch / f"{name}.text").write_bytes(text_for_bzip2(size))
        made[name] = {"tcc": ["-c", f"{scratch}/{name}.c", "-o", f"{scratch}/{name}.o"],
                      "bzip2": ["-kc", f"{scratch}/{name}.text"]}
    (scratch / "work.lua").write_text(SCRIPT)
    return {"tcc": (tcc, ["-DONE_SOURCE=1", "-I.", "tcc.c", "-ldl", "-lm", "-lpthread"], made["train"]["tcc"],
                    made["test"]["tcc"]),
            "bzip2": (bzip2, [f"{each}.c" for each in BZIP2], made["train"]["bzip2"], made["test"]["bzip2"]),
            # BOLT 19 can't move code with computed gotos: lua has a switch instead.
            "lua": (lua, ["-DLUA_USE_POSIX", "-DLUA_USE_JUMPTABLE=0", *lua_sources(lua), "-lm"], [f"{scratch}/work.lua", "15000"],
                    [f"{scratch}/work.lua", "100000"])}


class Variants:
    """The optimised variants of a program, in a folder of their own."""

    def __init__(self, tacho, scratch, name, folder, sources, training):
        self.tacho, self.folder, self.sources, self.training = tacho, folder, sources, training
        self.out = scratch / f"{name}-variants"
        self.out.mkdir()
        self.plain = self.compile("plain")
        self.file = self.record(self.plain)

    def compile(self, name, *options):
        program = self.out / name
        run("clang-19", "-w", "-O2", "-gdwarf-4", "-fdebug-info-for-profiling", "-Wl,-q", *options, *self.sources, "-o", program,
            cwd=self.folder)
        return program

    def record(self, program):
        file = self.out / f"{program.name}.data"
        run(self.tacho, "record", "-q", "--pmu", "simulated:skylake", "-b", "-e", "branches", "-c", PERIOD, "-o", file, "--",
            program, *self.training)
        return file

    def taken(self, program):
        """How many of the sampled branches the program takes with the training input."""
        bodies = [body for kind, _, body in perf_data.records(self.record(program)) if kind == perf_data.SAMPLE]
        return sum(body[:8] == body[40:48] for body in bodies)  # the newest branch is the sampled one

    def bolt(self):
        data = self.out / "bolt.fdata"
        run(PERF2BOLT, "-p", self.file, "-o", data, self.plain)
        run("llvm-bolt-19", self.plain, "-o", self.out / "bolt", f"-data={data}", "-reorder-blocks=ext-tsp",
            "-reorder-functions=hfsort", "-split-functions", "-split-all-cold")
        return self.out / "bolt"

    def profgen(self):
        run("llvm-profgen-19", f"--perfdata={self.file}", f"--binary={self.plain}", f"--output={self.out}/profgen.prof")
        return self.compile("profgen", f"-fprofile-sample-use={self.out}/profgen.prof")

    def autofdo(self):
        # autofdo 0.19 garbles the names of inlined functions.
        recorded = self.compile("recorded", "-fno-inline")
        run("create_llvm_prof", f"--binary={recorded}", f"--profile={self.record(recorded)}", "--format=text",
            f"--out={self.out}/autofdo.prof")
        return self.compile("autofdo", f"-fprofile-sample-use={self.out}/autofdo.prof")

    def instrumented(self):
        """What clang's own instrumentation gains with the same training: a measure for the others."""
        program = self.compile("counting", "-fprofile-instr-generate")
        run(program, *self.training, LLVM_PROFILE_FILE=str(self.out / "raw"))
        run("llvm-profdata-19", "merge", self.out / "raw", "-o", self.out / "instrumented.prof")
        return self.compile("instrumented", f"-fprofile-instr-use={self.out}/instrumented.prof")

    def all(self):
        same = shutil.copy(self.plain, self.out / "same")
        return {"plain": self.plain, "same": pathlib.Path(same), "BOLT": self.bolt(), "llvm-profgen": self.profgen(),
                "autofdo": self.autofdo(), "instrumented": self.instrumented()}


def measure(name, variants, training_variants, arguments, rounds):
    results = {way: run(program, *arguments) for way, program in variants.items()}
    if len(set(results.values())) != 1:
        sys.exit(f"{name}: the variants print different results")
    times = in_turn({way: [str(program), *arguments] for way, program in variants.items()}, rounds)
    plain_taken = training_variants.taken(variants["plain"])
    for way, program in variants.items():
        if way == "plain":
            continue
        gains = [100 * (1 - new[1] / old[1]) for new, old in zip(times[way], times["plain"])]
        median, low, high = median_and_interval(gains)
        taken = 100 * (training_variants.taken(program) / plain_taken - 1)
        print(f"| {name} | {way} | {taken:+.1f} % | {median:+.1f} % | {low:+.1f} to {high:+.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", choices=("tcc", "bzip2", "lua"), help="measure one program")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path, help="a new folder for all files; it is kept")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build" / "release"))
    given = parser.parse_args()
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}. apt-get install clang-19 llvm-19 bolt-19 autofdo linux-perf dpkg-dev")
    with tempfile.TemporaryDirectory() as name:
        scratch = given.keep or pathlib.Path(name)
        scratch.mkdir(exist_ok=True)
        print(f"CPU seconds of {given.rounds} rounds\n\n| program | way | taken branches | gain | 95 % interval |")
        print("| --- " * 5 + "|", flush=True)
        for program, (folder, sources, training, arguments) in programs(scratch).items():
            if given.only not in (None, program):
                continue
            made = Variants(f"{given.build}/bin/tacho", scratch, program, folder, sources, training)
            measure(program, made.all(), made, arguments, given.rounds)


if __name__ == "__main__":
    main()
