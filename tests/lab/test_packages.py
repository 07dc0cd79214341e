"""The packages of `make package` work on a board: dpkg installs tacho, and DKMS builds the module from its sources."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import lab_case  # noqa: F401  (where the lab's own files are)
import cache
import image
from board import boot
from boards import BOARDS


def run_tool(*command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stdout}")


def packages_of(build, into):
    run_tool("cpack", "--config", build / "CPackConfig.cmake", "-B", into, "-D", f"CPACK_OUTPUT_FILE_PREFIX={into}/made")
    return sorted(into.glob("made/*.deb"))


def dkms_build(package, board, scratch):
    """Builds the module for the board's kernel with dkms, in temporary trees: nothing on this machine changes."""
    for tree in ("root", "dkms"):
        (scratch / tree).mkdir(parents=True)
    run_tool("dpkg-deb", "--extract", package, scratch / "root")
    sources, = (scratch / "root/usr/src").iterdir()
    name, _, version = sources.name.rpartition("-")
    kdir = cache.headers_of(board.architecture)
    compiler = f"{board.architecture.triplet}-gcc"
    run_tool("dkms", "build", "-m", name, "-v", version, "-k", kdir.name.removeprefix("linux-headers-"),
             "--arch", {"arm64": "aarch64", "arm": "armv7l"}[board.architecture.linux], "--kernelsourcedir", kdir,
             "--sourcetree", sources.parent, "--dkmstree", scratch / "dkms", "--installtree", scratch / "modules",
             env={**os.environ, "ARCH": board.architecture.linux,
                  "PATH": f"{os.environ['PATH']}:/usr/sbin",  # the directory of dkms, which Debian's users lack
                  "CROSS_COMPILE": f"{board.architecture.triplet}-",
                  "CC": shutil.which(f"{compiler}-12") or compiler})
    return next((scratch / "dkms").rglob("tacho_pmu.ko"))


class Packages(unittest.TestCase):
    def test_program_and_module_installed_from_packages_run(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        scratch = pathlib.Path(directory.name)
        native = packages_of(pathlib.Path(os.environ["BUILD"]), scratch / "native")
        sources, = (package for package in native if package.name.endswith("_all.deb"))
        for name in ("arm64", "armv7"):
            with self.subTest(board=name):
                board = BOARDS[name]
                program, = packages_of(image.build_directory(board.architecture), scratch / name)
                module = dkms_build(sources, board, scratch / f"{name}-dkms")
                with boot(board, extra=[program, module]) as booted:
                    result = booted.run(
                        "rm -r bin share; export PATH=/usr/bin:$PATH\n"  # remove the lab's own tacho
                        "mkdir -p /var/lib/dpkg/info /usr; touch /var/lib/dpkg/status\n"
                        f"busybox dpkg --force-depends -i {program.name} >&2 &&\n"
                        "insmod tacho_pmu.ko && cat /proc/tacho_pmu &&\n"
                        "tacho --version && tacho stat -e instructions:u -- examples/naive 20")
                    self.assertEqual(result.code, 0, result.stderr)
                    self.assertIn("cpu 0 state=on", result.stdout)
                    self.assertIn("instructions:u", result.stderr)
                    self.assertNotIn("not available", result.stderr.lower())


if __name__ == "__main__":
    unittest.main()
