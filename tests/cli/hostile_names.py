"""A program and recordings of it in which every name was made to deceive a reader: names that control the terminal, that
look like another line, that reverse the text beside them, that a spreadsheet runs. With the checks that any output must
pass, by Python's own tables of Unicode.

    names = HostileNames(directory)
    names.recording   names.branches   names.program     # files
    deceptive(text)                                      # what must not be in a text, as a list
"""
import platform
import re
import shutil
import struct
import subprocess
import unicodedata

IP, TID, TIME, CHAIN, PERIOD, BRANCHES = 1, 2, 4, 32, 256, 2048
FORGED = "tacho: error: FORGED"
# A formula, terminal commands (title, clipboard, colours), a line end, bidirectional override and isolate, zero width,
# separators, a tag, a C1 control, quotes, separators of CSV and of folded stacks, and bytes that are no UTF-8.
MARK = ('=1+1\x1b]0;T\x07\x1b]52;c;QUJD\x07\x1b[31m\r\b\t\n' + FORGED + '\n\u202e\u2066\u200b\ufeff\u2028\u00ad\U000e0041'
        '\x7f\u009b31m"\',;|\\').encode() + b"\xff\xfe\xed\xa0\x80"

# Invisible by Unicode's DerivedCoreProperties.txt, whatever their category.
IGNORABLE = {0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, *range(0x180b, 0x1810), *range(0xfe00, 0xfe10)}


def is_deceptive(character):
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs") or ord(character) in IGNORABLE


def deceptive(text, kept="\n"):
    """The characters of a text that no output may have, outside `kept`; and lines that look like a message."""
    found = [f"U+{ord(each):04X}" for each in text if each not in kept and is_deceptive(each)]
    return found + re.findall(rf"(?m)^{FORGED}", text)


def hostile(name):
    return MARK.replace(b"=", b"=" + name.encode() + b"=", 1)


def _padded(data, to=8):
    return data + bytes(-len(data) % to)


def _counted(data):
    data = _padded(data + b"\0", 64)
    return struct.pack("<I", len(data)) + data


def _strings(*texts):
    return struct.pack("<I", len(texts)) + b"".join(map(_counted, texts))


def _record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def _map(pid, start, length, offset, name):
    return _record(10, 2, struct.pack("<iiQQQIIQQII", pid, pid, start, length, offset, 8, 1, 1, 0, 5, 2) + _padded(name + b"\0"))


def _sample(sample_type, pid, ip, time, caller, length):
    body = struct.pack("<QiiQQ", ip, pid, pid, time, 1000)
    if sample_type & CHAIN:
        body += struct.pack("<QQQQ", 3, 2**64 - 512, ip, caller)
    if sample_type & BRANCHES:
        # main, which comes behind the function, called it, and it returned. The newest comes first.
        behind = ip + length
        body += struct.pack("<7Q", 2, behind - 1, behind + 5, 8 << 4, behind, ip, 5 << 4)
    return _record(9, 2, body)


def recording(pid, maps, addresses, sample_type, length):
    """A recording in perf's format (file mode, little-endian) in which all texts are hostile. At the first address is a
    function of this length."""
    attribute = struct.pack("<IIQQQQQ", 1, 136, 0, 1000, sample_type, 0, 1 << 8 | 1 << 9 | 1 << 23)
    attribute = (attribute + struct.pack("<IIQQQ", 0, 0, 0, 0, 8 if sample_type & BRANCHES else 0)).ljust(136, b"\0")
    data = _record(3, 1 << 13, struct.pack("<ii", pid, pid) + _padded(hostile("comm") + b"\0"))
    data += b"".join(_map(pid, *each) for each in maps)
    for i in range(40):
        data += _sample(sample_type, pid, addresses[i % len(addresses)], 1000 * i, addresses[0], length)
    texts = {3: "host", 4: "kernel", 5: "perf", 6: "arch", 8: "cpu", 9: "cpuid"}
    features = {bit: _counted(hostile(name)) for bit, name in texts.items()}
    features[11] = _strings(hostile("command"), hostile("argument"))
    features[12] = struct.pack("<II", 1, 136) + attribute + struct.pack("<I", 0) + _counted(hostile("event"))
    attributes_end = 104 + len(attribute) + 16
    table, at = b"", attributes_end + len(data) + 16 * len(features)
    for _, section in sorted(features.items()):
        table += struct.pack("<QQ", at, len(section))
        at += len(section)
    header = b"PERFILE2" + struct.pack("<8Q", 104, len(attribute) + 16, 104, len(attribute) + 16, attributes_end, len(data), 0, 0)
    header += struct.pack("<4Q", sum(1 << bit for bit in features), 0, 0, 0)
    return (header + attribute + struct.pack("<QQ", 104, 0) + data + table
            + b"".join(section for _, section in sorted(features.items())))


class HostileNames:
    FUNCTION = hostile("hot").decode("utf-8", "ignore")
    PID = 0x3ffffff1  # no process has it: Linux has at most 2^22

    def __init__(self, directory):
        self.directory = directory
        self.program = directory / self.file_name("program")
        source = directory / self.file_name("source.c")
        # Lines that the annotation shows, with the bytes in comments. A line end begins another line there.
        comment = MARK.replace(b"\n", b" ").replace(b"\r", b" ").replace(b"\\", b" ")
        source.write_bytes(b"volatile int sum;\nvoid hot(void) { /* " + comment + b" */\n  sum += 1; /* " + comment
                           + b" */\n  sum += 2;\n}\nint main(void) { hot(); return 0; }\n")
        subprocess.run(["gcc", "-g", "-O1", "-no-pie", "-o", self.program, "-x", "c", source], check=True,
                       stderr=subprocess.DEVNULL)
        start, length = self.symbol("hot")
        subprocess.run(["objcopy", "--redefine-sym", b"hot=" + self.FUNCTION.encode(), self.program], check=True)
        page = start & ~0xfff
        path = bytes(str(self.program), "utf-8", "surrogateescape")
        maps = [(page, 0x1000, page - 0x400000, path), (0x7f0000000000, 0x10000, 0, b"//anon")]
        addresses = [start, start + 4, 0x7f0000000010]
        (directory / "tmp").mkdir()
        jitted = hostile("jitted").replace(b"\n", b"")
        (directory / "tmp" / f"perf-{self.PID}.map").write_bytes(b"7f0000000000 100 " + jitted + b"\n")
        self.recording = directory / "hostile.data"
        self.recording.write_bytes(recording(self.PID, maps, addresses, IP | TID | TIME | PERIOD | CHAIN, length))
        self.branches = directory / "branches.data"
        self.branches.write_bytes(recording(self.PID, maps, addresses[:1], IP | TID | TIME | PERIOD | BRANCHES, length))

    @staticmethod
    def file_name(name):
        return hostile(name).replace(b"/", b"").decode("utf-8", "surrogateescape")

    def symbol(self, name):
        """Its address and its size."""
        listing = subprocess.run(["nm", "-S", self.program], capture_output=True, check=True).stdout
        found = re.search(rf"^([0-9a-f]+) ([0-9a-f]+) \w {name}$".encode(), listing, re.M)
        return int(found[1], 16), int(found[2], 16)


def can_build():
    return platform.machine() == "x86_64" and shutil.which("gcc") and shutil.which("objcopy")
