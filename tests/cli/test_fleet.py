"""Prometheus reads what `tacho stat --openmetrics` keeps, by way of node_exporter's textfile collector.

Both are real programs, started here on free ports of 127.0.0.1. A program touches a known number of pages per second.
The queries are those of docs/how-to/watch-a-fleet.md.
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from tacho_cli import SOURCE, TACHO, Scratch, finish, for_everyone, needs_kernel_counts, start
from test_scopes import Toucher

QUERIES = re.findall(r"```promql\n(.*?)```", (SOURCE / "docs/how-to/watch-a-fleet.md").read_text(), re.DOTALL)
UNIT = SOURCE / "packaging/systemd/tacho-stat.service"
WINDOW = 15  # seconds, in place of the document's 5 minutes
MISSING = [name for name in ("prometheus", "prometheus-node-exporter") if not shutil.which(name)]


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


def get(url):
    """The answer; None while nobody listens."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.read().decode()
    except (urllib.error.URLError, ConnectionError):
        return None


class Pace(threading.Thread):
    """Lets a program touch PAGES pages every EVERY seconds. After a delay it makes up for what it missed."""
    PAGES, EVERY = 20, 0.004

    def __init__(self, toucher):
        super().__init__()
        self.toucher, self.touched, self.stopped = toucher, 0, threading.Event()

    def run(self):
        begun = time.monotonic()
        while not self.stopped.is_set():
            self.toucher.touch(self.PAGES)
            self.touched += self.PAGES
            time.sleep(max(0, begun + self.touched / self.PAGES * self.EVERY - time.monotonic()))
        self.rate = self.touched / (time.monotonic() - begun)

    def stop(self):
        self.stopped.set()
        self.join()


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)} (packaging/setup test)")
class Fleet(Scratch):
    def setUp(self):
        super().setUp()
        self.textfiles = self.directory / "textfiles"
        self.textfiles.mkdir()
        exporter, self.port = free_port(), free_port()
        self.exporter = f"http://127.0.0.1:{exporter}/metrics"
        self.daemon("prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
                    f"--collector.textfile.directory={self.textfiles}", f"--web.listen-address=127.0.0.1:{exporter}")
        config = self.directory / "prometheus.yml"
        config.write_text("global: {scrape_interval: 500ms}\nscrape_configs: [{job_name: fleet, static_configs: "
                          f"[{{targets: ['127.0.0.1:{exporter}']}}]}}]\n")
        self.daemon("prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.directory}/data",
                    f"--web.listen-address=127.0.0.1:{self.port}")
        self.wait_for(lambda: get(self.exporter) and get(f"http://127.0.0.1:{self.port}/-/ready"))

    def daemon(self, *words):
        log = open(self.directory / f"{words[0]}.log", "w")
        self.addCleanup(log.close)
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def end():
            process.terminate()
            process.wait()
        self.addCleanup(end)

    def wait_for(self, answer, seconds=60):
        until = time.monotonic() + seconds
        while not answer():
            logs = [path.read_text()[-2000:] for path in self.directory.glob("*.log")]
            self.assertLess(time.monotonic(), until, logs)
            time.sleep(0.1)

    def query(self, text):
        """The labels and the value of each series of the answer."""
        answer = get(f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": text}))
        self.assertIsNotNone(answer, text)
        return [(each["metric"], float(each["value"][1])) for each in json.loads(answer)["data"]["result"]]

    def keep(self, name, *args):
        tacho = start("stat", "-o", os.devnull, "--openmetrics", self.textfiles / f"{name}.prom", *args)

        def end():
            if tacho.poll() is None:
                tacho.send_signal(signal.SIGINT)
            finish(tacho)
        self.addCleanup(end)

    def test_rates_are_those_of_the_program(self):
        toucher = Toucher(self)
        pid = str(toucher.process.pid)
        pace = Pace(toucher)
        pace.start()
        self.addCleanup(pace.stop)
        self.keep("exact", "-I", "200", "-e", "page-faults,task-clock", "-p", pid)
        self.keep("turned", "-I", "1000", "--counters", "1", "-e", "page-faults,minor-faults,task-clock", "-p", pid)
        self.wait_for(lambda: len(self.query('count_over_time(tacho_events_total{event="page-faults"}[60s])')) == 2)
        time.sleep(WINDOW + 6)
        answers = [{labels.get("run") or labels.get("file"): number for labels, number in self.query(text)}
                   for text in (each.replace("5m", f"{WINDOW}s").replace("/tacho.prom", "[.]prom").replace("> 60", "< 60")
                                for each in QUERIES)]
        rates, by_counted, half_widths, _, ages = answers
        pace.stop()
        truth = pace.rate
        # The file is up to 0.2 s old, and the scrapes are half a second apart.
        self.assertAlmostEqual(rates["exact"], truth, delta=0.06 * truth)
        self.assertAlmostEqual(by_counted["exact"], truth, delta=0.02 * truth)
        self.assertEqual(half_widths["exact"], 0)
        if "turned" in half_widths:
            self.assertGreater(half_widths["turned"], 0)
            self.assertAlmostEqual(by_counted["turned"], truth, delta=half_widths["turned"] + 0.02 * truth)
        else:
            # A loaded machine gave tacho too few periods in an interval.
            self.assertEqual(self.query('tacho_events_low{event="page-faults",run="turned"}'), [])
        self.assertEqual(set(ages), {f"{self.textfiles}/exact.prom", f"{self.textfiles}/turned.prom"})

    @needs_kernel_counts
    def test_node_exporter_passes_every_series_on(self):
        self.keep("machine", "-a", "-A", "-I", "200")
        self.wait_for(lambda: (self.textfiles / "machine.prom").exists())
        text, passed = (self.textfiles / "machine.prom").read_text(), get(self.exporter)
        wanted = set(re.findall(r"^tacho_\w+", text, re.MULTILINE))
        self.assertEqual(set(re.findall(r"^tacho_\w+", passed, re.MULTILINE)), wanted)
        self.assertIn("tacho_events_total", wanted)
        self.assertIn("node_textfile_scrape_error 0", passed)
        self.wait_for(lambda: self.query("node_textfile_scrape_error"))
        self.assertEqual(self.query("node_textfile_scrape_error")[0][1], 0)


class Service(Scratch):
    """packaging/systemd/tacho-stat.service, without a running systemd."""

    def setting(self, name):
        return re.search(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE).group(1)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_accepts_the_unit(self):
        unit = self.directory / UNIT.name
        # systemd looks for a program without a path in the usual directories only.
        unit.write_text(UNIT.read_text().replace("ExecStart=tacho", f"ExecStart={TACHO}").replace("man:tacho(1)", ""))
        for words in (["verify"], ["security", "--offline=yes", "--threshold=20"]):
            checked = subprocess.run(["systemd-analyze", *words, unit], capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout[-500:])

    def command(self, file):
        command = self.setting("ExecStart").replace("/run/tacho/tacho.prom", str(file)).replace("10000", "100")
        return command.replace(" $TACHO_STAT_OPTIONS", "").split()[1:]

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "changing the user needs root and setpriv")
    def test_another_user_with_its_one_capability_can_run_it(self):
        self.assertEqual(self.setting("AmbientCapabilities"), "CAP_PERFMON")
        tacho = for_everyone(self.directory)
        self.directory.chmod(0o755)
        run_directory = self.directory / "run"
        run_directory.mkdir()
        shutil.chown(run_directory, "nobody")
        file = run_directory / "tacho.prom"
        only = "=-all,+perfmon"
        process = start("--reuid=nobody", "--regid=nogroup", "--clear-groups", "--no-new-privs", "--inh-caps" + only,
                        "--ambient-caps" + only, "--bounding-set" + only, tacho, *self.command(file), program="setpriv")
        while not file.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        result = finish(process)
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(file.stat().st_mode & 0o777, 0o644)
        self.assertIn("tacho_events_total{", file.read_text())

    @needs_kernel_counts
    def test_its_command_runs_and_ends_by_its_signal(self):
        file = self.directory / "tacho.prom"
        tacho = start(*self.command(file))
        while not file.exists() and tacho.poll() is None:
            time.sleep(0.01)
        tacho.send_signal(signal.SIGTERM)
        result = finish(tacho)
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
