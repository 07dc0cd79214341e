"""Small programs whose names or debug information unfold to gigabytes or take hours: bombs(DIRECTORY) writes each, with
a recording. python3 symbol_bombs.py DIRECTORY"""
import pathlib
import struct
import sys
import zlib

try:
    from hostile.made_up_elf import ADDRESS, CODE, elf, recording
except ImportError:
    from made_up_elf import ADDRESS, CODE, elf, recording

COMPRESSED = 0x800  # SHF_COMPRESSED


def leb(value):
    encoded = b""
    while value > 0x7f:
        encoded += bytes([value & 0x7f | 0x80])
        value >>= 7
    return encoded + bytes([value])


def substitution(number):
    """The back reference to the component of this number."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text, left = "", number - 1
    while left >= 0:
        text, left = digits[left % 36] + text, left // 36 - 1
    return f"S{text}_"


def doubling_name(levels):
    """Each template has two arguments, which are the template before it."""
    return "_Z1fSt4pairIiiE" + "".join(f"S_I{substitution(i + 1)}{substitution(i + 1)}E" for i in range(levels))


def doubling_rust_name(levels):
    """Each tuple has two elements, which are the tuple before it."""
    name, last = "_RINvC1a1f", "h"
    for _ in range(levels):
        at = len(name) - 2  # back references count from behind _R
        name += f"T{last}{last}E"
        digits, number = "", at
        if number:
            number -= 1
            while True:
                digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 62] + digits
                number //= 62
                if number == 0:
                    break
        last = f"B{digits}_"
    return name + "E"


def abbreviation(code, tag, children, attributes):
    return leb(code) + leb(tag) + bytes([children]) + b"".join(leb(name) + leb(form) for name, form in attributes) + b"\0\0"


UNIT, FUNCTION, INLINED, LISTED, SCOPE = 1, 2, 3, 4, 5
NAME, SIBLING, LINES, LOW, HIGH, RANGES = 3, 1, 0x10, 0x11, 0x12, 0x55
STRING, SEC_OFFSET, ADDR, DATA4, REF4 = 8, 0x17, 1, 6, 0x13
OF_UNIT = [(NAME, STRING), (LINES, SEC_OFFSET), (LOW, ADDR), (HIGH, DATA4)]
TABLE = (abbreviation(UNIT, 0x11, 1, OF_UNIT)
         + abbreviation(FUNCTION, 0x2e, 1, [(NAME, STRING), (LOW, ADDR), (HIGH, DATA4)])
         + abbreviation(INLINED, 0x1d, 1, [(NAME, STRING), (LOW, ADDR), (HIGH, DATA4)])
         + abbreviation(LISTED, 0x2e, 0, [(RANGES, SEC_OFFSET)])
         + abbreviation(SCOPE, 0x39, 1, [(SIBLING, REF4)])
         + abbreviation(SCOPE + 1, 0x0b, 1, [(SIBLING, REF4)]) + b"\0")
CODE_RANGE = struct.pack("<QI", ADDRESS, CODE)
HEADER = 11  # bytes of a unit's header


def unit(entries, version=4, table=0):
    """A unit with these entries, behind its own one, which has the line table at 0."""
    first = leb(UNIT) + b"t.c\0" + struct.pack("<I", 0) + CODE_RANGE
    body = struct.pack("<HIB", version, table, 8) + first + entries(HEADER + len(first)) + b"\0"
    return struct.pack("<I", len(body)) + body


def line_table(program, directories=b"", files=b"t.c\0\0\0\0"):
    header = bytes([1, 1, 0xfb, 14, 13]) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + directories + b"\0" + files + b"\0"
    body = struct.pack("<HI", 3, len(header)) + header + program
    return struct.pack("<I", len(body)) + body


LINES_OF_MAIN = line_table(b"\0\x09\x02" + struct.pack("<Q", ADDRESS) + b"\x01\x02" + leb(CODE) + b"\0\x01\x01")


def dwarf(entries, lines=LINES_OF_MAIN, table=TABLE, more=()):
    return [(".debug_info", unit(entries)), (".debug_abbrev", table), (".debug_line", lines), *more]


def siblings(count, code, at):
    """Each entry's sibling is its own child."""
    size = 5
    return b"".join(leb(code) + struct.pack("<I", at + size * (i + 1)) for i in range(count)) + b"\0" * (count + 1)


