"""The installed programs and libraries have what makes exploits hard, as their ELF headers say."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from tacho_cli import BUILD


def readelf(option, file):
    return subprocess.run(["readelf", "-W", option, file], check=True, capture_output=True, text=True).stdout


def is_elf(file):
    return file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"


class Hardening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.prefix = pathlib.Path(scratch.name, "prefix")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)
        files = sorted(filter(is_elf, cls.prefix.rglob("*")))
        # The simulator is a tool for Valgrind, which loads it at a fixed address and gives it no libc.
        cls.files = {file.name: file for file in files if "valgrind" not in file.parts}
        cached = (pathlib.Path(BUILD) / "CMakeCache.txt").read_text()
        cls.pie = "TACHO_PIE:BOOL=ON" in cached
        cls.optimised = "CMAKE_BUILD_TYPE:STRING=Release" in cached and "TACHO_HARDENING:BOOL=ON" in cached

    def setUp(self):
        if not self.optimised:
            self.skipTest("not a release build with TACHO_HARDENING")

    def test_the_program_and_the_library_are_there(self):
        self.assertIn("tacho", self.files)
        self.assertTrue(any(name.startswith("libtacho.so") for name in self.files), self.files)

    def test_code_is_at_a_random_address(self):
        """Not that of a static program, unless it was asked for: cmake/Hardening.cmake says why."""
        for name, file in self.files.items():
            is_static = "INTERP" not in readelf("-l", file) and ".so" not in name
            with self.subTest(name):
                expected = "EXEC" if is_static and not self.pie else "DYN"
                self.assertRegex(readelf("-h", file), rf"Type: +{expected}\b")

    def test_tables_of_functions_are_read_only_from_the_start(self):
        for name, file in self.files.items():
            with self.subTest(name):
                self.assertIn("GNU_RELRO", readelf("-l", file))
                dynamic = readelf("-d", file)
                if "There is no dynamic section" not in dynamic:
                    self.assertRegex(dynamic, r"BIND_NOW|FLAGS.*\bNOW\b")

    def test_no_stack_and_no_writable_memory_is_executable(self):
        for name, file in self.files.items():
            with self.subTest(name):
                headers = readelf("-l", file)
                stack, = re.findall(r"GNU_STACK.*", headers)
                self.assertRegex(stack, r" RW +0x")
                self.assertNotIn("RWE", headers)

    def test_the_librarys_functions_check_their_arrays(self):
        """In the static program these symbols say nothing: its libc has them, too."""
        library = next(file for name, file in self.files.items() if name.startswith("libtacho.so"))
        symbols = readelf("--dyn-syms", library)
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__(mem|str|read|snprintf|fprintf|pread)\w*_chk")


if __name__ == "__main__":
    unittest.main()
