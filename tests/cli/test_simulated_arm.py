"""tacho stat --pmu simulated with programs for ARM, on an x86-64 machine: counts of programs whose counts are known,
counts compared with QEMU's own, and with those of x86-64 code; processes, threads, ends."""
import os
import pathlib
import shutil
import subprocess
import unittest

from arm_programs import A32, A64, HERE, T32, TARGETS, needs_arm, true_counts
from tacho_cli import SOURCE, Scratch, event, example, needs_simulator, run, stat_json

N = 0xC000  # iterations: an immediate of every kind of code


def of(target, narrow, wide):
    return wide if target.wide else narrow


def loop(target, *body, before=()):
    """N times the body, which must not change r0."""
    r0 = of(target, "r0", "x0")
    return (*before, f"mov {r0}, #{N}", "again:", *body, f"subs {r0}, {r0}, #1", "bne again")


def to_data(target):
    return of(target, ("ldr r2, =data",), ("adrp x2, data",))


class Arm(Scratch):
    def simulate(self, *command, events, model="arm1176", code=0):
        result, document = stat_json(self.directory, "--pmu", f"simulated:{model}", "-e", ",".join(events), "--", *command,
                                     timeout=120)
        self.assertEqual(result.code, code, result.stderr)
        self.document = document
        return {name: event(document, name)["count"] for name in events}

    def counts(self, target, body, *events, model="arm1176"):
        return self.simulate(target.assemble(self.directory, body), events=events, model=model)


