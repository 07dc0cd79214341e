"""The page of `tacho latency --cores --html`: a heat map of the times between CPUs, for any number of them."""
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from page_case import PageCase
from page_documents import press, with_data


def matrix(count, time=lambda row, column: 100.0 + row + column / 1000, interval=lambda ns: [ns - 2, ns + 3]):
    """A document of `tacho latency --cores --json`."""
    ns = [[None if row == column else time(row, column) for column in range(count)] for row in range(count)]
    return {"tacho": {"version": "0.1.0", "schema": 1},
            "cores": {"what": "core to core and back", "rows": list(range(count)), "columns": list(range(count)),
                      "ns": ns, "ns_ci95": [[each and interval(each) for each in row] for row in ns],
                      "partial": False}}


class CoresPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Any page has the script of all kinds. A machine of one CPU cannot measure pairs.
        cls.any = cls.page_of("stat", "--pmu", "software", "--", "true")

    def show(self, name, document):
        return self.open_page(with_data(self.any, name, kind="cores", document=document))

    def cell_text(self):
        return self.driver.find_element(By.CSS_SELECTOR, ".cell-text").text

    def arrows(self, *keys):
        canvas = self.driver.find_element(By.CSS_SELECTOR, "canvas.cells")
        for key in keys:
            canvas.send_keys(key)

    def lightness(self, row, column):
        """Of a cell of two CPUs, 0 to 255. Such a cell has 84 by 44 pixels, and 2 are behind the last one."""
        return self.driver.execute_script("""
            const canvas = document.querySelector("canvas.cells");
            const copy = new OffscreenCanvas(1, 1).getContext("2d");
            copy.drawImage(canvas, devicePixelRatio * (2 + 84 * (2 - arguments[1]) - 8) - canvas.width,
                           devicePixelRatio * (2 + 44 * (2 - arguments[0]) - 8) - canvas.height);
            const [red, green, blue] = copy.getImageData(0, 0, 1, 1).data;
            return 0.3 * red + 0.6 * green + 0.1 * blue;
        """, row, column)

    def test_two_cpus_and_their_intervals(self):
        self.show("two", matrix(2, lambda row, column: [440.0, 446.0][row]))
        finding = self.driver.find_element(By.CSS_SELECTOR, ".finding").text
        self.assertIn("from 440.0 ± 3.0 ns (CPU 0 to CPU 1) to 446.0 ± 3.0 ns (CPU 1 to CPU 0)", finding)
        self.assertNotIn("overlap", finding)
        self.assertIn("CPU 0 to CPU 1: 440.0 ± 3.0 ns.", self.cell_text())

    def test_times_that_may_be_equal_are_called_so(self):
        self.show("equal", matrix(2, lambda row, column: [440.0, 443.0][row]))
        self.assertIn("All intervals overlap", self.driver.find_element(By.CSS_SELECTOR, ".finding").text)

    def test_a_time_without_an_interval_is_marked(self):
        self.show("unsure", matrix(2, interval=lambda ns: None))
        self.assertIn("(?)", self.cell_text())
        self.assertNotIn("±", self.cell_text())

    def test_a_longer_time_has_another_lightness_and_noise_does_not(self):
        self.show("light", matrix(2, lambda row, column: [40.0, 160.0][row]))
        apart = abs(self.lightness(0, 1) - self.lightness(1, 0))
        self.show("noise", matrix(2, lambda row, column: [440.0, 446.0][row]))
        self.assertGreater(apart, 10 * abs(self.lightness(0, 1) - self.lightness(1, 0)))

    def test_one_cpu_and_none_are_no_pair(self):
        for count in (0, 1):
            with self.subTest(count=count):
                self.show(f"few{count}", matrix(count))
                self.assertIn("A pair needs two CPUs.", self.driver.find_element(By.TAG_NAME, "main").text)
                self.assertEqual([], self.driver.find_elements(By.TAG_NAME, "canvas"))

    def test_a_missing_time_is_not_a_zero(self):
        document = matrix(3)
        document["cores"]["ns"][0][1] = document["cores"]["ns_ci95"][0][1] = None
        document["cores"]["partial"] = True
        self.show("partial", document)
        self.arrows(Keys.HOME, Keys.PAGE_UP, Keys.ARROW_RIGHT)
        self.assertEqual("CPU 0 to CPU 1: not measured.", self.cell_text())
        self.assertIn("ended early", self.driver.find_element(By.TAG_NAME, "main").text)

    def test_the_keyboard_reaches_each_of_256_cpus(self):
        self.show("many", matrix(256))
        self.arrows(Keys.PAGE_DOWN, Keys.HOME, Keys.ARROW_RIGHT)
        self.assertIn("CPU 255 to CPU 1: 355.0 ± 3.0 ns.", self.cell_text())
        self.arrows(Keys.END)
        self.assertEqual("CPU 255 to CPU 255: this is no pair.", self.cell_text())
        self.assertLessEqual(self.driver.execute_script("return document.documentElement.scrollWidth"),
                             self.driver.execute_script("return innerWidth"))

    def test_near_ones_together(self):
        # CPUs i and i + 4 share a core: 20 ns, others 90 ns.
        self.show("order", matrix(8, lambda row, column: 20.0 if row % 4 == column % 4 else 90.0))
        press(self.driver, "near ones together")
        self.arrows(Keys.HOME, Keys.PAGE_UP, Keys.ARROW_RIGHT)
        self.assertIn("20.0", self.cell_text())

    def test_the_colours_follow_the_theme(self):
        self.show("theme", matrix(2, lambda row, column: [40.0, 160.0][row]))
        light = self.lightness(0, 1) > self.lightness(1, 0)
        press(self.driver, "Light or dark")
        self.assertNotEqual(light, self.lightness(0, 1) > self.lightness(1, 0))


if __name__ == "__main__":
    unittest.main()
