"""tacho latency works on every board, with the board's clock, pages and limits. QEMU emulates neither caches nor their
latencies, so no figure is compared with a processor's."""
import json
import unittest

from lab_case import BOARDS, LOADED, UNLOADED, LabCase, access, on, run

FEW = "--sizes 4K,64K,1M --pages small"


class Latency(LabCase):
    def latency(self, name, arguments, before=":"):
        result = run(name, f"{before}\ntacho latency --json {arguments}")
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)

    @on(*BOARDS)
    def test_every_board_measures_the_sizes_that_it_is_asked_for(self, name):
        document = self.latency(name, FEW)
        self.assertEqual([size["bytes"] for size in document["sizes"]], [4 << 10, 64 << 10, 1 << 20])
        for size in document["sizes"]:
            self.assertEqual(size["page_bytes"], 4096)
            self.assertGreater(size["samples"], 0)
        self.assertGreater(document["tick_hz"], 1e6)

    @on(*BOARDS)
    def test_the_text_says_what_a_step_of_the_clock_is(self, name):
        result = run(name, f"tacho latency {FEW}")
        self.assertEqual(result.code, 0, result.stderr)
        # In an emulator the clock rate may have changed during all three sizes. Then no size gives the core's clock.
        text = " ".join(result.stdout.split())
        self.assertRegex(text, r"(CNTVCT|CLOCK_MONOTONIC|cycle counter).*"
                               r"(cycles per tick|like(, which advances by [\d.]+ ticks at a time)?\. A pair)")
        self.assertRegex(text, "the core runs at|the core's clock is unknown, because all lists were disturbed")
        self.assertIn("trust", result.stdout)

    @on("arm64-nopmu", "armv6")
    def test_the_usual_largest_list_leaves_the_board_alive(self, name):
        """The default is a quarter of the free memory. On a board with little memory there is no kill and no error."""
        result = run(name, "free=$(awk '/MemAvailable/ {print $2}' /proc/meminfo)\necho $((free / 4))\n"
                           "tacho latency --csv --pages small >/tmp/table; code=$?\n"
                           "awk -F, '$1 == \"size\" && $3 > most {most = $3} END {print int(most / 1024)}' /tmp/table\n"
                           "exit $code", limit=300)
        self.assertEqual(result.code, 0, result.stderr)
        quarter, largest = map(int, result.stdout.split())
        self.assertLessEqual(largest, quarter * 1.05)
        self.assertGreaterEqual(largest, quarter / 2 if quarter < 60_000 else 60_000)

    @on("arm64", "armv7")
    def test_with_the_module_the_cycle_counter_times(self, name):
        document = self.latency(name, FEW, before=LOADED)
        self.assertEqual(document["clock"], "the core's cycle counter")
        for size in document["sizes"]:
            self.assertGreater(size["cycles"], 0)

    @on("arm64")
    def test_where_the_kernel_lets_user_space_read_it_the_cycle_counter_times(self, name):
        ns = []
        for level, clock in ((0, "CNTVCT"), (1, "the core's cycle counter")):
            document = self.latency(name, FEW, before=f"{UNLOADED}\n{access(level)}")
            self.assertTrue(document["clock"].startswith(clock), document["clock"])
            ns.append([size["ns"] for size in document["sizes"]])
        # An emulator has no real cycles, but each instruction takes the same time. So both clocks give the same latency.
        for by_ticks, by_cycles in zip(*ns):
            self.assertAlmostEqual(by_cycles / by_ticks, 1, delta=0.2)

    @on("arm64-smp", "armv7-smp", "raspi2b")
    def test_cores_are_a_matrix(self, name):
        cores = self.latency(name, "--cores")["cores"]
        count = BOARDS[name].cpus
        self.assertEqual(cores["rows"], list(range(count)))
        for row, times in enumerate(cores["ns"]):
            for column, ns in enumerate(times):
                self.assertEqual(ns is None, row == column)

    @on("arm64-smp")
    def test_nodes_are_a_matrix(self, name):
        for level in (0, 1):  # with either clock; in an emulator all nodes are equally near
            document = self.latency(name, "--sizes 64K --pages small", before=access(level))
            nodes = document["nodes"]
            self.assertEqual((nodes["rows"], nodes["columns"]), ([0, 1], [0, 1]))
            for ns in sum(nodes["ns"], []):
                self.assertAlmostEqual(ns / document["sizes"][0]["ns"], 1, delta=0.2)

    @on("arm64-smp")
    def test_a_cpu_that_goes_offline_leaves_a_part(self, name):
        result = run(name, "cd /tmp; tacho latency --json --cpu 1 --pages small >part.json & sleep 0.2\n"
                           "echo 0 >/sys/devices/system/cpu/cpu1/online; wait $!; code=$?\n"
                           "echo 1 >/sys/devices/system/cpu/cpu1/online; cat part.json; exit $code", limit=300)
        self.assertEqual(result.code, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertTrue(document["partial"])
        self.assertTrue(any("CPU 1 went offline" in warning for warning in document["warnings"]), document["warnings"])

    @on("arm64")
    def test_no_huge_pages_is_said(self, name):
        result = run(name, "echo never >/sys/kernel/mm/transparent_hugepage/enabled; f=$?\n"
                           "tacho latency --sizes 4K --pages huge; code=$?\n"
                           "[ $f -ne 0 ] || echo madvise >/sys/kernel/mm/transparent_hugepage/enabled; exit $code")
        self.assertIn(result.code, (0, 125))
        if result.code == 125:
            self.assertIn("no huge pages: ", result.stderr)
            self.assertIn("--pages small", result.stderr)


if __name__ == "__main__":
    unittest.main()
