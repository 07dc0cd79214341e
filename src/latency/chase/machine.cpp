#include "latency/chase/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>

#include "base/caches.hpp"
#include "base/cpus.hpp"
#include "base/file.hpp"

namespace tacho::chase {

std::vector<AdvertisedCache> advertised_caches(int cpu, const std::string& root) {
  std::vector<AdvertisedCache> caches;
  for (const SysfsCache& told :
       sysfs_caches(fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu)))
    if ((told.type == "Data" || told.type == "Unified") && told.size != 0)
      caches.push_back({static_cast<unsigned>(told.level), told.size,
                        static_cast<unsigned>(told.ways), static_cast<unsigned>(told.line)});
  std::ranges::sort(caches, {}, &AdvertisedCache::level);
  return caches;
}

namespace {

// Whether what AMD's leaf 0x80000006 tells of TLBs is to be multiplied by 32: bit 14 of EAX in leaf
// 0x80000021 says so (L2TlbSizeX32), from family 0x1a (Zen 5) on, whose 4,096 entries have no room
// in twelve bits. A hypervisor may hide the bit and pass the sizes on as they are.
bool second_level_in_32s(const Cpuid& cpuid, std::uint32_t last) {
  constexpr std::uint32_t kFeatures = 0x80000021;
  constexpr std::uint32_t kExtended = 0xf, kFirstFamily = 0x1a;
  if (last >= kFeatures && (cpuid(kFeatures, 0).eax >> 14U & 1U) != 0) return true;
  const std::uint32_t signature = cpuid(1, 0).eax;
  const std::uint32_t family = signature >> 8U & 0xfU;
  return family == kExtended && family + (signature >> 20U & 0xffU) >= kFirstFamily;
}

}  // namespace

std::vector<AdvertisedTlb> told_tlb(const Cpuid& cpuid) {
  constexpr std::uint64_t kPage = 4096;
  std::map<unsigned, std::uint64_t> entries;  // by level
  constexpr std::uint32_t kAmdFirst = 0x80000005, kAmdSecond = 0x80000006, kIntel = 0x18;
  // EBX: of data, entries from bit 16 on; of the second level, in bits 31 to 28 whether it is
  // there.
  if (const std::uint32_t last = cpuid(0x80000000, 0).eax; last >= kAmdSecond) {
    entries[1] = cpuid(kAmdFirst, 0).ebx >> 16U & 0xffU;
    const std::uint32_t second = cpuid(kAmdSecond, 0).ebx;
    const std::uint64_t unit = second_level_in_32s(cpuid, last) ? 32 : 1;
    if (second >> 28U != 0) entries[2] = unit * (second >> 16U & 0xfffU);
  }
  if (cpuid(0, 0).eax >= kIntel) {
    constexpr std::uint32_t kMostSubleaves = 64;
    const std::uint32_t last = std::min(cpuid(kIntel, 0).eax, kMostSubleaves);
    for (std::uint32_t subleaf = 0; subleaf <= last; ++subleaf) {
      const CpuidRegisters r = cpuid(kIntel, subleaf);
      // EDX: in bits 4 to 0 whose it is (1 data, 3 data and instructions, 4 loads), then the level.
      const std::uint32_t type = r.edx & 0x1fU;
      const bool of_loads = type == 1 || type == 3 || type == 4;
      if (of_loads && (r.ebx & 1U) != 0)                                  // pages of 4 KiB
        entries[r.edx >> 5U & 7U] = std::uint64_t{r.ebx >> 16U} * r.ecx;  // ways times sets
    }
  }
  std::vector<AdvertisedTlb> tlb;
  for (const auto& [level, count] : entries)
    if (count != 0) tlb.push_back({level, kPage, count});
  return tlb;
}

std::vector<AdvertisedTlb> advertised_tlb() {
#if defined(__x86_64__)
  return told_tlb([](std::uint32_t leaf, std::uint32_t subleaf) {
    CpuidRegisters r;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
  });
#else
  return {};
#endif
}

std::vector<int> allowed_cpus() {
  return tacho::allowed_cpus(0).value_or(std::vector<int>());
}

Result<void> keep_to(int cpu) {
  const std::vector<int> allowed = allowed_cpus();
  const int code = keep_to_cpu(0, cpu);
  if (code == 0) return {};
  const std::string remedy = fmt::format("choose one of {}", fmt::join(allowed, ", "));
  if (code == EINVAL)
    return failure(
        fmt::format("CPU {} is not there, is offline, or is not for this process to use", cpu),
        remedy, code);
  return os_failure(fmt::format("cannot stay on CPU {}", cpu), code, remedy);
}

std::vector<Node> memory_nodes(const std::string& root) {
  const std::string directory = root + "/sys/devices/system/node/";
  std::vector<Node> nodes;
  for (const int number : parse_cpu_list(first_line(directory + "has_memory")))
    nodes.push_back(
        {number, parse_cpu_list(first_line(fmt::format("{}node{}/cpulist", directory, number)))});
  if (nodes.empty()) nodes.push_back({0, allowed_cpus()});
  return nodes;
}

}  // namespace tacho::chase
