#!/usr/bin/env python3
"""Runs forty programs natively and on the simulator, and prints a table in Markdown of what runs.

    bench/simulated_programs.py [--model MODEL] [BUILD_DIR]     (default: skylake, build/release)

A program runs if its output and its exit status are those of the native run. CPU seconds are user and system time of one
run. Sources are in bench/programs. A program whose compiler or interpreter is missing here is left out, and named below
the table.
"""
import argparse
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ROOT / "bench/programs"
TIMEOUT_S = 1800

# Each row: what it is, how it is made ({s}: the sources, {o}: the folder of what is made), and its command.
C = "gcc -O2 {{s}}/{0}.c -o {{o}}/{0}"
PROGRAMS = (
    ("C", C.format("hello"), "{o}/hello"),
    ("C, static", "gcc -O2 -static {s}/hello.c -o {o}/static", "{o}/static"),
    ("C, threads and a mutex", C.format("threads") + " -pthread", "{o}/threads"),
    ("C, OpenMP", C.format("openmp") + " -fopenmp", "{o}/openmp"),
    ("C, AVX2 and FMA", C.format("avx2") + " -mavx2 -mfma", "{o}/avx2"),
    ("C, AVX-512", C.format("avx512") + " -mavx512f", "{o}/avx512"),
    ("C, code that it writes itself", C.format("self_modifying"), "{o}/self_modifying"),
    ("C, 30 GiB reserved", C.format("reserve"), "{o}/reserve 0 780000000"),
    ("C, 1 MiB at 2^46", C.format("reserve"), "{o}/reserve 400000000000 100000"),
    ("C, 100 GiB reserved", C.format("reserve"), "{o}/reserve 0 1900000000"),
    ("C, a static array of 3 GiB", C.format("large_array") + " -mcmodel=medium", "{o}/large_array"),
    ("C, setuid", "install -m 4755 {o}/hello {o}/setuid", "{o}/setuid"),
    ("C++, exceptions", "g++ -O2 {s}/exceptions.cpp -o {o}/exceptions", "{o}/exceptions"),
    ("Rust", "rustc -O {s}/words.rs -o {o}/words", "{o}/words"),
    ("Go, goroutines", "go build -o {o}/goroutines {s}/goroutines.go", "{o}/goroutines"),
    ("Node", None, "node {s}/closures.js"),
    ("Java", "javac -d {o} {s}/Words.java", "java -cp {o} Words"),
    ("Java, interpreted", "javac -d {o} {s}/Words.java", "java -Xint -cp {o} Words"),
    ("Python", None, "python3 -c 'import json; print(len(json.dumps(list(range(5000)))))'"),
    ("Perl", None, "perl -e '$n[$_ % 97] += $_ for 1..20000; print scalar(@n), qq(\\n)'"),
    ("Tcl", None, "tclsh {o}/loop.tcl"),
    ("Bash", None, "bash -c 'for ((i = 0; i < 3000; ++i)); do n=$((n + i)); done; echo $n'"),
    ("awk", None, "awk 'BEGIN {{ for (i = 0; i < 50000; ++i) n += i % 7; print n }}'"),
    ("SQLite", None, "sqlite3 :memory: 'create table t(a); insert into t select value from generate_series(1, 3000); "
                     "select sum(a) from t'"),
    ("jq", None, "jq -n '[range(3000)] | add'"),
    ("grep", None, "grep -c 7 {o}/lines"),
    ("sed", None, "sed -n '/99/p' {o}/lines"),
    ("sort, two threads", None, "sort --parallel=2 -r {o}/lines"),
    ("find", None, "find {s}"),
    ("tar", None, "tar -cf - --sort=name --mtime=@0 -C {s} ."),
    ("gzip", None, "gzip -nc {o}/lines"),
    ("xz, two threads", None, "xz -T2 -1 -c {o}/lines"),
    ("zstd", None, "zstd -qc {o}/lines"),
    ("OpenSSL", None, "openssl dgst -sha256 {o}/lines"),
    ("git", None, "git -C {s} hash-object hello.c"),
    ("make", None, "make -s -f {o}/makefile"),
    ("CMake", None, "cmake --version"),
    ("GCC", None, "gcc -O1 -S -o - {s}/hello.c"),
    ("Clang", None, "clang -O1 -S -o - {s}/hello.c"),
    ("gdb", None, "gdb --version"),
)


