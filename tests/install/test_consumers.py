"""Users' projects with the installed library, and the guide's example in an empty folder."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import consumer
from tacho_cli import BUILD, SOURCE, sanitized


@unittest.skipIf(sanitized(), "a sanitizer's library goes into sanitized programs only")
class Consumers(consumer.Project):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        prefix = pathlib.Path(scratch.name, "prefix")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        library = next(prefix.rglob("libtacho.so")).parent
        # CMake and pkg-config find packages in /usr/local without these variables, but not here.
        cls.environment = {**cls.environment, "CMAKE_PREFIX_PATH": str(prefix), "LD_LIBRARY_PATH": str(library),
                           "PKG_CONFIG_PATH": str(library / "pkgconfig"),
                           "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"}

    def flags(self, *what):
        return self.run_here("pkg-config", *what, "tacho").stdout.split()

    def test_find_package_with_both_libraries(self):
        self.run_here("cmake", "-S", consumer.SOURCES / "find_package", "-B", "build",
                      "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        self.run_here("cmake", "--build", "build")
        for program in ("with_tacho", "with_tacho_static"):
            with self.subTest(program=program):
                output = self.run_here(self.folder / "build" / program).stdout
                self.assertEqual(consumer.counts(output), {"outer": (14, 2), "inner": (42, 2)})

    def test_another_minor_version_is_refused(self):
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(consumer LANGUAGES CXX)\nfind_package(tacho 7.1 REQUIRED)\n")
        result = subprocess.run(["cmake", "-B", "build"], cwd=self.folder, env=self.environment, capture_output=True,
                                text=True)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("tacho", result.stderr)

    def test_pkg_config_and_a_bare_compiler(self):
        self.run_here("c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", consumer.SOURCES / "program.cpp",
                      "-o", "program", *self.flags("--cflags", "--libs"), "-pthread")
        self.assertEqual(consumer.counts(self.run_here(self.folder / "program").stdout), {"outer": (14, 2), "inner": (42, 2)})

    def test_the_c_side_needs_a_c_compiler_alone(self):
        self.run_here("cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", consumer.SOURCES / "program.c",
                      "-o", "program", *self.flags("--cflags", "--libs"))
        self.assertEqual(consumer.counts(self.run_here(self.folder / "program").stdout), {"outer": (14, 1), "inner": (42, 1)})

    def test_a_c_program_links_the_static_library(self):
        self.run_here("cc", "-std=c99", "-static", consumer.SOURCES / "program.c", "-o", "program",
                      *self.flags("--static", "--cflags", "--libs"))
        self.assertEqual(consumer.counts(self.run_here(self.folder / "program").stdout), {"outer": (14, 1), "inner": (42, 1)})

    def test_a_project_in_c_alone_links_both_libraries(self):
        self.run_here("cmake", "-S", consumer.SOURCES / "c_alone", "-B", "build")
        self.run_here("cmake", "--build", "build")
        for program in ("with_tacho", "with_tacho_static"):
            with self.subTest(program=program):
                output = self.run_here(self.folder / "build" / program).stdout
                self.assertEqual(consumer.counts(output), {"outer": (14, 1), "inner": (42, 1)})

    def test_a_program_of_the_headers_of_0_1_runs_with_this_library(self):
        # Their RegionSite::begin() and end() were functions of the library, and every region was measured.
        (self.folder / "old.cpp").write_text('''
            #include <atomic>
            #include <cstdint>
            #include <string_view>
            namespace tacho { inline namespace v0 {
            class [[gnu::visibility("default")]] RegionSite {
             public:
              constexpr explicit RegionSite(std::string_view name) noexcept : name_(name) {}
              void begin() noexcept;
              void end() noexcept;
             private:
              std::string_view name_;
              std::atomic<std::uint32_t> number_{0};
            };
            } }
            static tacho::RegionSite site("old");
            int main() { for (int i = 0; i < 14; ++i) { site.begin(); site.end(); } }
        ''')
        self.run_here("c++", "-std=c++17", "old.cpp", "-o", "old", *self.flags("--libs"))
        self.assertEqual(self.run_here(self.folder / "old").stderr, "")
        said = self.run_here("env", "TACHO_REGIONS=json", self.folder / "old").stderr
        self.assertEqual(consumer.counts(said), {"old": (14, 1)})

    def test_a_region_s_name_must_not_vary(self):
        # Otherwise all executions would be reported with the first name.
        program = '#include <tacho/caliper.hpp>\nint main(int, char** name) {{ TACHO_REGION({}); (void)name; }}\n'
        for name, compiles in (('"a" "b"', True), ("*name", False)):
            (self.folder / "name.cpp").write_text(program.format(name))
            result = subprocess.run(["c++", "-std=c++17", "-fsyntax-only", "name.cpp", *self.flags("--cflags")],
                                    cwd=self.folder, env=self.environment, capture_output=True, text=True)
            self.assertEqual(result.returncode == 0, compiles, result.stderr)

    def test_an_ignored_result_is_a_warning(self):
        program = ("#include <tacho/report.hpp>\n#include <tacho/caliper.hpp>\nstatic tacho::RegionSite site(\"x\");\n"
                   "int main() {{ {} }}\n")
        for statement, compiles in (("tacho::Region region{site};", True), ("tacho::Region{site};", False),
                                    ("tacho::region_report();", False), ('tacho::count_in_regions({"x"});', False)):
            with self.subTest(statement):
                (self.folder / "ignored.cpp").write_text(program.format(statement))
                result = subprocess.run(["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                                         "ignored.cpp", *self.flags("--cflags")], cwd=self.folder,
                                        env=self.environment, capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode == 0, compiles, result.stderr)

    def test_turned_off_it_needs_no_library(self):
        (self.folder / "off.cpp").write_text('#include <tacho/caliper.hpp>\nint main() { TACHO_REGION("x"); tacho::note("n", 1); }\n')
        self.run_here("c++", "-std=c++17", "-DTACHO_OFF", "off.cpp", "-o", "off", *self.flags("--cflags"))
        self.assertNotIn(b"tacho", self.run_here("nm", "-C", "off").stdout.encode())
        self.run_here(self.folder / "off")

    def test_the_guide_s_example_works_in_an_empty_folder(self):
        guide = (SOURCE / "docs" / "how-to" / "measure-regions.md").read_text()
        files = dict(re.findall(r"^`(\S+)`:\n```\w*\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL))
        self.assertEqual(set(files), {"main.cpp", "CMakeLists.txt"})
        for name, text in files.items():
            (self.folder / name).write_text(text)
        example = guide[guide.index("`main.cpp`:"):guide.index("\n## ", guide.index("`main.cpp`:"))]
        commands = re.findall(r"^\$ (.*)$", example, re.MULTILINE)
        self.assertGreater(len(commands), 3)
        said = ""
        for command in commands:
            result = self.run_here("sh", "-c", command)
            said += result.stdout + result.stderr
        # Each command that reports prints both regions: as many rows as the guide shows.
        for region, executions in (("sort", "100"), ("fill", "100")):
            row = rf"^ +{region} +{executions} "
            self.assertEqual(len(re.findall(row, said, re.MULTILINE)), len(re.findall(row, example, re.MULTILINE)), said)
            self.assertGreater(len(re.findall(row, said, re.MULTILINE)), 1)


if __name__ == "__main__":
    unittest.main()
