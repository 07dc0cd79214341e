#include "latency/chase/advertised.hpp"

#include <fmt/format.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/caches.hpp"

namespace tacho::chase {

std::vector<AdvertisedCache> advertised_caches(int cpu, const std::string& root) {
  std::vector<AdvertisedCache> caches;
  for (const SysfsCache& cache :
       sysfs_caches(fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu)))
    if ((cache.type == "Data" || cache.type == "Unified") && cache.size != 0)
      caches.push_back({static_cast<unsigned>(cache.level), cache.size,
                        static_cast<unsigned>(cache.ways), static_cast<unsigned>(cache.line)});
  std::ranges::sort(caches, {}, &AdvertisedCache::level);
  return caches;
}

namespace {

// Whether the TLB sizes in AMD's leaf 0x80000006 are in units of 32 entries. Bit 14 of EAX in leaf
// 0x80000021 says so (L2TlbSizeX32), from family 0x1a (Zen 5) on, whose 4,096 entries do not fit
// into twelve bits. A hypervisor may hide this bit and pass the sizes on as they are.
bool second_level_in_32s(const Cpuid& cpuid, std::uint32_t last) {
  constexpr std::uint32_t kFeatures = 0x80000021;
  constexpr std::uint32_t kExtended = 0xf, kFirstFamily = 0x1a;
  if (last >= kFeatures && (cpuid(kFeatures, 0).eax >> 14U & 1U) != 0) return true;
  const std::uint32_t signature = cpuid(1, 0).eax;
  const std::uint32_t family = signature >> 8U & 0xfU;
  return family == kExtended && family + (signature >> 20U & 0xffU) >= kFirstFamily;
}

}  // namespace

std::vector<AdvertisedTlb> advertised_tlb(const Cpuid& cpuid) {
  constexpr std::uint64_t kPage = 4096;
  std::map<unsigned, std::uint64_t> entries;  // by level
  constexpr std::uint32_t kAmdFirst = 0x80000005, kAmdSecond = 0x80000006, kIntel = 0x18;
  // EBX: the entries for data from bit 16 on; for the second level, bits 31 to 28 say whether it
  // exists.
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
      // EDX: the kind in bits 4 to 0 (1 data, 3 data and instructions, 4 loads), then the level.
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
  return advertised_tlb([](std::uint32_t leaf, std::uint32_t subleaf) {
    CpuidRegisters r;
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
    return r;
  });
#else
  return {};
#endif
}

}  // namespace tacho::chase
