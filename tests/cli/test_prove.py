"""tacho doctor --prove and --trace on this machine: what it proves, and what it says that it could not prove."""
import json
import os
import re
import subprocess
import unittest

from tacho_cli import PERF_EVENT_OPEN, Scratch, forbidding, run

# Of software events, which every machine has. Counting a CPU needs a privilege.
OF_KERNEL = {"sets in turns", "fork", "attach", "moves by calls", "samples at 99 Hz", "samples at 4000 Hz",
             "sampled addresses", "enabled time", "one CPU"}
OF_CORES = {"instructions", "branches", "loads", "stores", "cycles", "counters at once", "NMI watchdog",
            "moves by registers", "precise addresses", "branch stacks"}


class Prove(Scratch):
    """One run for all tests: it takes half a minute."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.trace = None

    def proven(self):
        if Prove.trace is None:
            file = self.directory / "trace.jsonl"
            Prove.result = run("doctor", "--prove", "--json", "--trace", file, timeout=180)
            Prove.trace = [json.loads(line) for line in file.read_text().splitlines()]
            Prove.document = Prove.result.json()
        return Prove.document

    def test_each_check_has_a_verdict_with_its_figures(self):
        proofs = self.proven()["proofs"]
        self.assertLessEqual(OF_CORES | OF_KERNEL, {proof["check"] for proof in proofs})
        for proof in proofs:
            with self.subTest(f"{proof['pmu']} {proof['check']}"):
                self.assertIn(proof["outcome"], ("proved", "failed", "not proved"))
                self.assertTrue(proof["detail"])
                right = [abs(figure["measured"] - figure["expected"]) <= figure["tolerance"]
                         for figure in proof["figures"]]
                if proof["outcome"] == "proved":
                    self.assertTrue(right and all(right), proof)
                if proof["outcome"] == "failed" and right:
                    self.assertFalse(all(right), proof)

    def test_the_exit_status_says_whether_a_check_failed(self):
        outcomes = [proof["outcome"] for proof in self.proven()["proofs"]]
        self.assertEqual(Prove.result.code, 1 if "failed" in outcomes else 0, Prove.result.stderr)

    def test_software_events_are_proved_on_any_machine(self):
        """Those checks whose truth other programs cannot disturb."""
        proofs = {proof["check"]: proof for proof in self.proven()["proofs"] if proof["pmu"] == "kernel"}
        self.assertEqual(set(proofs), OF_KERNEL)
        for check in ("fork", "sampled addresses"):
            self.assertEqual(proofs[check]["outcome"], "proved", proofs[check])
        # Four parts of the work, of 4,000 pages each, and what the forks copy.
        figure = proofs["fork"]["figures"][0]
        self.assertEqual(figure["expected"], 16_000)
        self.assertGreaterEqual(figure["measured"], 16_000)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertEqual(proofs["moves by calls"]["outcome"], "proved", proofs["moves by calls"])

    def test_without_a_pmu_the_other_checks_say_so(self):
        if self.proven()["machine"]["core_pmus"]:
            self.skipTest("this machine has a PMU")
        for proof in self.proven()["proofs"]:
            if proof["check"] in OF_CORES:
                self.assertEqual((proof["outcome"], proof["pmu"]), ("not proved", None))
                self.assertIn("no PMU of its cores", proof["detail"])
                self.assertTrue(proof["remedy"])

    def test_the_trace_describes_the_machine_then_every_call(self):
        machine = self.proven()["machine"]
        self.assertEqual(Prove.trace[0]["machine"], machine)
        self.assertEqual(machine["kernel"], os.uname().release)
        calls = Prove.trace[1:]
        opened = {call["answer"]["fd"] for call in calls if "fd" in call.get("answer", {})}
        self.assertEqual({call["call"] for call in calls}, {"perf_event_open", "read"})
        self.assertTrue(opened)
        for call in calls:
            if call["call"] == "read":
                self.assertIn(call["fd"], opened)
        frequencies = {call["sample"]["freq"] for call in calls if "freq" in call.get("sample", {})}
        self.assertLessEqual({99, 4000}, frequencies)

    def test_the_trace_names_no_user_host_or_file(self):
        self.proven()
        text = json.dumps(Prove.trace)
        self.assertNotIn("/", text)
        self.assertNotIn(os.uname().nodename, text)

    @unittest.skipUnless(PERF_EVENT_OPEN, "the number of perf_event_open is not known here")
    def test_where_nothing_may_be_counted_nothing_fails_and_each_check_says_why(self):
        """Like a container: perf_event_open fails with EPERM, for root, too."""
        try:
            result = run("doctor", "--prove", preexec_fn=forbidding(PERF_EVENT_OPEN))
        except subprocess.SubprocessError:
            self.skipTest("this kernel has no seccomp filters")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertRegex(result.stdout, r"\A\d+ checks in \d+ s: 0 proved, 0 failed, \d+ not proved here\n")
        self.assertIn("perf_event_open is forbidden here", re.sub(r"\s+", " ", result.stdout))
        self.assertIn("--cap-add PERFMON", re.sub(r"\s+", " ", result.stdout))
        for line in result.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_a_trace_that_cannot_be_written_is_an_error(self):
        result = run("doctor", "--trace", self.directory / "no" / "file")
        self.assertEqual(result.code, 125)
        self.assertRegex(result.stderr, r"\Atacho: error: .*no/file")

    def test_a_trace_needs_no_proof(self):
        file = self.directory / "trace.jsonl"
        self.assertEqual(run("doctor", "--trace", file).code, 0)
        first, *calls = map(json.loads, file.read_text().splitlines())
        self.assertEqual(first["tacho"]["schema"], 1)
        self.assertIn("perf_event_open", {call["call"] for call in calls})


if __name__ == "__main__":
    unittest.main()
