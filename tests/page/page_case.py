"""What the tests of pages share: one browser (Chromium without a window) for each file, and pages that tacho writes.

After each test, the browser must have said no error, and must have asked for nothing but the pages themselves.
"""
import contextlib
import itertools
import json
import pathlib
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from tacho_cli import run

_PATIENCE = 60  # seconds: a sanitizer's machine is slow
_ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000")


def _browser():
    options = webdriver.ChromeOptions()
    for argument in _ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls._numbers = itertools.count()
        cls.driver = _browser()
        cls.addClassCleanup(cls.driver.quit)

    @classmethod
    def tacho(cls, *arguments):
        """What tacho prints."""
        result = run(*map(str, arguments))
        assert result.code == 0, result.stderr
        return result.stdout

    @classmethod
    def page_of(cls, subcommand, *arguments):
        """The path of the page that tacho writes."""
        page = str(pathlib.Path(cls.folder) / f"page{next(cls._numbers)}.html")
        cls.tacho(subcommand, "--html", page, *arguments)
        return page

    def open_page(self, path):
        """Opens a page and waits until it is drawn."""
        self.driver.get(pathlib.Path(path).as_uri())
        WebDriverWait(self.driver, _PATIENCE).until(
            lambda driver: driver.execute_script("return document.documentElement.dataset.ready === 'yes' || "
                                                 "document.querySelector('.failure') !== null"))
        return self.driver

    @contextlib.contextmanager
    def window_of(self, width):
        """A window of so many pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def assert_fits_a_narrow_window(self):
        """The page that is open has nothing beyond the right edge of 390 pixels."""
        with self.window_of(390):
            self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"), 390)

    def tearDown(self):
        said = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual(said, [])
        requests = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = {each["params"]["request"]["url"].split(":")[0] for each in requests
                 if each["method"] == "Network.requestWillBeSent"}
        self.assertLessEqual(asked, {"file", "data", "blob"})
        super().tearDown()
