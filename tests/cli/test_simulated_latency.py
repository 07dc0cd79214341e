"""tacho latency on simulated processors, whose levels are what their models say."""
import json
import re
import signal
import tomllib
import unittest

from latency_case import LatencyCase
from tacho_cli import SOURCE, needs_simulator, sanitized

# What a processor would have to have whose edges are sharp: least recently used goes first, everywhere.
SHARP = {
    "l1d": 'size = "8K"\nways = 4\nline = 32\nreplacement = "lru"\nwrite_allocate = true\nlatency = 3',
    "l2": 'size = "64K"\nways = 8\nline = 32\nreplacement = "lru"\nwrite_allocate = true\nlatency = 12',
    "memory": "latency = 80",
    "dtlb": 'entries = 16\nreplacement = "lru"',
    "main_tlb": 'entries = 128\nreplacement = "lru"\nlatency = 7',
    "walk": 'latency = 40\npage = "4K"',
}


OUT_OF_ORDER = ("cortex-a9", "cortex-a72", "cortex-a76", "skylake")


def size_of(text):
    return int(text[:-1]) << {"K": 10, "M": 20}[text[-1]]


def translation(model, size):
    """Cycles that a random load from a list adds, on average, for the page's translation."""
    pages = size / size_of(model["walk"]["page"])
    first, second = (min(1, model[key]["entries"] / pages) for key in ("dtlb", "main_tlb"))
    return (1 - second) * model["walk"]["latency"] + (second - first) * model["main_tlb"]["latency"]


@needs_simulator
@unittest.skipIf(sanitized(), "the simulator runs tacho itself, which it can't with the sanitizers in it")
class KnownTruth(LatencyCase):
    """The software PMU: its processors' levels are what their models say."""

    def simulated(self, model):
        document = self.document("--pmu", f"simulated:{model}", timeout=900)
        self.assertTrue(document["simulated"])
        self.assertEqual(document["trust"]["word"], "simulated")
        return ({tier["name"]: tier for tier in document["tiers"]}, {tier["name"]: tier for tier in document["tlb"]})

    def test_a_made_up_processor_with_sharp_edges(self):
        text = (SOURCE / "data" / "models" / "arm1176.toml").read_text()
        for name in SHARP:
            text = re.sub(rf"^\[{name}\]\n(?:[^\[\n].*\n|\n)*", "", text, flags=re.MULTILINE)
        text += "".join(f'\n[{name}]\n{body}\nsource = "made up"\n' for name, body in SHARP.items())
        model = self.directory / "sharp.toml"
        model.write_text(text)
        tiers, tlb = self.simulated(model)
        self.assertEqual(list(tiers), ["L1", "L2", "memory"])
        for name, capacity, cycles in (("L1", 8 << 10, 3), ("L2", 64 << 10, 12), ("memory", None, 80)):
            with self.subTest(name):
                self.assertAlmostEqual(tiers[name]["cycles"] / cycles, 1, delta=0.05)
                if capacity:
                    self.assertAlmostEqual(tiers[name]["capacity_bytes"] / capacity, 1, delta=0.15)
        for name, entries, miss in (("L1 TLB", 16, 7), ("L2 TLB", 128, 40)):
            with self.subTest(name):
                self.assertAlmostEqual(tlb[name]["entries"] / entries, 1, delta=0.15)
                self.assertAlmostEqual(tlb[name]["miss_extra_cycles"], miss, delta=0.1 * miss + 1)

    def test_a_signal_ends_it_as_it_ends_a_measurement_of_this_machine(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                result = self.interrupted(number, "--json", "--pmu", "simulated:arm1176", when=b"simulating")
                self.assertEqual(result.code, 128 + number)
                document = json.loads(result.stdout)
                self.assertTrue(document["partial"])
                self.assertNotEqual(document["trust"]["word"], "simulated")

    def test_each_level_of_an_out_of_order_core_has_its_latency(self):
        """Loads that wait for each other. The lists are larger than the level before, and least recently used lines go
        first, so that no load hits there. The expected cycles are those of the model's file."""
        for name in OUT_OF_ORDER:
            model = tomllib.loads((SOURCE / "data" / "models" / f"{name}.toml").read_text())
            levels = [model[key] for key in ("l1d", "l2", "l3") if key in model]
            sizes = [size_of(level["size"]) for level in levels]
            lists = [sizes[0] // 2, *(3 * before for before in sizes[:-1]), 4 * sizes[-1]]
            document = self.document("--pmu", f"simulated:{name}", "--sizes", ",".join(map(str, lists)))
            self.assertEqual(document["trust"]["word"], "simulated")
            found = {size["bytes"]: size["cycles"] for size in document["sizes"]}
            for size, level in zip(lists, [*levels, model["memory"]]):
                with self.subTest(name, size=size):
                    expected = level["latency"] + translation(model, size)
                    self.assertAlmostEqual(found[size] / expected, 1, delta=0.05)  # the Cortex-A9 replaces at random

    def test_the_first_raspberry_pi(self):
        """Its caches and TLBs replace at random or in turn: edges stand where half of the loads miss, behind the size."""
        tiers, tlb = self.simulated("arm1176")
        self.assertEqual(list(tiers), ["L1", "memory"])
        self.assertAlmostEqual(tiers["L1"]["cycles"], 3, delta=0.15)
        self.assertTrue(16 << 10 <= tiers["L1"]["capacity_bytes"] <= 24 << 10, tiers["L1"])
        self.assertTrue(55 <= tiers["memory"]["cycles"] <= 65, tiers["memory"])
        reach = tlb["L2 TLB"]
        self.assertTrue(72 <= reach["entries"] <= 92, reach)
        self.assertAlmostEqual(reach["miss_extra_cycles"], 60, delta=4)


if __name__ == "__main__":
    unittest.main()
