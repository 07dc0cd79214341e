"""The table of boards: what each board emulates. All other files of lab/ use it."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Architecture:
    """The properties that all boards of one architecture share."""
    debian: str   # Debian's name of the architecture
    kernel: str   # the Debian package that depends on the newest kernel
    qemu: str     # QEMU's program
    preset: str   # the CMake preset of the cross build
    triplet: str  # the prefix of the cross compiler
    linux: str    # the kernel's name of the architecture (ARCH=)
    device_trees: tuple[str, ...] = ()  # the files of the kernel package that boards use as device trees


@dataclasses.dataclass(frozen=True)
class Board:
    name: str
    about: str
    architecture: Architecture
    cpu: str | None = None  # None: the machine's default
    cpus: int = 1
    machine: str = "virt"
    memory: int = 512  # MB; QEMU's model of a real machine accepts that machine's size only
    nodes: int = 1  # NUMA nodes; CPUs and memory are divided equally
    # The device tree of a real machine, from the kernel's package. None: QEMU generates one.
    device_tree: str | None = None
    kernel_words: str = ""  # added to the kernel's command line
    console: str = "ttyAMA0"  # the kernel's name of the serial line
    # Each instruction takes 2^shift ns of the board's time, so instruction counts are exact and
    # cycles = instructions × 2^shift. Exact for one CPU only, because QEMU counts the
    # instructions of all CPUs in one counter. None: no fixed rate.
    icount_shift: int | None = None
    # The value of `compatible` for the device tree's pmu node, where QEMU leaves it out.
    pmu_node: str | None = None
    # The value of `compatible` for each CPU and, with "-pmu", for a PMU of its own. Needs a GIC of version 3. None: the
    # CPUs are equal. QEMU's CPUs stay the same: only the kernel takes them for different cores.
    core_types: tuple[str, ...] | None = None

    @property
    def changes_device_tree(self):
        return bool(self.pmu_node or self.core_types)


ARM64 = Architecture("arm64", "linux-image-arm64", "qemu-system-aarch64", "aarch64", "aarch64-linux-gnu", "arm64")
ARMV7 = Architecture("armhf", "linux-image-armmp", "qemu-system-arm", "armv7", "arm-linux-gnueabihf", "arm",
                     ("bcm2836-rpi-2-b.dtb", "vexpress-v2p-ca9.dtb", "sun4i-a10-cubieboard.dtb"))
ARMV6 = Architecture("armel", "linux-image-rpi", "qemu-system-arm", "armv6", "arm-linux-gnueabi", "arm",
                     ("bcm2835-rpi-zero.dtb",))

BOARDS = {board.name: board for board in (
    Board("arm64", "Cortex-A57, exact instruction counts", ARM64, "cortex-a57", icount_shift=1),
    Board("arm64-smp", "two Cortex-A57, a NUMA node each", ARM64, "cortex-a57", cpus=2, nodes=2, icount_shift=1),
    Board("arm64-nopmu", "Cortex-A53 without a PMU", ARM64, "cortex-a53,pmu=off"),
    Board("big-little", "two unequal cores, a Cortex-A57 and a Cortex-A53, with a PMU each", ARM64, "cortex-a57", cpus=2,
          machine="virt,gic-version=3", icount_shift=1, core_types=("arm,cortex-a57", "arm,cortex-a53")),
    Board("arm64-el2", "a kernel in EL2, and 64-bit counters", ARM64, "max,pauth-impdef=on",
          machine="virt,virtualization=on", icount_shift=1),
    Board("armv7", "Cortex-A15, exact instruction counts", ARMV7, "cortex-a15", icount_shift=1,
          pmu_node="arm,cortex-a15-pmu"),
    Board("armv7-smp", "two Cortex-A15", ARMV7, "cortex-a15", cpus=2, pmu_node="arm,cortex-a15-pmu"),
    Board("raspi2b", "Raspberry Pi 2: four Cortex-A7", ARMV7, cpus=4, machine="raspi2b", memory=1024,
          device_tree="bcm2836-rpi-2-b.dtb"),
    Board("cubieboard", "Allwinner A10: Cortex-A8, with a PMU of version 1", ARMV7, machine="cubieboard",
          device_tree="sun4i-a10-cubieboard.dtb", console="ttyS0", icount_shift=1),
    Board("vexpress-a9", "Versatile Express: Cortex-A9, with a PMU of version 1", ARMV7, machine="vexpress-a9",
          memory=256, device_tree="vexpress-v2p-ca9.dtb", icount_shift=1),
    # The driver of its power domains would wait for a firmware that QEMU does not have.
    Board("armv6", "Raspberry Pi Zero: ARM1176, whose counters QEMU does not emulate", ARMV6, machine="raspi0",
          device_tree="bcm2835-rpi-zero.dtb", kernel_words="initcall_blacklist=bcm2835_power_driver_init"),
)}
