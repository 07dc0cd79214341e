"""tacho blocks on the simulated experiment of docs/how-to/time-straight-line-code.md: the cycles of foo, compared with
the latencies of a Skylake that waits for each load. The real one overlaps misses, so its modes are no latencies."""
import os
import pathlib
import platform
import re
import shutil
import stat
import tempfile
import tomllib
import unittest
import xml.etree.ElementTree

from tacho_cli import SOURCE, example, needs_simulator, run

TEXT = (SOURCE / "data" / "models" / "skylake.toml").read_text()
MODEL = tomllib.loads(TEXT)
WIDTH = MODEL["core"]["issue_width"]
FOO = 132 / WIDTH  # cycles of its instructions; it has 128 NOPs, two loads, a xor and a ret
BYTES, CALLS = 16 << 20, 400000  # twice the model's last cache, often enough to fill it

needs_analyser = unittest.skipUnless(
    shutil.which("llvm-mca-19") or shutil.which("llvm-mca"),
    "llvm-mca is not installed (Debian: llvm-19)")


def miss(latency):
    """Cycles of the first load, with a page walk, and of the second one, whose address the first one has loaded."""
    return latency + MODEL["walk"]["latency"] + MODEL["l1d"]["latency"] + 1


@needs_simulator
@unittest.skipUnless(platform.machine() == "x86_64", "the model and its counts of instructions are of x86-64")
class BlocksExperiment(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = pathlib.Path(scratch.name)
        model = cls.directory / "skylake.toml"
        model.write_text(re.sub(r"instructions = \d+", "instructions = 1", TEXT, count=1))
        for name, option in (("plain", []), ("prefetch", ["--prefetch"]), ("floor", ["--no-loads"])):
            result = run("record", "-q", "--pmu", f"simulated:{model}", "-b", "-e", "cycles", "-c", "49999",
                         "-o", cls.file(name), "--", example("random-loads"), *option, str(BYTES), str(CALLS),
                         timeout=300)
            assert result.code == 0, result.stderr

    @classmethod
    def file(cls, name):
        return str(cls.directory / f"{name}.data")

    def blocks(self, name, function, *args, **kwargs):
        result = run("blocks", "-i", self.file(name), "--function", function, *args, **kwargs)
        self.assertEqual(result.code, 0, result.stderr)
        return result

    def explanation(self, name, **kwargs):
        return self.blocks(name, "foo", "--json", **kwargs).json()["explanations"][0]

    def test_without_loads_every_execution_takes_as_long_as_four_instructions_a_cycle(self):
        (only,) = self.blocks("floor", "foo_without_loads", "--json").json()["runs"]
        count = only["cycles"]["count"]
        self.assertGreater(count, 500)
        at_floor = sum(n for cycles, n in only["cycles"]["histogram"] if cycles in (32, 33))  # 130 / 4 = 32.5
        self.assertGreaterEqual(at_floor, 0.99 * count)

    def test_with_loads_there_is_a_mode_at_each_latency_of_the_model(self):
        modes = {round(mode["cycles"]): mode for mode in self.explanation("plain")["modes"]}
        third = FOO + miss(MODEL["l3"]["latency"])
        memory = FOO + miss(MODEL["memory"]["latency"])
        for expected in (third, memory):
            found = min(modes, key=lambda cycles: abs(cycles - expected))
            self.assertLessEqual(abs(found - expected), 1, modes)
        # The last cache holds 8 of 16 MB: half of the loads hit, and fewer while it fills. With and without a page walk.
        share = sum(mode["share"] for cycles, mode in modes.items() if cycles > (third + memory) / 2)
        self.assertGreater(share, 0.45)
        self.assertLess(share, 0.75)

    @needs_analyser
    def test_the_window_is_the_nops_and_the_miss_is_the_models(self):
        it = self.explanation("plain")
        self.assertEqual((it["core"], it["simulated"], it["floor"]["basis"]), ("Skylake", True, "llvm-mca"))
        self.assertEqual(it["window"]["instructions"], 128)
        self.assertAlmostEqual(it["window"]["cost"]["cycles"], 128 / WIDTH, delta=0.5)
        self.assertAlmostEqual(it["window"]["extra_cycles"], miss(MODEL["memory"]["latency"]), delta=2)
        self.assertRegex(it["load"], r"\(%rdi, ?%rsi\)")

    def test_equal_nops_are_one_line_and_every_chain_was_seen(self):
        text = self.blocks("plain", "foo").stdout
        self.assertRegex(text, r"(?m)^ \+ +[0-9a-f]+ +nopl .* 128 times, to [0-9a-f]+$")
        self.assertEqual(len(re.findall(r"(?m) nopl ", text)), 1)
        whole = run("blocks", "-i", self.file("plain"), "--json").json()
        for each in whole["chains"] + whole["loops"]:
            self.assertGreater(each["count"], 1)

    def test_the_prefetch_moves_the_modes_by_the_work_that_hides_it(self):
        (it,) = self.blocks("plain", "foo", "--compare", self.file("prefetch"), "--json").json()["runs"]
        work = 130 / WIDTH  # the call that follows the prefetch, the NOPs, the load
        before = [mode["cycles"] for mode in it["before"]["modes"]]
        memory = min(range(len(before)),
                     key=lambda i: abs(before[i] - FOO - miss(MODEL["memory"]["latency"])))
        (moved,) = [shift["moved"] for shift in it["modes"] if shift["before"] == memory]
        self.assertAlmostEqual(moved["value"], -work, delta=1.5)
        self.assertLess(moved["ci95"][1], -work + 3)
        self.assertAlmostEqual(it["median_moved"]["value"], -work, delta=1.5)
        # No load waits longer than before, not even one of two lines of which one was prefetched.
        self.assertLess(max(mode["cycles"] for mode in it["after"]["modes"]), max(before))

    def test_both_are_reported_and_drawn_beside_each_other(self):
        picture = self.directory / "both.svg"
        result = self.blocks("plain", "foo", "--compare", self.file("prefetch"),
                             *(["--plot", picture] if shutil.which("gnuplot") else []))
        self.assertRegex(result.stdout, r"foo\+0x0 in random-loads: \d+ executions before, \d+ executions after")
        self.assertRegex(result.stdout, r"median +2\d\d → 2\d\d: -3\d\.\d cycles")
        self.assertIn("simulated skylake", result.stdout)
        if shutil.which("gnuplot"):
            drawn = "".join(xml.etree.ElementTree.parse(picture).getroot().itertext())
            for title in ("plain.data", "prefetch.data", "latency (cycles)"):
                self.assertIn(title, drawn)

    def test_without_the_analyser_the_width_is_used_and_a_line_says_what_to_install(self):
        result = self.blocks("plain", "foo", "--json", env={"PATH": str(self.directory)})
        self.assertRegex(result.stderr, r"Debian: llvm-19")
        it = result.json()["explanations"][0]
        self.assertEqual((it["floor"]["basis"], it["floor"]["cycles"]), ("width", FOO))

    def test_an_analyser_with_unknown_output_is_not_believed(self):
        folder = self.directory / "nonsense"
        folder.mkdir()
        fake = folder / "llvm-mca-19"
        fake.write_text("#!/bin/sh\necho 'Total Cycles: 7'\n")
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        result = self.blocks("plain", "foo", "--json", env={"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertRegex(result.stderr, r"tacho does not understand the output of")
        self.assertIsNone(result.json()["explanations"][0]["analysed_cycles"])

    def test_says_which_runs_cannot_be_compared_or_drawn(self):
        floor = self.blocks("plain", "foo", "--compare", self.file("floor"), "--json").json()
        self.assertEqual((floor["runs"], floor["missing"]), ([], ["foo+0x0"]))
        for args, error in ((("--compare", str(self.directory / "none")), "none"),
                            (("--plot", "picture.gif"), "neither .svg nor .png"),
                            (("--compare", self.file("floor"), "--csv"), "--csv")):
            result = run("blocks", "-i", self.file("plain"), "--function", "foo", *args)
            self.assertEqual(result.code, 125)
            self.assertIn(error, result.stderr)


if __name__ == "__main__":
    unittest.main()
