// An ARM kernel finds the PMU by a node of the device tree (Documentation/devicetree/bindings/arm/
// pmu.yaml), which the firmware or the kernel's package brings along. Each directory of
// /proc/device-tree is a node, and each file a property.
#include "doctor/missing_pmu.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.hpp"

namespace tacho {
namespace {

constexpr int kMostEntries = 200'000;  // files and directories; a large tree has about 20,000

enum class Fault { no_node, disabled, unused };

// What is known of boards whose PMU is missing with some kernels. Nobody has tried the remedies on
// these boards for tacho.
struct KnownBoard {
  std::string_view compatible;  // of the root node: the system on a chip
  Fault fault;
  std::string_view known;  // about the fault; may be empty
  std::string_view remedy;
};
constexpr std::array kKnownBoards = {
    // github.com/raspberrypi/linux, issue 6507 and pull request 6508; bcm2712.dtsi of kernel.org
    KnownBoard{
        "brcm,bcm2712", Fault::no_node,
        "Raspberry Pi's kernels 6.12 from before December 2024 lack it, and kernels of "
        "kernel.org lacked it in 2025",
        "update Raspberry Pi's kernel (6.6 and newer 6.12 have the node), or add the node with "
        "an overlay: docs/how-to/find-the-pmu-of-an-arm-board.md"},
    // github.com/raspberrypi/linux, issue 3508 and pull request 4965
    KnownBoard{"brcm,bcm2711", Fault::unused,
               "32-bit kernels have no driver for 'arm,cortex-a72-pmu', and Raspberry Pi's kernels "
               "from before April 2022 name no other",
               "update Raspberry Pi's kernel, or use a 64-bit kernel (arm_64bit=1 in config.txt)"},
    // github.com/lategoodbye/rpi-zero, issue 26: commit 26611da39617
    KnownBoard{"brcm,bcm2837", Fault::no_node, "kernels of kernel.org before 4.19 lack it",
               "use a newer kernel, or Raspberry Pi's own"},
    // github.com/96boards/linux, issue 17
    KnownBoard{"hisilicon,hi6220", Fault::no_node, "the first kernels for the HiKey lacked it",
               "use a newer kernel"},
    // am33xx.dtsi and exynos4412.dtsi of kernel.org
    KnownBoard{"ti,am33xx", Fault::no_node, "the device tree of kernel.org has it",
               "use a kernel with that device tree"},
    KnownBoard{"samsung,exynos4412", Fault::no_node, "the device tree of kernel.org has it",
               "use a kernel with that device tree"},
    // QEMU's machine 'virt'
    KnownBoard{"linux,dummy-virt", Fault::no_node, "", "enable the virtual PMU in the hypervisor"},
};

struct Remedy {
  Fault fault;
  std::string_view text;
};
constexpr std::array kRemedies = {
    Remedy{
        Fault::no_node,
        "use a kernel or firmware whose device tree has the node, add it with an overlay, or count "
        "with the registers: docs/how-to/find-the-pmu-of-an-arm-board.md"},
    Remedy{Fault::disabled, "enable the node with an overlay: status = \"okay\""},
    Remedy{Fault::unused,
           "read 'dmesg | grep -i perfevents'; the kernel needs CONFIG_HW_PERF_EVENTS and a driver "
           "for "
           "one of these names"},
};

// The texts of a property, each of which ends with a zero byte.
std::vector<std::string> texts_of(const std::filesystem::path& property) {
  std::vector<std::string> texts;
  const std::string bytes = read_file(property.string()).value_or("");
  for (std::size_t from = 0; from < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', from), bytes.size());
    if (end > from) texts.push_back(bytes.substr(from, end - from));
    from = end + 1;
  }
  return texts;
}

// Whether this is the name of a core's PMU, and not of a bus's PMU or of a power management unit.
bool names_core_pmu(std::string_view compatible) {
  constexpr std::array<std::string_view, 7> kCores = {"arm,cortex-", "arm,neoverse-",  "arm,arm11",
                                                      "qcom,krait-", "qcom,scorpion-", "qcom,kryo-",
                                                      "nvidia,"};
  if (compatible.starts_with("arm,armv8-pmuv3")) return true;
  return compatible.ends_with("-pmu") &&
         std::ranges::any_of(kCores, [&](auto core) { return compatible.starts_with(core); });
}

struct Node {
  std::string name;
  std::vector<std::string> compatible;
  bool enabled = true;
};

std::optional<Node> find_pmu_node(const std::string& device_tree) {
  std::error_code error;
  auto entry = std::filesystem::recursive_directory_iterator(device_tree, error);
  for (int seen = 0;
       !error && entry != std::filesystem::recursive_directory_iterator() && seen < kMostEntries;
       entry.increment(error), ++seen) {
    if (entry->path().filename() != "compatible") continue;
    auto compatible = texts_of(entry->path());
    if (std::ranges::none_of(compatible, names_core_pmu)) continue;
    const std::filesystem::path node = entry->path().parent_path();
    const auto status = texts_of(node / "status");
    return Node{.name = node.filename().string(),
                .compatible = std::move(compatible),
                .enabled = status.empty() || status.front().starts_with("ok")};
  }
  return std::nullopt;
}

// The name by which the kernel's drivers know the PMU of this core.
std::string pmu_of_core(const std::string& compatible) {
  if (compatible.starts_with("arm,arm1176")) return "arm,arm1176-pmu";
  return compatible.starts_with("arm,") ? compatible + "-pmu" : "arm,armv8-pmuv3";
}

// The names of the PMUs that the cores of the tree need, each once.
std::vector<std::string> needed_pmus(const std::string& device_tree) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(device_tree + "/cpus", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("cpu@")) continue;
    const auto compatible = texts_of(entry->path() / "compatible");
    if (!compatible.empty()) names.push_back(pmu_of_core(compatible.front()));
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

Fault fault_of(const std::optional<Node>& node) {
  if (!node) return Fault::no_node;
  return node->enabled ? Fault::unused : Fault::disabled;
}

std::string described(const std::optional<Node>& node, const std::string& device_tree) {
  if (!node) {
    const auto needed = needed_pmus(device_tree);
    return needed.empty() ? "has no node for a PMU"
                          : fmt::format("has no node '{}'", fmt::join(needed, "' or '"));
  }
  return fmt::format("has the node '{}' ({}), which {}", node->name,
                     fmt::join(node->compatible, ", "),
                     node->enabled ? "this kernel does not use" : "is disabled");
}

}  // namespace

std::optional<Finding> explain_missing_pmu(const std::string& device_tree) {
  const auto compatible = texts_of(device_tree + "/compatible");
  if (compatible.empty()) return std::nullopt;
  const auto model = texts_of(device_tree + "/model");
  const auto node = find_pmu_node(device_tree);
  const Fault fault = fault_of(node);
  std::string detail =
      fmt::format("none: sysfs shows no PMU of the processor's cores. The device tree of '{}' {}",
                  model.empty() ? compatible.front() : model.front(), described(node, device_tree));
  std::string_view remedy = std::ranges::find(kRemedies, fault, &Remedy::fault)->text;
  const auto* board = std::ranges::find_if(kKnownBoards, [&](const KnownBoard& known) {
    return known.fault == fault &&
           std::ranges::find(compatible, known.compatible) != compatible.end();
  });
  if (board != kKnownBoards.end()) {
    if (!board->known.empty()) detail += fmt::format(": {}", board->known);
    remedy = board->remedy;
  }
  return finding("hardware PMU", Verdict::warning, std::move(detail), std::string(remedy));
}

}  // namespace tacho