def function(inside):
    """A function with these entries in it. `inside` gets their offset."""
    head = leb(FUNCTION) + b"main\0" + CODE_RANGE
    return lambda at: head + inside(at + len(head)) + b"\0"


def compressed(stated, size):
    return struct.pack("<IIQQ", 1, 0, stated, 1) + zlib.compress(bytes(size), 9)


def _sections():
    """The sections of each program with debug information."""
    inlined = leb(INLINED) + b"x\0" + CODE_RANGE
    empty_unit = struct.pack("<IHIB", 8, 4, 0, 8) + leb(99)
    wide = abbreviation(UNIT, 0x11, 1, OF_UNIT) + abbreviation(2, 0x34, 0, [(0x3c, 0x19)] * 20000) + b"\0"
    rows = b"\0\x09\x02" + struct.pack("<Q", ADDRESS) + b"\x20" * 6000000 + b"\0\x01\x01"
    return {
        "siblings": dwarf(lambda at: siblings(70, SCOPE, at)),
        "inlined siblings": dwarf(function(lambda at: siblings(70, SCOPE + 1, at))),
        "backward sibling": dwarf(function(lambda at: leb(SCOPE) + struct.pack("<I", at) + b"\0")),
        "shared ranges": dwarf(lambda at: (leb(LISTED) + struct.pack("<I", 0)) * 5000, more=[
            (".debug_ranges", struct.pack("<QQ", 0, 8) * 5000 + bytes(16))]),
        "overlapping inlined functions": dwarf(function(lambda at: (inlined + b"\0") * 20000)),
        "nested inlined functions": dwarf(function(lambda at: inlined * 20000 + b"\0" * 20000)),
        "abbreviations of units": [(".debug_info", empty_unit * 20000), (".debug_line", LINES_OF_MAIN), (
            ".debug_abbrev", b"".join(abbreviation(100 + i, 0x34, 0, []) for i in range(40000)) + b"\0")],
        "wide abbreviation": dwarf(lambda at: leb(2) * 200000, table=wide),
        "rows": dwarf(lambda at: b"", lines=line_table(rows)),
        "directory of every file": dwarf(lambda at: b"", lines=line_table(
            b"\0\x01\x01", directories=b"d" * 100000 + b"\0", files=b"f\0\x01\0\0" * 40000)),
        "directory of the compiler": dwarf(lambda at: b"", lines=line_table(
            b"\0\x01\x01", directories=b"d" * 4000 + b"\0", files=b"f\0\x01\0\0" * 200000)),
    }


def bombs(directory):
    """Yields the name of each bomb, and the paths of its program and its recording."""
    directory = pathlib.Path(directory)
    programs = []

    def add(name, *arguments, **options):
        programs.append((name, elf(directory / name.replace(" ", "-"), *arguments, **options)))

    def named(*names):
        return [(name, ADDRESS, CODE) for name in names]

    add("doubling name", symbols=named(doubling_name(30)))
    add("parsed twice", symbols=named("_ZN1acv" + "T_I" * 60 + "i" + "E" * 60 + "Ev"))
    add("doubling Rust name", symbols=named(doubling_rust_name(40)))
    add("long names", symbols=[(b"x" * 3000000, ADDRESS, 1)] + [("y", ADDRESS + i, 1) for i in range(1, CODE)])
    for name, sections in _sections().items():
        add(name, sections)
    for name, stated in (("unpacks to 200 MiB", 200 << 20), ("claims to unpack to 1 TiB", 1 << 40)):
        add(name, dwarf(lambda at: b"", more=[(".debug_str", compressed(stated, 200 << 20))]),
            flags={".debug_str": COMPRESSED})
    for kind in (".debug_info", ".debug_str"):
        add(f"8 GiB hole in {kind}", dwarf(lambda at: b"", more=[(".debug_str", b"")]), size=(1 << 33) + (1 << 20),
            stated={kind: 1 << 33})
    add("symbols in an 8 GiB hole", size=(1 << 33) + (1 << 20), stated={".symtab": 1 << 33})
    add("1 TiB of sections", size=1 << 40, stated={".text": 1 << 39, ".symtab": 1 << 39, ".strtab": 1 << 39})
    for name, program in programs:
        yield name, program, recording(f"{program}.data", program, range(0, CODE, 4))


if __name__ == "__main__":
    for each in bombs(sys.argv[1]):
        print(*each, sep="\t")
