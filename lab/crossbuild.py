"""Builds what runs on the boards: programs with CMake's cross presets, the kernel module with Kbuild."""
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import cache
import image
from boards import BOARDS
from errors import LabError

# Written by the run that it belongs to, shown only if that fails.
LOG = "lab.log"


def run_logged(commands, architecture, what):
    """The commands' output goes to the log of the build; its end is shown if one fails."""
    path = image.build_directory(architecture) / LOG
    with open(path, "w") as log:
        for command in commands:
            try:
                done = subprocess.run(command, cwd=image.ROOT, stdout=log, stderr=subprocess.STDOUT)
            except FileNotFoundError:
                raise LabError(f"{command[0]} is not installed\ninstall what the lab needs: packaging/setup build lab") from None
            if done.returncode:
                last = path.read_text().splitlines()[-25:]
                raise LabError(f"the cross build of {what} for {architecture.preset} failed; the end of {path}:\n"
                               + "\n".join(last) + "\nare its tools there? packaging/setup build lab")


def build_programs(architecture, parts):
    """Cross-builds tacho and what runs beside it. Quick when nothing has changed."""
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    folder = image.build_directory(architecture)
    folder.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "--preset", architecture.preset, "-DTACHO_LIBPFM=ON",
                 f"-DLIBPFM_LIBRARY={parts / 'libpfm.a'}", *os.environ.get("CMAKE_FLAGS", "").split()]
    build = ["cmake", "--build", "--preset", architecture.preset, "--parallel", jobs]
    # CMake takes seconds to find out that nothing has changed. The build sees to that, but for the presets.
    configured = folder / "lab.configured"
    wanted = json.dumps(configure) + (image.ROOT / "CMakePresets.json").read_text()
    known = configured.exists() and configured.read_text() == wanted
    run_logged([build] if known else [configure, build], architecture, "tacho")
    configured.write_text(wanted)


def build_module(architecture, kdir):
    """Builds kmod/ for the kernel that boots, in a copy: Kbuild writes beside the sources."""
    folder = image.build_directory(architecture) / "kmod"
    module = folder / "tacho_pmu.ko"
    made_of = [kdir / "Makefile", *(image.ROOT / "kmod").iterdir()]
    if module.exists() and all(file.stat().st_mtime < module.stat().st_mtime for file in made_of):
        return  # Kbuild takes two seconds to find out
    shutil.copytree(image.ROOT / "kmod", folder, dirs_exist_ok=True)  # times too, by which make goes
    # The compiler of the kernel itself, where it is there.
    compiler = shutil.which(f"{architecture.triplet}-gcc-12") or f"{architecture.triplet}-gcc"
    run_logged([["make", "-C", folder, f"KDIR={kdir}", f"ARCH={architecture.linux}",
                 f"CROSS_COMPILE={architecture.triplet}-", f"CC={compiler}", "modules"],
                [f"{architecture.triplet}-strip", "--strip-debug", module]], architecture, "the kernel module")


def fetch(architecture, update):
    """The parts and the kernel's headers, as of the cache."""
    if update:
        cache.forget_pins(architecture)
    return cache.parts_of(architecture), cache.headers_of(architecture)


def prepare(names, update=False, fetch_only=False):
    architectures = dict.fromkeys(BOARDS[name].architecture for name in names)
    ahead = ThreadPoolExecutor(max_workers=1)  # one is built while the next is fetched
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
