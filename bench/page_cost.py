#!/usr/bin/env python3
"""Measures the page of a large recording beside other flame graphs: time to write, size, time to the first picture.

    bench/page_cost.py [SAMPLES] [STACKS]            default: 1,000,000 samples of 100,000 different stacks
        --flamegraph FILE    also flamegraph.pl, from this file
        --speedscope DIR     also speedscope, from the folder of its release (index.html)

The recording is synthetic: a random tree of calls, 20 to 60 functions deep, in 8 threads. The browser is Debian's
Chromium without a window. "first picture" is the time from opening the file until the page is drawn. "zoom" is the time
of a zoom into a frame or out, with the drawing: by weight and by time, of all threads and of one. speedscope gets the
folded stacks; its first picture is when its canvas is there.
"""
import argparse
import os
import pathlib
import random
import statistics
import struct
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait
from timing import cost

ROOT = pathlib.Path(__file__).resolve().parents[1]
TACHO = os.environ.get("TACHO", str(ROOT / "build" / "release" / "bin" / "tacho"))
FUNCTIONS, TEXT, SIZE = 20_000, 0x10000000, 64
PID, THREADS = 4_000_100, 8  # no process of Linux has such a number
USER = 2**64 - 512  # PERF_CONTEXT_USER
SAMPLE, COMM, MMAP = 9, 3, 1
# PERF_SAMPLE_IP, TID, TIME, PERIOD and CALLCHAIN
SAMPLE_TYPE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 8 | 1 << 5


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def name(text):
    encoded = text.encode() + b"\0"
    return encoded + bytes(-len(encoded) % 8)


def chains(count):
    """Different call chains, outermost function first: each begins as another one does."""
    drawn = random.Random(1)
    found = [[drawn.randrange(FUNCTIONS) for _ in range(20)]]
    while len(found) < count:
        stack = found[drawn.randrange(len(found))]
        kept = stack[:drawn.randint(max(1, len(stack) - 12), len(stack))]
        added = [drawn.randrange(FUNCTIONS) for _ in range(drawn.randint(1, 6))]
        if len(kept) + len(added) <= 60:
            found.append(kept + added)
    return found


def write_recording(path, samples, stacks):
    """Writes a recording as `perf record -g` does."""
    drawn = random.Random(2)
    ends = []
    for stack in chains(stacks):
        addresses = [TEXT + SIZE * function + 8 for function in reversed(stack)]
        ends.append((addresses[0], struct.pack(f"<Q{len(addresses) + 1}Q", len(addresses) + 1, USER, *addresses)))
    attribute = struct.pack("<IIQQQQQ", 1, 128, 0, 4000, SAMPLE_TYPE, 0, 1 << 10 | 1 << 8 | 1 << 9).ljust(128, b"\0")
    with open(path, "wb") as file:
        file.write(bytes(104 + 144))
        file.write(record(COMM, 0, struct.pack("<II", PID, PID) + name("program")))
        file.write(record(MMAP, 2, struct.pack("<IIQQQ", PID, PID, TEXT, SIZE * FUNCTIONS, 0) + name("//anon")))
        for i in range(samples):
            ip, chain = ends[int(len(ends) * drawn.random() ** 3)] if i >= len(ends) else ends[i]
            file.write(record(SAMPLE, 2, struct.pack("<QIIQ", ip, PID, PID + i % THREADS, 10**9 + i * 250_000)
                              + struct.pack("<Q", 1_000_000 + drawn.randrange(1000)) + chain))
        size = file.tell() - 248
        file.seek(0)
        file.write(b"PERFILE2" + struct.pack("<8Q", 104, 144, 104, 144, 248, size, 0, 0).ljust(96, b"\0"))
        file.write(attribute + struct.pack("<QQ", 104, 0))
    pathlib.Path(f"/tmp/perf-{PID}.map").write_text(
        "".join(f"{TEXT + SIZE * i:x} {SIZE:x} library::function_{i}\n" for i in range(FUNCTIONS)))


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000",
                     "--allow-file-access-from-files"):
        options.add_argument(argument)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def first_picture(driver, address, drawn):
    begun = time.monotonic()
    driver.get(address)
    WebDriverWait(driver, 300, 0.01).until(lambda each: each.execute_script(f"return {drawn}"))
    return time.monotonic() - begun


