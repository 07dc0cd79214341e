"""kernel.perf_event_paranoid 0 to 3, as an unprivileged user and as root, on a real PMU."""
import json
import unittest

from lab_case import LabCase, event, on, run

USER = 1000


class Permissions(LabCase):
    def at(self, name, level, arguments, user=USER):
        """Runs `tacho stat` at a level of the sysctl. Returns the result and the report."""
        result = run(name, f"echo {level} >/proc/sys/kernel/perf_event_paranoid")
        self.assertEqual(result.code, 0, result.stderr)
        result = run(name, f"rm -f /tmp/report.$$; tacho stat --json -o /tmp/report.$$ {arguments}; code=$?; "
                           "cat /tmp/report.$$; exit $code", user=user)
        run(name, "echo 2 >/proc/sys/kernel/perf_event_paranoid")
        return result, json.loads(result.stdout) if result.stdout else None

    @on("arm64", "armv7")
    def test_up_to_one_a_user_counts_both_modes(self, name):
        for level in (0, 1):
            _, document = self.at(name, level, "-e instructions,instructions:k -- counted_loop")
            self.assertGreater(event(document, "instructions:k")["count"], 0)
            self.assertGreater(event(document, "instructions")["count"], 2_000_006)

    @on("arm64", "armv7")
    def test_at_two_a_user_counts_user_mode_and_is_told_so(self, name):
        result, document = self.at(name, 2, "-e instructions,cycles,instructions:k -- counted_loop")
        self.assertEqual(result.code, 0, result.stderr)
        self.assertEqual(event(document, "instructions:u")["count"], 2_000_006)  # the name says user mode, too
        refused = event(document, "instructions:k")
        self.assertIsNone(refused["count"])
        self.assertIn("perf_event_paranoid", refused["reason"] + refused["remedy"])
        self.assertTrue(any("kernel" in text for text in document["warnings"]), document["warnings"])

    @on("arm64", "armv7")
    def test_at_three_a_user_counts_nothing_and_is_told_how_to(self, name):
        result, document = self.at(name, 3, "-e instructions,page-faults -- counted_loop")
        self.assertEqual(result.code, 0, "the command ran all the same")
        for entry in document["events"]:
            self.assertIsNone(entry["count"], entry)
            self.assertIn("perf_event_paranoid", entry["reason"] + entry["remedy"])

    @on("arm64", "armv7")
    def test_every_cpu_needs_zero(self, name):
        _, document = self.at(name, 0, "-a -e instructions -- counted_loop")
        self.assertGreater(event(document, "instructions")["count"], 2_000_006)
        for level in (1, 2, 3):
            result, document = self.at(name, level, "-a -e instructions -- counted_loop")
            self.assertTrue(result.code == 125 or event(document, "instructions")["count"] is None, result)
            self.assertIn("perf_event_paranoid", result.stderr + result.stdout)

    @on("arm64", "armv7")
    def test_root_counts_at_every_level(self, name):
        for level in (0, 1, 2, 3):
            _, document = self.at(name, level, "-e instructions:u,instructions:k -- counted_loop", user=0)
            self.assertEqual(event(document, "instructions:u")["count"], 2_000_006)
            self.assertGreater(event(document, "instructions:k")["count"], 0)


if __name__ == "__main__":
    unittest.main()
