"""The layout of rpistat.txt as it was published in 2013, and a reader of it that is independent of its writer."""
import dataclasses
import re

# A line of the published report: its label, the column at which its value begins, and what the value looks like.
# What tacho adds stands on the right of that, in a line of its own (PMU, ±), or in Notes at the end.
NUMBER = r"\d{1,3}(?:,\d{3})*"
COUNT = rf"(?P<count>{NUMBER})"
SCALED = rf"{COUNT}  \[(?P<scaled>{NUMBER})\]"
RATIO = r"(?P<ratio>\d+\.\d{3})"
CPI, PERCENT, PTI = RATIO + "(?: {1,2}(?=  ))?", r"(?=.{7}%)" + RATIO + " +%", r"(?=.{8}PTI)" + RATIO + " +PTI"
LINES = (
    ("Cycles:", COUNT), ("Instructions:", SCALED), ("IBUF stall cycles:", SCALED), ("Instr periods:", COUNT),
    ("CPI:", CPI), ("IBUF stall percent:", PERCENT), None,
    ("DC cached accesses:", SCALED), ("DC misses:", SCALED), ("DC periods:", COUNT), ("DC miss ratio:", PERCENT), None,
    ("MicroTLB misses:", SCALED), ("Main TLB misses:", SCALED), ("TLB periods:", COUNT), ("Micro miss rate:", PTI),
    ("Main miss rate:", PTI), None,
    ("Branches:", SCALED), ("Mispredicted BR:", SCALED), ("BR periods:", COUNT), ("Branch rate:", PTI),
    ("Mispredict ratio:", PERCENT))
DATE = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d \d{4}"
ABSENT = r"not available \((?P<reason>.+)\)"
ENDS = r"\((?P<low>[\d,.]+)…(?P<high>[\d,.]+)\)"
SPREAD = rf"(?:  (?:± (?P<spread>[\d,.<]+)(?P<relative> %)?|{ENDS}))?(?:  \((?P<remark>.*)\))?"


@dataclasses.dataclass
class Value:
    """Of one line; what it does not have is None."""
    count: float | None = None
    scaled: float | None = None
    ratio: float | None = None
    spread: float | None = None
    digit: float | None = None   # what the last digit of the spread stands for
    relative: bool = False       # the spread is in per cent of the value
    low: float | None = None     # the ends of the interval, where there is no spread
    high: float | None = None
    reason: str | None = None
    remark: str | None = None

    def holds(self, truth):
        """Whether the scaled count's interval contains the truth, with what printing it took away."""
        if self.high is not None:
            return self.low - 0.5 <= truth <= self.high + 0.5
        half_width = (self.spread + self.digit / 2) * (self.scaled / 100 if self.relative else 1) + 0.5
        return abs(self.scaled - truth) <= half_width


def number(text):
    return None if text is None else float(text.replace(",", "").replace("<", ""))


def value_of(text, shape):
    match = re.fullmatch(shape + SPREAD, text) or re.fullmatch(ABSENT, text)
    if match is None:
        raise AssertionError(f"{text!r} does not look like {shape}")
    found = match.groupdict()
    spread = found.get("spread") or "0"
    digit = 0 if spread == "0" else 10.0 ** -len(spread.partition(".")[2])
    return Value(number(found.get("count")), number(found.get("scaled")), number(found.get("ratio")),
                 number(found.get("spread")), digit, bool(found.get("relative")), number(found.get("low")),
                 number(found.get("high")), found.get("reason"), found.get("remark"))


def read(text):
    """{label: Value} of a report, with "command", "pmu" and "Notes". Every line must stand where it stood in 2013."""
    lines = iter(text.splitlines())

    def expect(pattern):
        line = next(lines, "the end")
        match = re.fullmatch(pattern, line)
        if match is None:
            raise AssertionError(f"{line!r} where {pattern} was expected")
        return match.groups()

    values = {"command": expect("rpistat: (.+)")[0]}
    expect(DATE)
    expect("")
    expect("System information")
    expect(r"  Number of processors:     (\d+)")
    values["pmu"] = expect(r"  PMU:                      (\S.*)")[0]
    expect("")
    expect("Performance events")
    expect(r"  \[ \.\.\. \] = scaled event count")
    expect("  PTI     = per thousand instructions")
    expect("  ±       = .*95 %.*")
    values["Total periods"] = value_of(expect(r"  Total periods:      (\S.*)")[0], COUNT)
    expect("")
    for line in LINES:
        if line is None:
            expect("")
            continue
        label, shape = line
        shown = expect("  " + re.escape(label) + f" {{{20 - len(label)}}}" + r"(\S.*)")[0]
        values[label[:-1]] = value_of(shown, shape)
    rest = list(lines)
    if rest and rest[:2] != ["", "Notes"]:
        raise AssertionError(f"behind the report: {rest}")
    values["Notes"] = " ".join(line.strip() for line in rest[2:])
    return values


def rows_of(data):
    """The lines of rpistat.data as {column: number, or None where it was not counted}."""
    header = [line for line in data.splitlines() if line.startswith("#")][-1].split()[1:]
    return [{name: None if word == "-" else float(word) for name, word in zip(header, line.split(), strict=True)}
            for line in data.splitlines() if not line.startswith("#")]
