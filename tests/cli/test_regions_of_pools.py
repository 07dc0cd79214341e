"""Regions that count what their thread starts, against the kernel's own count of the process's page faults."""
import unittest

from test_calipers import Calipers, quantity, run


class Pools(Calipers):
    def faults(self, *arguments, **environment):
        """The page faults of each region, and those that getrusage() had around it."""
        regions, result = self.regions("pool", *arguments, **environment)
        self.needs_page_faults(regions)
        truth = dict(line.rsplit(" ", 1) for line in result.stdout.splitlines())
        self.assertEqual(set(truth), {"started", "pool", "older pool", "process"}, result.stdout)
        return {name: (quantity(regions[name], "page-faults")["total"], int(truth[name])) for name in truth}

    def assert_with_children(self, faults):
        for name in "started", "pool":
            counted, truth = faults[name]
            # The region is a little shorter than what is around it.
            self.assertLessEqual(counted, truth, name)
            self.assertGreater(counted, truth - 40, name)
        self.assertGreaterEqual(faults["started"][0], 1500)
        self.assertGreaterEqual(faults["pool"][0], 700)
        self.assertGreaterEqual(faults["process"][0], 900)
        self.assertLess(faults["older pool"][0], 100, "it was started before the first region")
        self.assertGreaterEqual(faults["older pool"][1], 700)

    def test_the_program_chooses_children(self):
        self.assert_with_children(self.faults("children"))

    def test_the_environment_chooses_children(self):
        for arguments in (), ("thread",):
            self.assert_with_children(self.faults(*arguments, TACHO_REGIONS_EVENTS="page-faults",
                                                  TACHO_REGIONS_SCOPE="children"))

    def test_a_thread_counts_by_itself(self):
        for arguments, environment in (("thread",), {}), (("children",), {"TACHO_REGIONS_SCOPE": "thread"}):
            faults = self.faults(*arguments, **environment)
            for name in "started", "pool", "older pool":
                self.assertLess(faults[name][0], 200, name)

    def test_the_report_says_what_is_counted(self):
        self.assertIn("what the thread starts from now on is counted, too",
                      run("pool", "children", TACHO_REGIONS="text").stderr)

    def test_a_wrong_scope_is_said(self):
        result = run("pool", TACHO_REGIONS="text", TACHO_REGIONS_EVENTS="page-faults", TACHO_REGIONS_SCOPE="all")
        self.assertIn("TACHO_REGIONS_SCOPE", result.stderr.splitlines()[0])
        self.assertIn("thread or children", result.stderr.splitlines()[0])
        self.assertIn("page-faults", result.stderr)


if __name__ == "__main__":
    unittest.main()
