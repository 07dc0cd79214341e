"""Models of processors and their events in `tacho list --pmu simulated`."""
import json
import unittest

from tacho_cli import SOURCE, TACHO, Scratch, needs_simulator, run, sanitized

SHIPPED = sorted(path.stem for path in (SOURCE / "data" / "models").glob("*.toml"))


class Models(Scratch):
    def listing(self, pmu, *args):
        result = run("list", "--pmu", pmu, "--json", *args)
        self.assertEqual((result.code, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        return {event["name"]: event for event in document["events"]}, document.get("models")

    def check_error(self, pmu, what, remedy):
        result = run("list", "--pmu", pmu, cwd=self.directory)
        self.assertEqual((result.code, result.stdout), (125, ""), result.stderr)
        error, _, rest = result.stderr.partition("\n")
        self.assertIn(what, error)
        self.assertIn(remedy, rest)

    def test_every_event_and_every_model_has_a_description(self):
        events, models = self.listing("simulated")
        for event in events.values():
            self.assertEqual(event["source"], "simulated")
            self.assertNotEqual(event["description"], "")
        self.assertIn("estimated by the model", events["cycles"]["description"])
        self.assertEqual([model["name"] for model in models], ["host", *SHIPPED])
        for model in models:
            self.assertNotEqual(model["description"], "", model)

    def test_the_text_is_for_people(self):
        result = run("list", "--pmu", "simulated")
        self.assertEqual((result.code, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^branch-misses +simulated +yes +branches that ")
        self.assertRegex(result.stdout, r"(?m)^  arm1176 +ARM1176JZF-S .*Raspberry Pi 1")

    def test_a_model_lists_its_missing_events_and_the_sources_of_its_figures(self):
        events, models = self.listing("simulated:arm1176")
        self.assertFalse(events["LLC-loads"]["opens"])
        self.assertEqual(events["LLC-loads"]["reason"], "the model arm1176 has no second level of cache")
        self.assertTrue(events["main-tlb-misses"]["opens"])
        [model] = models
        for table in ("core", "l1d", "memory", "main_tlb", "branch"):
            self.assertTrue(any(source.startswith(table + ": ") for source in model["sources"]), table)
        text = run("list", "--pmu", "simulated:arm1176").stdout
        self.assertIn("no [1]", text)
        self.assertIn("[1] the model arm1176 has no second level of cache", text)

    def test_every_shipped_model_and_the_host_s_can_be_listed(self):
        for name in ("host", *SHIPPED):
            with self.subTest(name):
                events, [model] = self.listing(f"simulated:{name}")
                self.assertEqual(model["name"], name)
                self.assertTrue(events["instructions"]["opens"])

    def test_a_pattern_chooses_events(self):
        nothing = run("list", "--pmu", "simulated", "--json", "tlb*")
        self.assertEqual((nothing.code, nothing.json()["events"]), (1, []))
        self.assertNotIn("models", nothing.json())
        events, models = self.listing("simulated", "*tlb-store*")
        self.assertEqual(sorted(events), ["dTLB-store-misses", "dTLB-stores"])
        self.assertIsNone(models)
        self.assertEqual(list(self.listing("simulated", "cpu-cycles")[0]), ["cycles"])  # by its alias
        result = run("list", "--pmu", "simulated", "page-faults")
        self.assertEqual(result.code, 1)
        self.assertIn("no event's name contains 'page-faults'", result.stderr)

    def test_the_error_for_an_unknown_model_lists_the_models(self):
        for name in ("skylkae", "", "simulated", "../models/arm1176.tom"):
            with self.subTest(name):
                if "/" in name:
                    self.check_error(f"simulated:{name}", "cannot open", "check its name")
                elif name:
                    self.check_error(f"simulated:{name}", f"no model '{name}'", ", ".join(["host", *SHIPPED]))

    def test_a_user_s_model_works_by_path_and_by_name(self):
        text = (SOURCE / "data" / "models" / "arm1176.toml").read_text()
        path = self.directory / "mine.toml"
        path.write_text(text.replace('description = "', 'description = "my own: '))
        _, [model] = self.listing(f"simulated:{path}")
        self.assertEqual(model["name"], "mine")
        self.assertTrue(model["description"].startswith("my own: "))
        (self.directory / "data" / "models").mkdir(parents=True)
        path.rename(self.directory / "data" / "models" / "mine.toml")
        result = run("list", "--pmu", "simulated", env={"TACHO_DATA": str(self.directory / "data")})
        self.assertRegex(result.stdout, r"(?m)^  mine +my own: ")

    def test_the_error_for_a_wrong_model_file_has_line_and_reason(self):
        lines = (SOURCE / "data" / "models" / "skylake.toml").read_text().splitlines(keepends=True)

        def changed(before, after):
            """The number of the first line that equals `before`, and the text with that line replaced."""
            at = lines.index(before + "\n")
            return at + 1, "".join([*lines[:at], after + "\n", *lines[at + 1:]])

        for before, after, what, remedy in (
                ("issue_width = 4", "issue_widht = 4", "unknown key 'issue_widht'", "did you mean 'issue_width'"),
                ("issue_width = 4", "issue_width = 12", "'issue_width' of [core] is 12", "from 1 to 8"),
                ("issue_width = 4", "issue_width = '4'", "is not a whole number", "issue_width = 1"),
                ('size = "8M"', 'size = "8X"', "'size' of [l3] is not a number of bytes", "32K"),
                ('size = "256K"', 'size = 262145', "not a multiple of a set of 4 ways of 64 bytes", "1024 sets"),
                ("cycles_error = 9.2", 'cycles_error = "9.2"', "'cycles_error' of [accuracy] is not a number from 0 to 1000",
                 "cycles_error = 9.2"),
                ("cycles_error = 9.2", "cycles_error = -1", "is not a number from 0 to 1000", "cycles_error = 9.2"),
                ("cycles_error = 9.2", "cycles_error = nan", "is not a number from 0 to 1000", "cycles_error = 9.2"),
                ("cycles_error = 9.2", "mean = 9.2", "unknown key 'mean'", "cycles_error"),
                ("[memory]", "[memry]", "unknown key 'memry'", "did you mean 'memory'"),
                ("[memory]", "[memory", "", "")):
            with self.subTest(after):
                line, text = changed(before, after)
                (self.directory / "wrong.toml").write_text(text)
                self.check_error("simulated:./wrong.toml", f"./wrong.toml:{line}: ", remedy)
                self.check_error("simulated:./wrong.toml", what, remedy)

    def test_a_wrong_model_file_does_not_hide_the_others(self):
        (self.directory / "models").mkdir()
        (self.directory / "models" / "broken.toml").write_text("core = 1\n")
        result = run("list", "--pmu", "simulated", env={"TACHO_DATA": str(self.directory)})
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^  broken +.*broken.toml:1: ")
        self.assertRegex(result.stdout, r"(?m)^  skylake +Intel Skylake")

    def test_a_model_can_be_taken_without_its_prefetcher(self):
        _, [model] = self.listing("simulated:skylake,prefetch=off")
        self.assertEqual(model["name"], "skylake,prefetch=off")
        self.assertIn("prefetch: off, as the command says", model["sources"])
        self.check_error("simulated:skylake,prefetch=no", "no model 'skylake,prefetch=no'", "skylake")

    def test_the_build_tree_has_the_models(self):
        installed = sorted(p.stem for p in (TACHO.parent.parent / "share" / "tacho" / "models").glob("*.toml"))
        self.assertEqual(installed, SHIPPED)


# Sizes that ARM's manuals and the boards' makers publish: three quarters of each level, and several times of it.
SIZES = {
    "cortex-a8": {  # L1 32 KiB, L2 256 KiB, 32 pages
        "L1-dcache-load-misses": ("24K", "128K"),
        "l2-load-misses": ("192K", "1M"),
        "dtlb_walk": ("96K", "1M")},
    "cortex-a9": {  # L1 32 KiB, L2 1 MiB, 32 pages, 132 pages
        "L1-dcache-load-misses": ("24K", "128K"),
        "l2-load-misses": ("768K", "4M"),
        "l1d_tlb_refill": ("96K", "768K"),
        "dtlb_walk": ("384K", "4M")},
    "cortex-a76": {  # L1 64 KiB, L2 512 KiB, L3 2 MiB, 48 pages, 1280 pages
        "L1-dcache-load-misses": ("48K", "256K"),
        "l2-load-misses": ("384K", "2M"),
        "LLC-load-misses": ("1536K", "8M"),
        "l1d_tlb_refill": ("144K", "1536K"),
        "dtlb_walk": ("3840K", "20M")},
}


@needs_simulator
@unittest.skipIf(sanitized(), "the simulator runs tacho itself, which it can't with the sanitizers in it")
class PublishedSizes(Scratch):
    ACCESSES = 200_000

    def misses(self, model, events, size):
        """Of each access of a walk through a list of this size, in random order. Filling the caches counts, too."""
        result = run("stat", "--pmu", f"simulated:{model}", "--json", "-e", ",".join(events), "-o",
                     self.directory / "out.json", "--", TACHO, "latency", "--walk", f"{size},{self.ACCESSES}", timeout=300)
        self.assertEqual(result.code, 0, result.stderr)
        document = json.loads((self.directory / "out.json").read_text())
        return {event["name"]: event["count"] / self.ACCESSES for event in document["events"]}

    def test_lists_miss_where_they_outgrow_a_level_and_nowhere_else(self):
        for model, levels in SIZES.items():
            counted = {size: self.misses(model, levels, size)
                       for size in sorted({size for sizes in levels.values() for size in sizes})}
            for event, (inside, outside) in levels.items():
                with self.subTest(model=model, event=event):
                    self.assertLess(counted[inside][event], 0.03)
                    self.assertGreater(counted[outside][event], 0.75)

    def test_loads_of_the_beaglebone_black_take_as_long_as_its_manual_says(self):
        """3 cycles in L1; 8 more until a load that missed is repeated (ARM DDI 0344K, 16.4.2)."""
        result = run("latency", "--pmu", "simulated:cortex-a8", "--sizes", "16K,128K", "--json", "-o",
                     self.directory / "out.json", timeout=300)
        self.assertEqual(result.code, 0, result.stderr)
        sizes = json.loads((self.directory / "out.json").read_text())["sizes"]
        cycles = {size["bytes"] >> 10: size["cycles"] for size in sizes}
        self.assertAlmostEqual(cycles[16], 3, delta=0.1)
        self.assertAlmostEqual(cycles[128], 11, delta=0.4)  # a few lines are still in L1


if __name__ == "__main__":
    unittest.main()
