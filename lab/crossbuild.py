"""Builds the programs of the boards (with CMake's cross presets) and the kernel module (with Kbuild)."""
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import cache
import image
from boards import BOARDS
from errors import LabError

# The log of the last build; its end is shown if the build fails.
LOG = "lab.log"


def run_logged(commands, architecture, what):
    """Runs commands with their output in the log. If one fails, raises LabError with the end of the log."""
    path = image.build_directory(architecture) / LOG
    with open(path, "w") as log:
        for command in commands:
            try:
                done = subprocess.run(command, cwd=image.ROOT, stdout=log, stderr=subprocess.STDOUT)
            except FileNotFoundError:
                raise LabError(f"{command[0]} is not installed\n"
                               "install the lab's packages: packaging/setup build lab") from None
            if done.returncode:
                last = path.read_text().splitlines()[-25:]
                raise LabError(f"the cross build of {what} for {architecture.preset} failed; the end of {path}:\n"
                               + "\n".join(last) + "\nif a tool is missing: packaging/setup build lab")


def build_programs(architecture, parts):
    """Cross-builds tacho, the examples and the test programs. Quick if nothing has changed."""
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    folder = image.build_directory(architecture)
    folder.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "--preset", architecture.preset, "-DTACHO_LIBPFM=ON",
                 f"-DLIBPFM_LIBRARY={parts / 'libpfm.a'}", *os.environ.get("CMAKE_FLAGS", "").split()]
    build = ["cmake", "--build", "--preset", architecture.preset, "--parallel", jobs]
    # A configuration without changes takes CMake seconds, so it is skipped. The build itself notices all changes but
    # those of the presets and of this command line.
    configured = folder / "lab.configured"
    wanted = json.dumps(configure) + (image.ROOT / "CMakePresets.json").read_text()
    known = configured.exists() and configured.read_text() == wanted
    run_logged([build] if known else [configure, build], architecture, "tacho")
    configured.write_text(wanted)


def build_module(architecture, kdir):
    """Builds kmod/ for the board's kernel, in a copy, because Kbuild writes into the directory of the sources."""
    folder = image.build_directory(architecture) / "kmod"
    module = folder / "tacho_pmu.ko"
    made_of = [kdir / "Makefile", *(image.ROOT / "kmod").iterdir()]
    if module.exists() and all(file.stat().st_mtime < module.stat().st_mtime for file in made_of):
        return  # Kbuild would take two seconds
    shutil.copytree(image.ROOT / "kmod", folder, dirs_exist_ok=True)  # keeps the times, which make compares
    # The kernel's own compiler, if it is installed.
    compiler = shutil.which(f"{architecture.triplet}-gcc-12") or f"{architecture.triplet}-gcc"
    run_logged([["make", "-C", folder, f"KDIR={kdir}", f"ARCH={architecture.linux}",
                 f"CROSS_COMPILE={architecture.triplet}-", f"CC={compiler}", "modules"],
                [f"{architecture.triplet}-strip", "--strip-debug", module]], architecture, "the kernel module")


def fetch(architecture, update):
    """Returns the directories of the parts and of the kernel's headers."""
    if update:
        cache.forget_pins(architecture)
    return cache.parts_of(architecture), cache.headers_of(architecture)


def prepare(names, update=False, fetch_only=False):
    architectures = dict.fromkeys(BOARDS[name].architecture for name in names)
    ahead = ThreadPoolExecutor(max_workers=1)  # fetches for the next architecture while one is built
    try:
        fetched = [(each, ahead.submit(fetch, each, update)) for each in architectures]
        for architecture, files in fetched:
            parts, headers = files.result()
            if not fetch_only:
                cache.say(f"building for {architecture.preset}")
                build_programs(architecture, parts)
                build_module(architecture, headers)
    finally:
        ahead.shutdown(cancel_futures=True)