def inputs(folder):
    (folder / "lines").write_text("".join(f"{i * 7919 % 20011:05} line {i}\n" for i in range(20_000)))
    (folder / "loop.tcl").write_text("for {set i 0} {$i < 5000} {incr i} {incr n $i}\nputs $n\n")
    (folder / "makefile").write_text("all: a b\n\t@echo $^\na b:\n\t@echo $@\n")


def shell(command, folder):
    """Runs a command line without a shell of its own beside it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["sh", "-c", f"exec {command}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, cwd=folder, errors="backslashreplace", check=False,
                          env={**os.environ, "LC_ALL": "C", "GOCACHE": f"{folder}/go"})
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def can_be_made(make, folder):
    if make is None:
        return True
    return shutil.which(make.split()[0]) is not None and shell(make, folder)[0].returncode == 0


def version(command):
    """The first number of what `--version` prints, if the program is one of the system."""
    name = command.split()[0]
    if "/" in name:
        return ""
    told = subprocess.run([name, "version" if name == "openssl" else "--version"], stdin=subprocess.DEVNULL, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", check=False).stdout
    found = re.search(r"\d+\.\d+(\.\d+)?", told)
    return found[0] if found else ""


def status(code):
    return code if code >= 0 else 128 - code


def verdict(native, simulated):
    if (simulated.stdout, simulated.returncode) == (native.stdout, status(native.returncode)):
        return "yes" if native.returncode == 0 else f"yes: both end with {simulated.returncode}"
    error = re.search(r"tacho: error: (.*)", simulated.stderr)
    if error:
        return "no: " + re.sub(r"'[^']*/", "'", error[1])
    return f"no: ends with {simulated.returncode} instead of {status(native.returncode)}, or other output"


def row(program, build, model, folder):
    name, _, command = program
    command = command.format(s=SOURCES, o=folder)
    native, native_cpu = shell(command, folder)
    report = folder / "report"
    report.write_text("")
    simulated, cpu = shell(f"{build}/bin/tacho stat --pmu simulated:{model} -e instructions -o {report} -- {command}", folder)
    counted = re.search(r"([\d,]+)\s+instructions", report.read_text())
    millions = f"{int(counted[1].replace(',', '')) / 1e6:.1f}" if counted else ""
    seconds = f"{cpu:.1f}" if counted else ""
    label = f"{name} {version(command)}".strip()
    return f"| {label} | {verdict(native, simulated)} | {millions} | {native_cpu:.2f} | {seconds} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="skylake")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build/release"))
    args = parser.parse_args()
    build = pathlib.Path(args.build).resolve()
    if not os.access(build / "bin/tacho", os.X_OK):
        sys.exit(f"{build}/bin/tacho is missing: run 'make build' first")
    missing = []
    print(f"{platform.machine()}, Valgrind {version('valgrind')}, model {args.model}\n")
    print("| program | runs | 10⁶ instructions | CPU s native | CPU s simulated |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        inputs(folder)
        for program in PROGRAMS:
            command = program[2].split()[0]
            if not can_be_made(program[1] and program[1].format(s=SOURCES, o=folder), folder) or (
                    "/" not in command and not shutil.which(command)):
                missing.append(program[0])
                continue
            print(row(program, build, args.model, folder), flush=True)
    if missing:
        print(f"\nNot here: {', '.join(missing)}.")


if __name__ == "__main__":
    main()
