"""For tests of users' projects: a folder, commands that run in it, and a reader of the report."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tacho_cli import SOURCE

SOURCES = SOURCE / "tests" / "consumers"


def counts(output):
    """The executions and threads of each region, from the program's own report."""
    report = json.loads(output)
    return {region["name"]: (region["executions"], region["threads"]) for region in report["regions"]}


class Project(unittest.TestCase):
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_here(self, *command):
        """Runs a command in the folder. If it fails, the test fails."""
        result = subprocess.run(list(map(str, command)), cwd=self.folder, env=self.environment, capture_output=True,
                                text=True, timeout=550)
        self.assertEqual(result.returncode, 0, f"{command}: {result.stdout}\n{result.stderr}")
        return result
