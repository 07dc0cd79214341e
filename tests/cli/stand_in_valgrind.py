"""Plays Valgrind with tacho's tool, for tests of what tacho does with a simulator's records and faults.

    stand_in = StandIn(directory)
    stand_in.records(columns(7, ["cycles", "loads"]), slices(7, [1000, 3], [2000, 5]))
    run("stat", "--pmu", "simulated", "--", "true", env=stand_in.env)

It notes how it was called, writes the bytes that the test has made up to the records and to a log, and
becomes the command (or leaves).
"""
import json
import os
import pathlib
import re
import struct
import sys

SCRIPT = """#!{python}
import sys
sys.path.insert(0, {directory!r})
import stand_in_valgrind
stand_in_valgrind.play({home!r})
"""


def batch(process, kind, body):
    return b"TSR1" + struct.pack("<III", process, kind, len(body)) + body


def columns(process, names):
    return batch(process, 1, b"".join(name.encode() + b"\0" for name in names))


def leb128(value):
    encoded = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        encoded.append(low | (0x80 if value else 0))
        if not value:
            return bytes(encoded)


def slices(process, *counts):
    return batch(process, 2, b"".join(leb128(count) for each in counts for count in each))


def end(process):
    return batch(process, 4, b"")


class StandIn:
    def __init__(self, directory):
        self.home = pathlib.Path(directory)
        (self.home / "bin").mkdir()
        (self.home / "lib").mkdir()
        (self.home / "lib" / "tacho-amd64-linux").touch()
        (self.home / "tmp").mkdir()
        script = self.home / "bin" / "valgrind"
        script.write_text(SCRIPT.format(python=sys.executable, home=str(self.home),
                                        directory=str(pathlib.Path(__file__).parent)))
        script.chmod(0o755)
        self.env = {"PATH": f"{self.home}/bin:{os.environ['PATH']}", "TACHO_SIMULATOR_DIR": str(self.home / "lib"),
                    "TMPDIR": str(self.home / "tmp")}

    def records(self, *batches):
        (self.home / "records").write_bytes(b"".join(batches))

    def log(self, text):
        (self.home / "log").write_text(text)

    def leaves_with(self, status):
        """Instead of running the command."""
        (self.home / "status").write_text(str(status))

    def call(self):
        """How it was called last: {"options", "command", "library", "model"}."""
        return json.loads((self.home / "call").read_text())

    def left_behind(self):
        """What tacho has not removed from TMPDIR."""
        return list((self.home / "tmp").iterdir())


def play(home):
    home = pathlib.Path(home)
    marker = sys.argv.index("--")
    options = dict(word.partition("=")[::2] for word in sys.argv[1:marker])
    command = sys.argv[marker + 1:]
    call = {"options": options, "command": command, "library": os.environ.get("VALGRIND_LIB"),
            "model": pathlib.Path(options["--model"]).read_text()}
    (home / "call").write_text(json.dumps(call))
    if (home / "records").exists():
        with open(options["--records"], "ab") as records:
            records.write((home / "records").read_bytes())
    if (home / "log").exists():
        log = re.sub("%(.)", lambda found: {"p": str(os.getpid()), "%": "%"}[found[1]], options["--log-file"])
        pathlib.Path(log).write_text((home / "log").read_text())
    if (home / "status").exists():
        sys.exit(int((home / "status").read_text()))
    os.execvp(command[0], command)
