"""Reads the series of an OpenMetrics text, and asks other programs whether it is one."""
import re
import shutil
import subprocess
import unittest

try:
    from prometheus_client.openmetrics import parser as strict
except ImportError:
    strict = None

SERIES = re.compile(r'(\w+)\{(.*)\} (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def series(text):
    """{(name, frozenset of labels): value}. A line that is no series or no comment fails, and so does a second one."""
    found = {}
    lines = text.splitlines()
    assert lines[-1] == "# EOF" and text.endswith("\n"), text
    for line in lines:
        if line.startswith("# "):
            continue
        name, labels, value = SERIES.fullmatch(line).groups()
        key = name, frozenset(LABEL.findall(labels))
        assert key not in found, line
        found[key] = float(value)
    return found


def value(text, name, **labels):
    """The only series of this name with exactly these labels, beside `run`."""
    found = [number for (its, all_labels), number in series(text).items()
             if its == name and {key: label for key, label in all_labels if key != "run"} == labels]
    assert len(found) == 1, f"{name} {labels} is there {len(found)} times:\n{text}"
    return found[0]


def names(text):
    return {name for name, _ in series(text)}


def assert_is_valid(case, text):
    """By promtool, which reads the older format, and by Prometheus' OpenMetrics parser for Python."""
    if not shutil.which("promtool") and not strict:
        raise unittest.SkipTest("neither promtool (package prometheus) nor python3-prometheus-client is installed")
    if strict:
        families = list(strict.text_string_to_metric_families(text))
        case.assertIn("tacho_info", [family.name for family in families])
        case.assertTrue(all(family.documentation for family in families))
    if shutil.which("promtool"):
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        # In the older format the help belongs to NAME_total, and OpenMetrics has it at NAME.
        complaints = [line for line in (checked.stdout + checked.stderr).splitlines()
                      if not re.fullmatch(r"tacho_\w+_total no help text", line)]
        case.assertEqual(complaints, [])
