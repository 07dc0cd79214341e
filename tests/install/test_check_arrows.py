"""tools/check-arrows on made-up trees."""
import pathlib
import subprocess
import tempfile
import unittest

from tacho_cli import SOURCE

TABLE = """
function(tacho_room name)
endfunction()
tacho_room(base)
tacho_room(pmu    USES base           LIBS fmt::fmt)
tacho_room(report USES base)
tacho_room(process USES base)
# tacho_room(base USES cli)
tacho_room(cli    USES report process LIBS fmt::fmt)
"""


def check(files, table=TABLE):
    """check-arrows' exit status and its lines, with the made-up files below src/ or at their own place."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in {"CMakeLists.txt": table, **files}.items():
            path = pathlib.Path(root, name if name.startswith("simulator/") else f"src/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([SOURCE / "tools" / "check-arrows", root], capture_output=True, text=True)
        assert not result.stderr, result.stderr
        return result.returncode, result.stdout.replace("src/", "").splitlines()


class CheckArrows(unittest.TestCase):
    def assert_breaches(self, files, *places, **options):
        code, lines = check(files, **options)
        self.assertEqual([line.partition(": ")[0] for line in lines], list(places), lines)
        self.assertEqual(code, 1 if places else 0)

    def test_arrows_forwards_and_through_others_are_kept(self):
        self.assert_breaches({"cli/a.cpp": '#include "report/r.hpp"\n#include "base/b.hpp"\n#include "cli/a.hpp"\n',
                              "report/r.hpp": '#include <vector>\n#include "base/b.hpp"\n', "base/b.hpp": ""})

    def test_arrows_backwards_and_sideways_are_breaches(self):
        self.assert_breaches({"base/b.hpp": '#pragma once\n#include "report/r.hpp"\n',
                              "cli/a.cpp": '\n\n#  include "pmu/p.hpp"\n'}, "base/b.hpp:2", "cli/a.cpp:3")

    def test_perf_event_h_belongs_to_pmu(self):
        self.assert_breaches({"pmu/p.cpp": "#include <linux/perf_event.h>\n",
                              "report/r.cpp": "#include <linux/perf_event.h>\n"}, "report/r.cpp:1")

    def test_only_cli_prints(self):
        printing = 'void f() {\n  fmt::print("x");\n  std::cerr << 1;\n  fputs("x", stderr);\n}\n'
        self.assert_breaches({"cli/a.cpp": printing, "report/r.cpp": printing},
                             "report/r.cpp:2", "report/r.cpp:3", "report/r.cpp:4", "report/r.cpp:4")

    def test_a_type_has_one_header_in_its_namespace(self):
        place = "namespace tacho {\nstruct Place {\n  int at;\n};\n}\n"
        self.assert_breaches({"base/b.hpp": place, "pmu/p.hpp": place.replace("Place {", "Place {  // another"),
                              "report/r.hpp": place.replace("tacho", "tacho::perfdata"),
                              "cli/a.hpp": "namespace tacho {\nstruct Place;\n}\n"}, "pmu/p.hpp:2")

    def test_only_cli_and_process_know_exit_codes(self):
        leaving = "void f() { _exit(127); }\n"
        self.assert_breaches({"cli/a.cpp": leaving, "process/l.cpp": leaving, "report/r.cpp": leaving},
                             "report/r.cpp:1")

    def test_comments_and_literals_are_no_breaches(self):
        self.assert_breaches({"base/b.cpp": '// stderr\n/* exit(1)\n#include "cli/a.hpp"\n*/\n'
                                            'auto s = "\\"printf("; auto r = R"x(puts("")x"; char c = \'"\';\n'})

    def test_code_behind_literals_is_still_seen(self):
        self.assert_breaches({"base/b.cpp": "int n = 1'000; char c = '\"'; void f() { puts(\"\"); }\n"}, "base/b.cpp:1")

    def test_a_circle_in_the_table_is_a_breach(self):
        self.assert_breaches({}, "CMakeLists.txt:1", "CMakeLists.txt:1",
                             table="tacho_room(a USES b)\ntacho_room(b USES a)\n")

    def test_two_headers_in_a_circle_are_a_breach(self):
        self.assert_breaches({"base/a.hpp": '#include "base/b.hpp"\n', "base/b.hpp": '\n#include "base/c.hpp"\n',
                              "base/c.hpp": '#include "base/a.hpp"\n'}, "base/a.hpp:1")

    def test_two_sources_that_include_each_other_s_headers_are_a_breach(self):
        self.assert_breaches({"simulator/a.c": '#include "a.h"\n#include "b.h"\n', "simulator/a.h": "",
                              "simulator/b.c": '#include "a.h"\n', "simulator/b.h": ""}, "simulator/a.c:2")

    def test_one_header_of_many_is_no_circle(self):
        self.assert_breaches({"base/a.cpp": '#include "base/a.hpp"\n#include "base/b.hpp"\n', "base/a.hpp": "",
                              "base/b.hpp": '#include "base/c.hpp"\n', "base/c.hpp": ""})

    def test_rooms_that_are_too_large_are_breaches(self):
        rooms = [f"r{number}" for number in range(10)]
        table = "".join(f"tacho_room({room})\n" for room in ["cli", *rooms])
        files = {f"{room}/a.cpp": "//\n" * 9 for room in rooms}
        self.assert_breaches({**files, "cli/a.cpp": "//\n" * 9}, table=table)
        self.assert_breaches({**files, "cli/a.cpp": "//\n" * 11}, "cli:1", table=table)
        self.assert_breaches({"cli/a.cpp": "//\n" * 3000}, table=table)
        self.assert_breaches({"cli/a.cpp": "//\n" * 3001}, "cli:1", table=table)

    def test_a_folder_that_is_no_room_is_a_breach(self):
        self.assert_breaches({"utils/u.hpp": ""}, "utils/u.hpp:1")


if __name__ == "__main__":
    unittest.main()
