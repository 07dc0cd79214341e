"""A machine without a PMU counts software events. All other events have the right reason and remedy."""
import unittest

from lab_case import LabCase, event, on, run

PAGES = 3000


class SoftwareOnly(LabCase):
    @on("arm64-nopmu")
    def test_software_events_count_and_hardware_ones_say_why_not(self, name):
        document = self.stat(name, "", "touch_pages 100 0")
        self.assertEqual(document["pmu"]["kind"], "software")
        for entry in document["events"]:
            if entry["name"] in ("task-clock", "context-switches", "cpu-migrations", "page-faults"):
                self.assertEqual(entry["status"], "counted", entry)
            else:
                self.assertIsNone(entry["count"], entry)
                self.assertEqual(entry["status"], "unsupported")
                self.assertIn("no hardware PMU", entry["reason"])
                self.assertIn("bare metal", entry["remedy"])

    @on("arm64-nopmu")
    def test_page_faults_are_exact(self, name):
        counts = [event(self.stat(name, "-e page-faults", f"touch_pages {pages} 0"), "page-faults")["count"]
                  for pages in (0, PAGES)]
        # Each page is touched once. Page tables and the output buffer add a few faults.
        self.assertAlmostEqual(counts[1] - counts[0], PAGES, delta=PAGES * 0.01)

    @on("arm64-nopmu")
    def test_insisting_on_hardware_is_an_error_before_the_launch(self, name):
        result = run(name, "tacho stat --pmu hardware -e cycles -- touch /tmp/launched; code=$?; ls /tmp; exit $code")
        self.assertEqual(result.code, 125)
        self.assertIn("no hardware PMU", result.stderr)
        self.assertIn("remedy", result.stderr)
        self.assertNotIn("launched", result.stdout)

    @on("arm64-nopmu")
    def test_doctor_says_so(self, name):
        result = run(name, "tacho doctor")
        self.assertIn("tacho counts with software events here", result.stdout)
        self.assertRegex(result.stdout, r"warning +hardware PMU +none")
        self.assertRegex(result.stdout, r"ok +software events +touching 64 pages counted as 64 page faults")


if __name__ == "__main__":
    unittest.main()
