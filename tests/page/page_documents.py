"""Reads the data of a page, and makes a page that has other data: for machines and programs that are not here.

Also the words that pages have for figures of the JSON.
"""
import base64
import gzip
import json
import pathlib
import re

_DATA = re.compile(r'(<script type="application/octet-stream" id="data">)([^<]*)(</script>)')


def data_of(page):
    """The Page (web/data.js) that a page shows."""
    return json.loads(gzip.decompress(base64.b64decode(_DATA.search(pathlib.Path(page).read_text()).group(2))))


def with_data(page, name, **changes):
    """A copy of a page, beside it, in which members of the Page are others."""
    data = base64.b64encode(gzip.compress(json.dumps({**data_of(page), **changes}).encode())).decode()
    text = _DATA.sub(lambda found: found.group(1) + data + found.group(3), pathlib.Path(page).read_text())
    made = pathlib.Path(page).with_name(f"{name}.html")
    made.write_text(text)
    return str(made)


def table_after(driver, heading):
    """The texts of the cells of the first table behind a heading: a list of rows, by the titles of their columns."""
    return driver.execute_script("""
        const heading = [...document.querySelectorAll("h2, h3")].find((each) => each.textContent === arguments[0]);
        const table = [...document.querySelectorAll("table")].find((each) =>
            heading.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
        const titles = [...table.querySelectorAll("th")].map((each) => each.textContent);
        return [...table.querySelectorAll("tbody tr")].map((row) => Object.fromEntries(
            [...row.cells].map((cell, index) => [titles[index], cell.textContent])));
    """, heading)


def press(driver, text):
    """Presses the button with this text."""
    driver.execute_script("""
        [...document.querySelectorAll("button")].find((each) => each.textContent === arguments[0]).click();
    """, text)


def percent(share):
    return f"{100 * share:.1f} %"


def ends(interval):
    return f"{100 * interval[0]:.1f}…{100 * interval[1]:.1f} %"


def nameless(module):
    """Stands for a function of the module whose name is not known."""
    return module if module.startswith("[") else f"[{module}]"
