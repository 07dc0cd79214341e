// The caches and TLBs that the machine advertises.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "latency/inference/samples.hpp"

namespace tacho::chase {

// The data and unified caches of a CPU, from the first level up. `root` is a prefix of /sys.
std::vector<AdvertisedCache> advertised_caches(int cpu, const std::string& root = {});

// CPUID's four registers for a leaf and a subleaf.
struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
using Cpuid = std::function<CpuidRegisters(std::uint32_t leaf, std::uint32_t subleaf)>;

// The TLBs for loads from pages of 4 KiB, from the first level up, according to CPUID: AMD's leaves
// 0x80000005, 0x80000006 and 0x80000021 (AMD64 Architecture Programmer's Manual 3, appendix E),
// Intel's leaf 0x18 (Software Developer's Manual 2A, CPUID). Empty if neither says anything.
std::vector<AdvertisedTlb> advertised_tlb(const Cpuid& cpuid);

// The same, of the CPU that the calling thread runs on. Empty on anything but x86.
std::vector<AdvertisedTlb> advertised_tlb();

}  // namespace tacho::chase
