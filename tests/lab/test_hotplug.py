"""CPUs go offline and come back while tacho counts: no count of theirs is lost.

Under icount QEMU has one instruction counter for both CPUs. While both run, a count can be too high, but never too low:
the lower bounds are exact.
"""
import json
import unittest

from lab_case import LabCase, event, on, on_booted, run, stopped

# User instructions of counted_loop: see counted_loop.S.
AROUND = 6
PER_WORD = 2_000_000
# Limit of all other user instructions: the shells, tacho itself, and what the second CPU adds (measured: 0.03 to 3.6
# million).
ELSE = 8_000_000
# A 64-bit difference is larger than this if the counter has decreased.
FALLEN = 2 ** 63

# Functions for the measured scripts: CPU 1 goes offline; it comes online; wait until tacho has noticed; a loop on a CPU.
WORDS = """
gone() { echo 0 >/sys/devices/system/cpu/cpu1/online; }
back() { echo 1 >/sys/devices/system/cpu/cpu1/online; }
seen() { sleep 0.2; }
loop() { taskset $1 counted_loop $(seq 2 $2); }
"""
CPU0, CPU1 = 1, 2
SCRIPT = "/tmp/measured"


def write(name, script):
    run(name, f"cat >{SCRIPT} <<'END'\n{WORDS}{script}\nEND")


def loops(*words):
    """Returns the user instructions of loops with these numbers of million iterations."""
    return sum(PER_WORD * count + AROUND for count in words)


def warning(document, *parts):
    return [each for each in document["warnings"] if all(part in each for part in parts)]


