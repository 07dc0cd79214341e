#!/usr/bin/env python3
"""Measures what regions cost in three real programs. Prints a table.

    bench/instrumented_programs.py [--rounds N] [BUILD_DIR]     (default: 15 rounds, build/release)

The programs are a compiler (tcc), a compressor (bzip2) and an interpreter (lua), from Debian's sources, which the bench
fetches with apt-get. The linker puts a function of ours around one or two of their functions (--wrap): it begins a region, calls
the function, and ends the region. The ways run in turn: A B C C B A …

  off      linked with the library, and regions are off
  clock    TACHO_REGIONS=json: the ticks of each execution
  event    the same, and page faults, which are read by a system call
  trace    TACHO_REGIONS=trace: single executions, too

A cost is the median over the rounds of CPU seconds / those of the plain program in the same round, with its 95 % interval.
"wrapped" is the plain program with the functions around, without regions: what the call alone costs. "same" is the plain
program once more. "ns" is what an execution costs, from the medians: the way's seconds without those of "wrapped", over the
number of executions. With few executions it would be noise.

Needs gcc and dpkg-dev.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from pgo import BZIP2, SCRIPT, fetch, lua_sources, run, source_for_tcc, text_for_bzip2
from timing import in_turn, median_and_interval, once

ROOT = pathlib.Path(__file__).resolve().parents[1]
TCC = ("tcc", "libtcc", "tccpp", "tccgen", "tccelf", "tccasm", "tccrun", "x86_64-gen", "x86_64-link", "i386-asm")
# The functions with a region around them: result, name, parameters, arguments.
MARKED = {"tcc": [("void", "next", "void", "")],  # reads the next token
          "bzip2": [("void", "BZ2_blockSort", "void *state", "state"),
                    ("void", "BZ2_compressBlock", "void *state, unsigned char last", "state, last")],
          "lua": [("void *", "luaS_newlstr", "void *state, const char *text, size_t size", "state, text, size")]}
FEW = 10_000
MARK = """{result} __real_{name}({parameters});
{result} __wrap_{name}({parameters}) {{
  {kept}__real_{name}({arguments});
  END
  {returned}
}}
"""


def marks(functions, measured):
    """The C source of the functions around these functions."""
    text = "#include <stddef.h>\n"
    if measured:
        text += "#include <tacho/tacho.h>\n"
    for result, name, parameters, arguments in functions:
        begin = (f'static tacho_region region; if (region == 0) region = tacho_region_named("{name}");'
                 " tacho_region_begin_if_on(region);\n  ") if measured else ""
        mark = MARK.format(result=result, name=name, parameters=parameters, arguments=arguments,
                           kept=begin + ("" if result == "void" else f"{result} result = "),
                           returned="" if result == "void" else "return result;")
        text += mark.replace("END", "tacho_region_end_if_on(region);" if measured else "")
    return text


def programs(scratch):
    """{name: (folder of the source, sources and options for the compiler, arguments)}"""
    tcc, bzip2, lua = fetch(scratch, ("tcc", "bzip2", "lua5.4"))
    run("./configure", cwd=tcc)
    (scratch / "input.c").write_text(source_for_tcc(15_000))
    (scratch / "input.text").write_bytes(text_for_bzip2(3_000_000))
    (scratch / "input.lua").write_text(SCRIPT)
    return {"tcc": (tcc, ["-DONE_SOURCE=0", "-I.", *[f"{each}.c" for each in TCC], "-ldl", "-lm", "-lpthread"],
                    ["-c", f"{scratch}/input.c", "-o", f"{scratch}/input.o"]),
            "bzip2": (bzip2, [f"{each}.c" for each in BZIP2], ["-kc", f"{scratch}/input.text"]),
            "lua": (lua, ["-DLUA_USE_POSIX", *lua_sources(lua), "-lm"], [f"{scratch}/input.lua", "60000"])}


def build(library, folder, name, sources, out):
    """The program: as it is, with functions of ours around, and with regions."""
    made = {}
    wraps = [f"-Wl,--wrap={function}" for _, function, _, _ in MARKED[name]]
    for way, measured, options in (("plain", None, []), ("wrapped", False, wraps), ("regions", True, wraps)):
        made[way] = out / way
        more = []
        if measured is not None:
            (out / f"{way}.c").write_text(marks(MARKED[name], measured))
            more = [out / f"{way}.c"]
        if measured:
            more += ["-I", ROOT / "include", library, f"-Wl,-rpath,{library.parent}"]
        run("gcc", "-w", "-O2", *sources, *more, *options, "-o", made[way], cwd=folder)
    return made


def executions(program, arguments):
    """The executions of all regions in one run."""
    done = subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
                          env=os.environ | {"TACHO_REGIONS": "json"})
    return sum(region["executions"] for region in json.loads(done.stderr.splitlines()[-1])["regions"])


def measure(name, made, arguments, rounds, scratch):
    regions = {"off": {}, "clock": {"TACHO_REGIONS": "json:/dev/null"},
               "event": {"TACHO_REGIONS": "json:/dev/null", "TACHO_REGIONS_EVENTS": "page-faults"},
               "trace": {"TACHO_REGIONS": f"trace:{scratch}/%p.trace"}}
    ways = {way: (made[program], {}) for way, program in (("plain", "plain"), ("same", "plain"), ("wrapped", "wrapped"))}
    ways |= {way: (made["regions"], environment) for way, environment in regions.items()}

    def cpu_seconds(command):
        program, environment = command
        return once([str(program), *arguments], **environment)[1]

    count = executions(made["regions"], arguments)
    found = in_turn(ways, rounds, cpu_seconds)
    medians = {way: statistics.median(seconds) for way, seconds in found.items()}
    for way, seconds in found.items():
        if way == "plain":
            continue
        ratio, low, high = median_and_interval([each / plain for each, plain in zip(seconds, found["plain"])])
        cost = f"{1e9 * (medians[way] - medians['wrapped']) / count:.1f}" if way in regions and count > FEW else "-"
        print(f"| {name} | {count} | {medians['plain']:.3f} | {way} | {ratio:.3f} | {low:.3f} to {high:.3f} | {cost} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build" / "release"))
    given = parser.parse_args()
    library = pathlib.Path(given.build).resolve() / "include" / "libtacho.so.0"
    if not library.exists():
        sys.exit(f"{library} is missing: make build")
    print(f"CPU seconds of {given.rounds} rounds\n\n| program | executions | plain, s | way | ratio | 95 % interval | ns |")
    print("| --- " * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        for program, (folder, sources, arguments) in programs(scratch).items():
            out = scratch / f"{program}-ways"
            out.mkdir()
            measure(program, build(library, folder, program, sources, out), arguments, given.rounds, scratch)


if __name__ == "__main__":
    main()
