"""The series file: all later figures can be recomputed from it, and a run that is killed leaves it
readable up to its last lines."""
import csv
import io
import itertools
import json
import math
import unittest

from estimate_oracle import estimate, half_width, progress, stolen_share
from tacho_cli import Scratch, event, example, finish, needs_kernel_counts, start, stat_json, workload

TURNED = ("--counters", "1", "--period", "4", "-e", "page-faults,context-switches,minor-faults")
WORK = ("--", workload("faults"), "1500", "0", "60")


class Series(Scratch):
    def lines(self, name="s.jsonl"):
        return [json.loads(line) for line in (self.directory / name).read_text().splitlines()]

    @needs_kernel_counts
    def test_estimates_can_be_recomputed(self):
        result, document = stat_json(self.directory, *TURNED, "--series", self.directory / "s.jsonl", *WORK)
        self.assertEqual(result.code, 0, result.stderr)
        header, *periods, last = self.lines()
        self.assertEqual((header["tacho"]["schema"], header["reference"], header["sets"]), (1, "task-clock", 3))
        self.assertEqual(header["command"], document["command"])
        self.assertEqual([p["period"] for p in periods], list(range(document["periods"])))
        self.assertEqual(last["end"]["exit"], document["exit"])
        end = last["end"]
        in_periods = sum(p["reference"] for p in periods)
        # A child that is forked during a turn may count in both sets, so that their sum is the larger:
        # then nothing but the clock tells what turning covered.
        most = end["reference_total"]
        turning = most * end["turning_s"] / end["elapsed_s"]
        doubt = (min(most - in_periods, turning) if most >= in_periods else turning) / 2
        share = stolen_share(end)
        whole = most - doubt - share * most
        doubt = math.hypot(doubt, share * most / 2)
        made = progress([p["reference"] for p in periods], 1e6 * header["period_ms"], share)
        ends = list(itertools.accumulate(made))
        for described in header["events"]:
            with self.subTest(described["name"]):
                mine = [p for p in periods if p["set"] == described["set"] and p["running_ns"] > 0
                        and (p["reference"] > 0 or any(p["counts"]))]
                counts = [p["counts"][described["slot"]] for p in mine]
                covered = sum(made[p["period"]] for p in mine)
                entry = event(document, described["name"])
                self.assertEqual(entry["count"], sum(counts))
                value, pulls, stood = estimate([(p["period"], made[p["period"]]) for p in mine], counts, ends,
                                               header["sets"], whole)
                self.assertAlmostEqual(entry["estimate"], value, delta=0.5)
                self.assertAlmostEqual(entry["share"], covered / whole, places=6)
                if sum(counts) == 0:  # what may have hidden, by the rule of three
                    interval = math.log(0.05) / math.log1p(-covered / whole)
                else:
                    # A busy machine may have left tacho without a CPU for more than three periods.
                    blind = sum(made[p["period"]] for p in periods
                                if p["set"] != described["set"] and 1e3 * p["duration_s"] > 3 * header["period_ms"])
                    interval = math.hypot(half_width(pulls, stood), 1.959964 / math.sqrt(3) * value / whole
                                          * math.hypot(doubt, blind))
                self.assertAlmostEqual(entry["ci95"] / interval, 1, places=4)
        # Every set has one period in each round, in an order of its own.
        rounds = {}
        for period in periods:
            rounds.setdefault(period["round"], []).append(period["set"])
        whole_rounds = [tuple(sets) for sets in rounds.values() if len(sets) == 3]
        self.assertGreaterEqual(len(whole_rounds), len(rounds) - 1)
        self.assertEqual({tuple(sorted(sets)) for sets in whole_rounds}, {(0, 1, 2)})
        self.assertGreater(len(set(whole_rounds)), 1)

    def test_counts_add_up_when_nothing_takes_turns(self):
        _, document = stat_json(self.directory, "-e", "page-faults,task-clock", "--series", self.directory / "s.jsonl",
                                "--period", "2", *WORK)
        header, *periods, last = self.lines()
        for described in header["events"]:
            total = sum(p["always"][described["slot"]] for p in periods)
            self.assertEqual(total, last["end"]["always"][described["slot"]])
            self.assertEqual(total * described["scale"], event(document, described["name"])["count"])
        self.assertGreater(len(periods), 5)

    @needs_kernel_counts
    def test_csv_holds_the_same(self):
        path = self.directory / "s.csv"
        _, document = stat_json(self.directory, *TURNED, "--series", path, *WORK)
        rows = list(csv.DictReader(io.StringIO("".join(
            line for line in path.read_text().splitlines(True) if not line.startswith("#")))))
        for entry in document["events"]:
            self.assertEqual(sum(int(row["count"]) for row in rows if row["event"] == entry["name"]), entry["count"])

    def test_lines_come_as_they_happen_and_survive_a_kill(self):
        process = start("stat", *TURNED, "--series", "s.jsonl", "--", "sh", "-c", f"{example('naive')} 400; echo half; read line",
                        stdin=-1, cwd=self.directory)
        process.stdout.readline()
        self.assertEqual(process.stdout.readline(), "half\n")
        process.kill()
        self.assertEqual(finish(process).code, -9)
        header, *periods = self.lines()
        self.assertIn("events", header)
        self.assertGreater(len(periods), 5)
        self.assertEqual([p["period"] for p in periods], list(range(len(periods))))
        self.assertGreater(sum(p["reference"] for p in periods), 0)

    def test_events_that_are_not_counted_are_described(self):
        _, document = stat_json(self.directory, "-S", "default", "--series", self.directory / "s.jsonl", "--", "true")
        described = {each["name"]: each for each in self.lines()[0]["events"]}
        for entry in document["events"]:
            kept = described[entry["name"]]
            self.assertEqual((kept["reason"], kept["remedy"]), (entry["reason"], entry["remedy"]))
            self.assertEqual(kept["slot"] is None, entry["count"] is None)


if __name__ == "__main__":
    unittest.main()