# Presses a key and gives the milliseconds until the frame after it is drawn.
ZOOM = """
const [key, done] = arguments, canvas = document.querySelector(".flame-box canvas");
canvas.focus();
const begun = performance.now();
canvas.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
"""


def zooms(driver):
    """Times of zooms in ms: into ever deeper frames, and back to the whole picture."""
    def press(key):
        return driver.execute_async_script(ZOOM, key)
    times = []
    for _ in range(3):
        for _ in range(10):
            for _ in range(3):
                press("ArrowDown")
            times.append(press("Enter"))
        times.append(press("Escape"))
    return times


def print_zooms(driver):
    """For each order of frames, with all threads and with the first one that can be chosen."""
    for order in ("weight", "time"):
        for number, threads in enumerate(("all threads", "one thread")):
            driver.execute_script("""
                const threads = document.getElementById("thread");
                threads.selectedIndex = arguments[1];
                threads.dispatchEvent(new Event("change"));
                document.getElementById(`by-${arguments[0]}`).click();
            """, order, number)
            times = zooms(driver)
            print(f"{'':<18} zoom by {order}, {threads}: median {statistics.median(times):.0f} ms, at most {max(times):.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=int, nargs="?", default=1_000_000)
    parser.add_argument("stacks", type=int, nargs="?", default=100_000)
    parser.add_argument("--flamegraph")
    parser.add_argument("--speedscope")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        data, folded, page, graph = (os.path.join(directory, each)
                                     for each in ("perf.data", "folded", "page.html", "graph.svg"))
        write_recording(data, given.samples, given.stacks)
        try:
            commands = {"report --folded": [TACHO, "report", "-i", data, "--folded", "-o", folded],
                        "report --html": [TACHO, "report", "-i", data, "--html", page]}
            for command in commands.values():
                cost(command)
            rounds = [{each: cost(command)[0] for each, command in commands.items()} for _ in range(5)]
        finally:
            pathlib.Path(f"/tmp/perf-{PID}.map").unlink()
        print(f"{given.samples:,} samples of {given.stacks:,} stacks, {os.path.getsize(data) / 1e6:.0f} MB")
        for each in commands:
            print(f"{each:<18} {statistics.median(times[each] for times in rounds):6.2f} s")
        ratio = statistics.median(times["report --html"] / times["report --folded"] for times in rounds)
        print(f"ratio              {ratio:6.2f}")
        driver = browser()
        try:
            pages = [("tacho's page", page, page, "document.documentElement.dataset.ready === 'yes'")]
            if given.flamegraph:
                begun = time.monotonic()
                with open(graph, "w") as out:
                    subprocess.run(["perl", given.flamegraph, folded], stdout=out, check=True)
                print(f"flamegraph.pl      {time.monotonic() - begun:6.2f} s")
                pages.append(("flamegraph.pl", graph, graph, "document.readyState === 'complete'"))
            for what, file, shown, drawn in pages:
                seconds = min(first_picture(driver, pathlib.Path(shown).as_uri(), drawn) for _ in range(3))
                print(f"{what:<18} {os.path.getsize(file) / 1e6:6.2f} MB, first picture after {seconds:.2f} s")
                if what == "tacho's page":
                    print_zooms(driver)
            if given.speedscope:
                begun = time.monotonic()
                driver.get((pathlib.Path(given.speedscope) / "index.html").as_uri())
                opener = WebDriverWait(driver, 60).until(lambda each: each.find_element("css selector", "input[type=file]"))
                opened = time.monotonic() - begun
                begun = time.monotonic()
                opener.send_keys(folded)
                WebDriverWait(driver, 300, 0.01).until(lambda each: each.execute_script(
                    "return !document.body.innerText.includes('Loading') && document.querySelectorAll('canvas').length > 0 "
                    "&& document.title !== 'speedscope'"))
                print(f"{'speedscope':<18} {os.path.getsize(folded) / 1e6:6.2f} MB, first picture after "
                      f"{opened + time.monotonic() - begun:.2f} s")
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
