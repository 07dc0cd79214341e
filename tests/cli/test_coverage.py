"""95 % intervals of estimates hold the truth: many schedules over a few simulated runs. A tenth of bench/coverage.py.
The simulated programs and the seeds are the same in every run, so the figures are, too."""
import importlib.util
import sys
import unittest

from tacho_cli import BUILD, SIMULATOR, SOURCE

DRAWS = 40
GOES_ON, OF_THE_START = False, True


def _bench():
    sys.path.append(str(SOURCE / "bench"))  # of the modules that it imports
    spec = importlib.util.spec_from_file_location("coverage_bench", SOURCE / "bench" / "coverage.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


@unittest.skipUnless(SIMULATOR.exists(), "this build has no simulator")
class Coverage(unittest.TestCase):
    def test_unwarned_intervals_hold_whatever_the_shape(self):
        bench = _bench()
        start = []
        for shape in ("steady", "drift", "bursts", "short-phases", "ending"):
            cells = [bench.replay(BUILD, shape, model, 2, DRAWS) for model in bench.MODELS]
            start += [error for cell in cells for error in cell[OF_THE_START].quiet]
            errors = [error for cell in cells for error in cell[GOES_ON].quiet]
            with self.subTest(shape):
                self.assertGreater(len(errors), 400)
                self.assertGreaterEqual(bench.held(errors), 0.93)
                self.assertEqual(sum(cell[GOES_ON].without for cell in cells), 0, "each has an interval")
        self.assertGreaterEqual(bench.held(start), 0.93)


if __name__ == "__main__":
    unittest.main()
