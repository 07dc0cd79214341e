"""tacho's sources as a part of somebody else's project."""
import unittest

import consumer
from tacho_cli import SOURCE


class Subproject(consumer.Project):
    def test_add_subdirectory_builds_the_library_alone(self):
        self.run_here("cmake", "-G", "Ninja", "-S", consumer.SOURCES / "add_subdirectory", "-B", "build",
                      "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0",  # as large projects do
                      f"-DTACHO_SOURCE={SOURCE}")
        self.run_here("cmake", "--build", "build", "--target", "with_tacho")
        self.assertEqual(consumer.counts(self.run_here(self.folder / "build" / "with_tacho").stdout),
                         {"outer": (14, 2), "inner": (42, 2)})
        # What the project installs is its own alone.
        self.run_here("cmake", "--install", "build", "--prefix", "installed")
        installed = sorted(path.name for path in (self.folder / "installed").rglob("*") if path.is_file())
        self.assertEqual(installed, ["with_tacho"])


if __name__ == "__main__":
    unittest.main()