@needs_arm
@needs_simulator
class Known(Arm):
    def test_instructions_and_branches_of_a_loop(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                counts = self.counts(target, loop(target, "nop"), "instructions", "branches", "branch-misses", "loads", "stores")
                self.assertEqual(counts["instructions"], 1 + 3 * N + 3)
                self.assertEqual(counts["branches"], N)
                self.assertLess(counts["branch-misses"], 5)
                self.assertEqual((counts["loads"], counts["stores"]), (0, 0))

    def test_loads_and_stores_that_miss_each_line(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                for body, kind, extra in ((of(target, "ldr r1, [r2], #32", "ldr x1, [x2], #32"), "load", 1 - target.wide),
                                          (of(target, "str r1, [r2], #32", "str x1, [x2], #32"), "store", 0)):
                    literal = 1 - target.wide  # the address of the data
                    counts = self.counts(target, loop(target, body, before=to_data(target)), "loads", "stores",
                                         "L1-dcache-load-misses", "L1-dcache-store-misses")
                    self.assertEqual(counts[kind + "s"], N + (literal if kind == "load" else 0))
                    self.assertEqual(counts[f"L1-dcache-{kind}-misses"], N + extra)

    def test_an_instruction_that_loads_several_registers_counts_once_and_reads_each_line(self):
        bodies = (("ldmia r2!, {r3-r6, r8-r11}", A32, 0), ("ldmia r2!, {r3-r6, r8-r11}", T32, 0),
                  ("ldp x3, x4, [x2], #32", A64, 0), ("ldmia r2!, {r3-r6, r8-r11}", A32, 16))
        for body, target, offset in bodies:
            with self.subTest(body, offset=offset):
                move = (of(target, f"add r2, r2, #{offset}", f"add x2, x2, #{offset}"),)
                counts = self.counts(target, loop(target, body, before=to_data(target) + move), "loads",
                                     "L1-dcache-load-misses")
                self.assertEqual(counts["loads"], N + 1 - target.wide)
                self.assertAlmostEqual(counts["L1-dcache-load-misses"], N, delta=2)

    def test_a_load_whose_condition_is_false_is_an_instruction_and_no_load(self):
        for target, skip in ((A32, ("ldrne r1, [r2]",)), (T32, ("it ne", "ldrne r1, [r2]"))):
            with self.subTest(skip):
                counts = self.counts(target, loop(target, "tst r0, #1", *skip, before=to_data(target)), "instructions",
                                     "loads", "branches")
                self.assertEqual(counts["loads"], N // 2 + 1)
                self.assertEqual(counts["instructions"], 2 + (3 + len(skip)) * N + 3)
                self.assertEqual(counts["branches"], N)

    def test_calls_and_returns_are_predicted(self):
        plain = ("b start", "f: ", "nop", of(A64, "", "ret"), "start:")
        for target, function in ((A32, ("tst r0, #1", "bxne lr", "bx lr")), (T32, ("tst r0, #1", "it ne", "bxne lr", "bx lr")),
                                 (T32, ("push {r4, lr}", "pop {r4, pc}")), (A64, plain[2:4])):
            with self.subTest(function):
                body = loop(target, "bl f", before=("b start", "f:", *function, "start:"))
                counts = self.counts(target, body, "branches", "branch-misses")
                conditional = N // 2 if "bxne lr" in function else 0
                self.assertEqual(counts["branches"], 1 + 3 * N + conditional)
                self.assertLess(counts["branch-misses"], 10)

    def test_an_in_order_core_waits_for_operands(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                bodies = ((of(target, "mul r1, r3, r1", "mul x1, x1, x3"), 4), (of(target, "vadd.f64 d0, d0, d1", "fadd d0, d0, d1"), 8))
                for operation, latency in bodies:  # of the model arm1176
                    counts = self.counts(target, loop(target, *[operation] * 10), "cycles")
                    self.assertAlmostEqual(counts["cycles"] / N, 9 * latency + 1 + 2, delta=0.1)

    def test_an_out_of_order_core_waits_in_loops_for_the_round_before(self):
        load = ("str {1}2, [{0}2]".format, "ldr {1}2, [{0}2]".format)
        for name, target in TARGETS.items():
            with self.subTest(name):
                r = of(target, "r", "x")
                bodies = (((f"mov {r}3, {r}4",) * 3, 5 / 3, ()), ((f"mul {r}1, {r}3, {r}1",), 3, ()),
                          ((load[1](r, r),), 4, to_data(target) + (load[0](r, r),)))
                for body, cycles, before in bodies:  # of the model cortex-a72
                    with self.subTest(body):
                        counts = self.counts(target, loop(target, *body, before=before), "cycles", model="cortex-a72")
                        self.assertAlmostEqual(counts["cycles"] / N, cycles, delta=0.1)

    def test_misses_overlap_on_an_out_of_order_core_unless_one_needs_the_other(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                r = of(target, "r", "x")
                load, step = f"ldr {r}1, [{r}2]", f"add {r}2, {r}2, #32"
                free, chained = (self.counts(target, loop(target, load, *body, step, before=to_data(target)), "cycles",
                                             model="cortex-a72")["cycles"] * 2 / N  # a line has two rounds
                                 for body in ((), (f"add {r}2, {r}2, {r}1",)))
                self.assertAlmostEqual(free, 190 / 6, delta=3)  # its memory latency, its misses at a time
                self.assertAlmostEqual(chained, 190 + 4 + 2 * 2, delta=3)


@needs_arm
@needs_simulator
class Compared(Arm):
    def test_counts_are_those_of_qemu(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                program = target.compile(HERE / "arm" / "mixed.c", self.directory / "mixed", "-static", "-lm")
                truth = true_counts(target, self.directory, program)
                counts = self.simulate(program, events=tuple(truth))
                # QEMU calls what an exclusive store compares a load.
                self.assertAlmostEqual(counts.pop("loads"), truth.pop("loads"), delta=60)
                self.assertEqual(counts, truth)

    def misses_of_product(self, program):
        """Of the product alone: those of the whole program, less those of the program without it."""
        with_product, without = (self.simulate(program, "200", *rest, events=("L1-dcache-load-misses",), model="cachegrind")
                                 for rest in ((), ("0",)))
        return with_product["L1-dcache-load-misses"] - without["L1-dcache-load-misses"]

    def test_the_matrix_products_miss_as_with_x86_code(self):
        lines = 200 * 200 * 4 // 64  # of a matrix
        for example_name in ("naive", "interchange"):
            native = self.misses_of_product(example(example_name))
            self.assertAlmostEqual(native / (200 * lines), 1, delta=0.02)  # the second matrix, once a row
            for name, target in TARGETS.items():
                with self.subTest(name, program=example_name):
                    program = self.directory / example_name
                    subprocess.run([target.compiler.replace("gcc", "g++"), *target.flags, "-O2", "-static", "-std=c++20",
                                    "-DTACHO_OFF", f"-I{SOURCE / 'include'}", "-o", program,
                                    SOURCE / "examples" / f"{example_name}.cpp"], check=True)
                    self.assertAlmostEqual(self.misses_of_product(program), native, delta=20)


PROCESSES = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void* work(void* unused) {
  for (volatile int i = 0; i < 100000; ++i) {}
  return unused;
}
int main(int argc, char** argv) {
  pthread_t other;
  if (strcmp(argv[1], "name") == 0) return puts(argv[0]) < 0;
  if (strcmp(argv[1], "abort") == 0) abort();
  if (strcmp(argv[1], "exec") == 0) return execl("/bin/true", "true", (char*)0);
  if (strcmp(argv[1], "missing") == 0) return execl("/no/such/program", "true", (char*)0), 7;
  if (strcmp(argv[1], "close") == 0) for (int i = 3; i < 70000; ++i) close(i);
  if (strcmp(argv[1], "fork") == 0) {
    if (fork() == 0) return work(0) != 0;
    wait(0);
  }
  if (strcmp(argv[1], "thread") == 0) {
    pthread_create(&other, 0, work, 0);
    pthread_join(other, 0);
  }
  work(0);
  return argc - 2;
}
"""


@needs_arm
@needs_simulator
class Processes(Arm):
    def program(self, target, *flags):
        source = self.directory / "processes.c"
        source.write_text(PROCESSES)
        return target.compile(source, self.directory / "processes", "-pthread", *flags)

    def test_children_and_threads_are_counted(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                program = self.program(target, "-static")
                one = self.simulate(program, "one", events=("branches",))["branches"]
                self.assertGreater(one, 100_000)
                for kind in ("fork", "thread"):
                    self.assertAlmostEqual(self.simulate(program, kind, events=("branches",))["branches"], one + 100_000,
                                           delta=5_000)
                    self.assertEqual(self.document["warnings"], [])

    def test_a_dynamic_program_finds_the_libraries_of_its_compiler(self):
        for name, target in TARGETS.items():
            with self.subTest(name):
                program = self.program(target)
                self.assertGreater(self.simulate(program, "one", events=("branches",))["branches"], 100_000)

    def test_name_arguments_and_status_are_the_program_s(self):
        program = pathlib.Path(self.program(A64, "-static"))
        path = {"PATH": f"{self.directory}:{os.environ['PATH']}"}
        result = run("stat", "--pmu", "simulated:arm1176", "-e", "cycles", "--", program.name, "name", env=path)
        self.assertEqual((result.code, result.stdout), (0, program.name + "\n"))
        self.simulate(program, "one", "and", "more", events=("cycles",), code=2)
        self.simulate(program, "abort", events=("cycles",), code=128 + 6)
        self.assertIn("a signal ended the workload: what it did in its last second or so", str(self.document["warnings"]))

    def test_a_program_that_closes_all_descriptors_is_counted(self):
        program = self.program(A32, "-static")
        self.assertGreater(self.simulate(program, "close", events=("branches",))["branches"], 100_000 + 69_000)

    def test_what_is_executed_in_its_place_is_not_counted_with_a_warning(self):
        program = self.program(T32, "-static")
        self.simulate(program, "exec", events=("cycles",))
        self.assertIn("another program: QEMU simulates no program that the command executes", str(self.document["warnings"]))
        self.simulate(program, "missing", events=("cycles",), code=7)
        self.assertEqual(self.document["warnings"], [])


@needs_arm
@needs_simulator
class Refused(Arm):
    def refused(self, *command, env=None, subcommand="stat"):
        result = run(subcommand, "--pmu", "simulated:arm1176", "-e", "cycles", "--", *command, env=env)
        self.assertEqual((result.code, result.stdout), (125, ""))
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
        return result.stderr

    def setUp(self):
        super().setUp()
        self.program = A32.assemble(self.directory, loop(A32, "nop"))
        self.bin = self.directory / "bin"
        self.bin.mkdir()
        (self.bin / "valgrind").symlink_to(shutil.which("valgrind"))

    def test_without_qemu(self):
        self.assertRegex(self.refused(self.program, env={"PATH": str(self.bin)}),
                         "it is a program for 32-bit ARM, and there is no 'qemu-arm' in PATH.*\n.*apt install qemu-user")

    def test_with_a_qemu_that_takes_no_plugins(self):
        qemu = self.bin / "qemu-arm"
        qemu.write_text("#!/bin/sh\necho \"qemu-arm: unknown option 'plugin'\" >&2\nexit 1\n")
        qemu.chmod(0o755)
        said = self.refused(self.program, env={"PATH": f"{self.bin}:{os.environ['PATH']}"})
        self.assertIn("unknown option 'plugin'", said)
        self.assertIn("the simulator ended before it had counted anything", said)
        self.assertIn("with plugins (Debian: apt install qemu-user)", said)

    def test_without_the_program_s_libraries(self):
        source = self.directory / "empty.c"
        source.write_text("int main() {}\n")
        program = A64.compile(source, self.directory / "dynamic", "-Wl,--dynamic-linker=/no/such/loader")
        self.assertRegex(self.refused(program), "its loader '/no/such/loader' is not here\n.*QEMU_LD_PREFIX")

    def test_a_script_for_an_interpreter_for_arm(self):
        script = self.directory / "script"
        script.write_text(f"#!{self.program}\n")
        script.chmod(0o755)
        self.assertIn(f"its interpreter '{self.program}' is a program for ARM", self.refused(script))

    def test_a_native_run_beside_the_simulation(self):
        result = run("stat", "--pmu", "simulated:arm1176", "--with-native", "--", self.program)
        self.assertEqual((result.code, result.stdout), (125, ""))
        self.assertIn(f"cannot run '{self.program}' natively: it is a program for ARM", result.stderr)

    def test_recording(self):
        self.assertIn("a program for ARM is only counted on this machine", self.refused(self.program, subcommand="record"))


if __name__ == "__main__":
    unittest.main()
