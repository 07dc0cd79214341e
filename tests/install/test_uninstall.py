"""make uninstall, on a made-up list of what was installed."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tacho_cli import SOURCE


@unittest.skipUnless(shutil.which("make"), "make is not installed")
class Uninstall(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name)
        shutil.copy(SOURCE / "Makefile", self.path)

    def uninstall(self, *variables):
        return subprocess.run(["make", "-s", "uninstall", *variables], cwd=self.path, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def test_takes_away_what_was_installed_and_nothing_else(self):
        for prefix, variables in (("usr", ()), ("board/usr/local", (f"DESTDIR={self.path}/board",))):
            root = self.path / prefix
            files = ["bin/tacho", "bin/rpistat", "include/tacho/ticks.hpp", "share/tacho/sets/default.toml",
                     "share/doc/tacho/LICENSE", "share/man/man1/tacho.1"]
            others = ["bin/other", "share/tacho/models/of the user.toml"]
            for file in files + others:
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).touch()
            (root / "bin/rpistat").unlink()
            (root / "bin/rpistat").symlink_to("tacho")
            manifest = self.path / "build/release/install_manifest.txt"
            manifest.parent.mkdir(parents=True, exist_ok=True)
            told = "/usr/local" if variables else str(root)
            manifest.write_text("\n".join(f"{told}/{file}" for file in files))
            result = self.uninstall(*variables)
            with self.subTest(prefix):
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                left = sorted(str(each.relative_to(root)) for each in root.rglob("*") if not each.is_dir())
                self.assertEqual(left, others)
                self.assertFalse((root / "include/tacho").exists())
                self.assertFalse((root / "share/tacho/sets").exists())
                self.assertTrue((root / "share/man/man1").exists(), "it is not tacho's")

    def test_says_what_it_needs(self):
        result = self.uninstall()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("install_manifest.txt, which make install leaves", result.stderr)


if __name__ == "__main__":
    unittest.main()
