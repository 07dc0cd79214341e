"""How headers of other kernels are made usable here, on made-up packages and trees. lab/check-module does it with real
ones."""
import pathlib
import subprocess
import tempfile
import unittest

import lab_case  # noqa: F401  (finds the lab)

import kernels
from boards import ARM64, ARMV7


class MadeUpApt:
    host = "amd64"

    def __init__(self, depends):
        self.depends = depends

    def describe(self, packages):
        return {name.partition(":")[0]: {"Depends": self.depends[name]} for name in packages}


class Packages(unittest.TestCase):
    def test_what_all_architectures_share_is_taken_once_and_for_this_machine(self):
        apt = MadeUpApt({
            "linux-headers-arm64:arm64": "linux-base-arm64 (= 9.1-1), linux-headers-9.1+deb-arm64 (= 9.1-1)",
            "linux-headers-armmp:armhf": "linux-headers-9.1+deb-armmp (= 9.1-1)",
            "linux-headers-9.1+deb-arm64:arm64": "gcc-99, linux-headers-9.1+deb-common (= 9.1-1), linux-kbuild-9.1+deb",
            "linux-headers-9.1+deb-armmp:armhf": "linux-headers-9.1+deb-common (= 9.1-1), linux-kbuild-9.1+deb, gcc-99"})
        kernel = kernels.Kernel("made-up", "suite", (ARM64, ARMV7), newer=True)
        self.assertEqual(set(kernels.packages_of(apt, kernel).values()), {
            "linux-headers-9.1+deb-arm64:arm64", "linux-headers-9.1+deb-armmp:armhf", "linux-headers-9.1+deb-common:amd64",
            "linux-kbuild-9.1+deb:amd64", "libc6:amd64"})


class Trees(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name)

    def file(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def test_answers_about_a_newer_compiler_are_forgotten_and_others_are_kept(self):
        conf = self.file("include/config/auto.conf", "CONFIG_CC_HAS_COUNTED_BY=y\nCONFIG_CC_HAS_INT128=y\n"
                                                     "CONFIG_CC_OPT_INLINE_MEMSET=\"-f\"\n")
        header = self.file("include/generated/autoconf.h", "#define CONFIG_CC_HAS_ASSUME 1\n#define CONFIG_SMP 1\n")
        kernels.forget_answers(self.tree)
        self.assertEqual((conf.read_text(), header.read_text()), ("CONFIG_CC_HAS_INT128=y\n", "#define CONFIG_SMP 1\n"))

    def test_programs_run_with_the_c_library_of_their_suite(self):
        self.file("libc/usr/lib/some-linux/ld-linux-some.so.2", "#!/bin/sh\necho \"$2 ran $(basename \"$3\") $4\"\n")
        program = self.file("usr/lib/linux-kbuild-9/scripts/basic/fixdep", "not run")
        kernels.use_own_libc(self.tree, self.tree)
        said = subprocess.run([program, "argument"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"{self.tree}/libc/usr/lib/some-linux ran fixdep.elf argument\n")


if __name__ == "__main__":
    unittest.main()
