"""docs/reference/formats.md names every key and column that tacho writes, and no others."""
import csv
import io
import json
import os
import re
import subprocess
import unittest

from tacho_cli import SOURCE, Scratch, event, example, needs_simulator, run, sanitized

DOCUMENT = (SOURCE / "docs" / "reference" / "formats.md").read_text()
REGIONS = (SOURCE / "docs" / "reference" / "regions.md").read_text()
WRITERS = ["report", "stat", "merge", "regions", "profile", "blocks", "dump", "latency/report", "doctor",
           "doctor/prove", "pmu/perf"]  # rooms that write formats
NAMED = {"metrics", "per_access", "per_access_ci95", "unavailable", "units"}  # their keys are names


def section(title):
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL).group(1)


def documented(title):
    """The keys of the section's table, as paths."""
    rows = re.findall(r"^\| (`.*?) \|", section(title), re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`([^`]+)`", row)}


def paths(value, path=""):
    if isinstance(value, list):
        for each in value:
            yield from paths(each, path + "[]")
    elif isinstance(value, dict):
        for key, each in value.items():
            name = "NAME" if path.rpartition(".")[2] in NAMED else key
            yield from paths(each, f"{path}.{name}".lstrip("."))
    else:
        yield path


def known(path, keys):
    """`a[].…` covers what stands below a, and a null stands for what may be null."""
    below = any(key.endswith("…") and path.startswith(key[:-1]) for key in keys)
    return path in keys or below or any(key.startswith((path + "[", path + ".")) for key in keys)


class Formats(Scratch):
    def assert_documented(self, title, *documents):
        keys = documented(title)
        seen = set().union(*(paths(document) for document in documents))
        self.assertTrue(seen)
        self.assertEqual({path for path in seen if not known(path, keys)}, set())
        # What no document here had is at least a key that the sources write.
        written = "".join(source.read_text() for room in WRITERS for source in (SOURCE / "src" / room).glob("*.cpp"))
        for key in keys - seen:
            for name in set(re.findall(r"[a-z0-9_]+", key)):
                self.assertRegex(written, rf"\b{name}\b", key)

    def stat(self, *args, program="self-naive"):
        out = self.directory / "out"
        self.assertEqual(run("stat", *args, "-o", out, "--", example(program), "40").code, 0)
        return out.read_text()

    def recording(self):
        out = self.directory / "r.data"
        if not out.exists():
            self.assertEqual(run("record", "-g", "-F", "5000", "-o", out, "--", example("naive"), "300").code, 0)
        return out

    def test_stat(self):
        self.assert_documented("tacho stat --json", *(json.loads(self.stat("--json", *args)) for args in (
            [], ["--counters", "1", "-e", "page-faults,minor-faults,task-clock"], ["-r", "3"], ["--regions"])))

    def test_merge(self):
        files = []
        for i in range(4):
            files.append(self.directory / f"{i}.json")
            files[-1].write_text(self.stat("--json", "-e", "page-faults,task-clock"))
        self.assert_documented("tacho merge --json", run("merge", "--json", *files, "gone.json").json())
        header, *_ = csv.reader(io.StringIO(run("merge", "--csv", *files).stdout))
        self.assertIn(f"`{','.join(header)}`", section("tacho merge --csv").replace("\n", " "))

    def test_dump(self):
        for title, options in (("tacho dump --json", ["--header", "--inline", "-F", "+srcline,+misc"]),
                               ("tacho dump --raw --json", ["--raw"])):
            lines = run("dump", "-i", self.recording(), "--json", *options).stdout.splitlines()
            self.assertGreater(len(lines), 5)
            self.assert_documented(title, *map(json.loads, lines))

    def test_regions_have_the_keys_of_their_own_page(self):
        for region in json.loads(self.stat("--json", "--regions"))["regions"]:
            for key in {path.rpartition(".")[2] for path in paths(region["quantities"])}:
                self.assertIn(f'"{key}"', REGIONS)

    def test_columns_of_the_library(self):
        out = self.directory / "regions.csv"
        subprocess.run([example("self-naive"), "40"], env={**os.environ, "TACHO_REGIONS": f"csv:{out}"},
                       stdout=subprocess.DEVNULL, check=True)
        header, *rows = csv.reader(out.read_text().splitlines())
        self.assertIn(f"`{','.join(header)}`", REGIONS)
        self.assertEqual({len(row) for row in rows}, {len(header)})

    def test_each_interval_and_the_whole_is_a_line(self):
        lines = [json.loads(line) for line in self.stat("--json", "-I", "1", "-e", "task-clock").splitlines()]
        self.assertEqual(list(lines[-1])[0], "tacho")
        for interval in lines[:-1]:
            self.assertEqual(set(interval), {"interval", "events", "metrics", "warnings", "parts"})
        whole = event(lines[-1], "task-clock")["count"]
        self.assertEqual(sum(event(line, "task-clock")["count"] for line in lines[:-1]), whole)

    def test_columns(self):
        recording = self.recording()
        for title, text in (
                ("tacho stat --csv", self.stat("--csv")),
                ("tacho stat --csv", self.stat("--csv", "--regions")),
                ("tacho stat --csv", self.stat("--csv", "-I", "1")),
                ("tacho report --json", run("report", "-i", recording, "--csv").stdout),
                ("tacho report --callers, --callees --json",
                 run("report", "-i", recording, "--callers", "multiply", "--csv").stdout),
                ("tacho report --compare --json",
                 run("report", "-i", recording, "--compare", recording, "--csv").stdout)):
            with self.subTest(title):
                header, *rows = csv.reader(io.StringIO(text))
                self.assertTrue(rows)
                self.assertEqual({len(row) for row in rows}, {len(header)})
                always = header[:header.index("total high") + 1] if "total high" in header else header
                self.assertIn(f"`{','.join(always)}`", section(title))

    def test_series(self):
        out = self.directory / "series.csv"
        self.stat("--series", out)
        header = next(line for line in out.read_text().splitlines() if not line.startswith("#"))
        self.assertIn(f"`{header}`", section("tacho stat --series"))

    def test_report_and_annotate(self):
        recording = self.recording()

        def read(*args):
            return run(*args, "-i", recording, "--json").json()

        self.assert_documented("tacho report --json", *(read("report", "--sort", sort)
                                                        for sort in ("module", "function", "line", "instruction")))
        self.assert_documented("tacho report --callers, --callees --json",
                               read("report", "--callers", "multiply"), read("report", "--callees", "multiply"))
        self.assert_documented("tacho report --tree --json", read("report", "--tree"))
        self.assert_documented("tacho report --compare --json", *(read("report", "--compare", recording, "--sort", sort)
                                                                  for sort in ("module", "function", "line")))
        self.assert_documented("tacho annotate --json", read("annotate", "multiply"))

    @needs_simulator
    def test_what_is_simulated(self):
        self.assert_documented("tacho stat --json", json.loads(self.stat(
            "--json", "--pmu", "simulated:arm1176", "--with-native", "--counters", "2", "-S", "rpistat", program="naive")))
        out = [self.directory / name for name in ("before", "after")]
        for each in out:
            run("record", "--pmu", "simulated:skylake", "-b", "-e", "cycles", "-c", "1009", "-o", each, "--", example("naive"), "60")
        self.assert_documented("tacho blocks --json", run("blocks", "-i", out[0], "--json").json())
        self.assert_documented("tacho blocks --compare --json",
                               run("blocks", "-i", out[0], "--compare", out[1], "--json").json())

    @unittest.skipIf(sanitized(), "a sanitizer's memory is no processor's")
    def test_latency(self):
        def read(*args):
            return run("latency", "--json", *args).json()

        self.assert_documented("tacho latency --json", read("--sizes", "4K,64K", "--parallel", "2"),
                               read("--sizes", "64K", "--events", "page-faults,task-clock"))

    def test_list_and_doctor(self):
        self.assert_documented("tacho list --json", run("list", "--json", "faults").json(),
                               run("list", "--json", "--pmu", "simulated:arm1176").json())
        trace = self.directory / "trace.jsonl"
        self.assert_documented("tacho doctor --json", run("doctor", "--json").json(),
                               run("doctor", "--prove", "--json", "--trace", trace, timeout=180).json())
        self.assert_documented("tacho doctor --trace", *map(json.loads, trace.read_text().splitlines()[1:]))
        for command in ("list", "doctor"):
            self.assertEqual(run(command, "--json").json()["tacho"]["schema"], 1)


if __name__ == "__main__":
    unittest.main()