class Hotplug(LabCase):
    def setUp(self):
        self.addCleanup(on_booted, ["arm64-smp"], "echo 1 >/sys/devices/system/cpu/cpu1/online 2>/dev/null")

    def measured(self, name, arguments, script, before=":"):
        """Runs a script under `tacho stat` and returns the report."""
        write(name, script)
        return self.stat(name, f"--pmu hardware {arguments}", f"sh {SCRIPT}", before=before)

    def assert_holds(self, count, least, beyond=ELSE):
        self.assertGreaterEqual(count, least)
        self.assertLess(count, least + beyond)

    @on("arm64-smp")
    def test_what_a_cpu_counted_stays_and_it_counts_when_it_is_back(self, name):
        for events in ("instructions:u", "instructions:u,cycles,branches", "{cpu-clock,page-faults,instructions:u,cycles}"):
            document = self.measured(name, f"-a -e '{events}'",
                                     f"loop {CPU1} 20; gone; loop {CPU0} 10; back; seen; loop {CPU1} 30")
            self.assert_holds(event(document, "instructions:u")["count"], loops(20, 10, 30))
            self.assertTrue(warning(document, "CPU 1 went offline and came back during the run: not counted for up to "),
                            document["warnings"])

    @on("arm64-smp")
    def test_nothing_is_lost_however_often_it_goes(self, name):
        document = self.measured(name, "-a -e instructions:u,page-faults",
                                 f"for i in 1 2 3 4 5; do loop {CPU1} 5; gone; loop {CPU0} 5; back; seen; done")
        self.assert_holds(event(document, "instructions:u")["count"], 5 * loops(5, 5))
        self.assertEqual(len(warning(document, "CPU 1 ")), 1, document["warnings"])

    @on("arm64-smp")
    def test_cycles_agree_with_the_kernels_clock(self, name):
        # Cycles are the board's nanoseconds. Both stop while a CPU is offline. Measured: a difference of 0.01 %.
        document = self.measured(name, "-a -e cycles,cpu-clock", "sleep 0.3; gone; sleep 0.3; back; sleep 0.3")
        cycles, clock = event(document, "cycles")["count"], event(document, "cpu-clock")["count"]
        self.assertAlmostEqual(cycles, clock, delta=0.005 * clock)
        elapsed = document["elapsed_s"] * 1e9
        self.assertGreater(clock, elapsed * 1.2, "CPU 1 was there for two thirds of the time")
        self.assertLess(clock, elapsed * 2 - 0.1e9)

    @on("arm64-smp")
    def test_a_cpu_that_is_back_before_tacho_looks_is_noticed(self, name):
        # The list of CPUs is the same as before, as after a suspend. $PPID is tacho.
        for events in ("instructions:u", "instructions:u,cycles,branches"):
            document = self.measured(name, f"-a -e {events}", f"loop {CPU1} 5; kill -STOP $PPID; gone; back;"
                                                              f" kill -CONT $PPID; seen; loop {CPU1} 20")
            self.assert_holds(event(document, "instructions:u")["count"], loops(5, 20))
            self.assertTrue(warning(document, "CPU 1 went offline and came back"), document["warnings"])

    @on("arm64-smp")
    def test_a_cpu_that_stays_away_keeps_its_counts(self, name):
        document = self.measured(name, "-a -e instructions:u,cycles", f"loop {CPU1} 20; gone; loop {CPU0} 5")
        self.assert_holds(event(document, "instructions:u")["count"], loops(20, 5))
        self.assertTrue(warning(document, "CPU 1 went offline during the run: counted up to then"), document["warnings"])

    @on("arm64-smp")
    def test_a_cpu_that_was_offline_is_counted_from_its_coming(self, name):
        offline = "echo 0 >/sys/devices/system/cpu/cpu1/online"
        document = self.measured(name, "-a -e instructions:u,cycles", f"loop {CPU0} 5; back; seen; loop {CPU1} 20",
                                 before=offline)
        self.assert_holds(event(document, "instructions:u")["count"], loops(5, 20))
        self.assertTrue(warning(document, "CPU 1 came online during the run: not counted for up to "),
                        document["warnings"])

    @on("arm64-smp")
    def test_sets_that_take_turns_go_on(self, name):
        script = "for i in 1 2 3; do gone; sleep 0.05; back; sleep 0.05; done"
        document = self.measured(name, "-a --counters 1 -e cycles,instructions,instructions:u,cpu-clock"
                                       " --series /tmp/series", script)
        header, *periods, end = map(json.loads, run(name, "cat /tmp/series").stdout.splitlines())
        self.assertEqual(header["sets"], 3)
        self.assertEqual(len(periods), document["periods"])
        for period in periods:
            for number in (period["reference"], period["reference_total"], *period["counts"], *period["always"]):
                self.assertLess(number, FALLEN)
        total = sum(period["reference_total"] for period in periods)
        cycles = event(document, "cycles")["count"]
        self.assertEqual(end["end"]["reference_total"], cycles)
        self.assertAlmostEqual(total, cycles, delta=0.02 * cycles)
        self.assertFalse(warning(document, "incomplete"))
        # cpu-clock's truth is the reference itself: cycles are nanoseconds on this board.
        clock = event(document, "cpu-clock")
        self.assertAlmostEqual(clock["estimate"], cycles, delta=max(clock["ci95"] or 0, 0.05 * cycles))

    @on("arm64-smp")
    def test_intervals_add_up_to_the_whole(self, name):
        write(name, f"loop {CPU1} 20; gone; loop {CPU0} 20; back; seen; loop {CPU1} 20")
        result = run(name, "tacho stat --pmu hardware --json -o /tmp/report -a -I 40 -e instructions:u,cycles --"
                           f" sh {SCRIPT}; cat /tmp/report")
        documents, rest = [], result.stdout
        while rest:
            document, end = json.JSONDecoder().raw_decode(rest)
            documents.append(document)
            rest = rest[end:].lstrip()
        *intervals, whole = documents
        self.assertGreater(len(intervals), 5)
        for each in ("instructions:u", "cycles"):
            counts = [event(interval, each)["count"] for interval in intervals]
            total = event(whole, each)["count"]
            self.assertLess(max(counts), FALLEN)
            # The last read is later than the end of the last interval; in between, tacho itself runs.
            self.assertAlmostEqual(sum(counts), total, delta=0.01 * total)
        self.assert_holds(event(whole, "instructions:u")["count"], loops(20, 20, 20))

    @on("arm64-smp")
    def test_a_task_is_counted_wherever_it_runs(self, name):
        toggling = ("rm -f /tmp/toggled; (for i in 1 2 3; do sleep 0.05; echo 0 >/sys/devices/system/cpu/cpu1/online;"
                    " sleep 0.05; echo 1 >/sys/devices/system/cpu/cpu1/online; done; echo >/tmp/toggled) &")
        # taskset fails while CPU 1 is offline.
        toggled = "until [ -e /tmp/toggled ]; do sleep 0.01; done"
        words = " ".join(["x"] * 199)
        document = self.stat(name, "--pmu hardware -e instructions:u,task-clock", f"counted_loop {words}",
                             before=toggling)
        self.assert_holds(event(document, "instructions:u")["count"], loops(200))
        document = self.stat(name, "--pmu hardware -e instructions:u,task-clock -p $(cat /tmp/pid)",
                             "sh -c 'kill -CONT $(cat /tmp/pid); sleep 2'",
                             before=f"{toggled}\n{stopped(f'counted_loop {words}', f'taskset {CPU1} sh -c')}\n{toggling}")
        self.assert_holds(event(document, "instructions:u")["count"], loops(200))


if __name__ == "__main__":
    unittest.main()
