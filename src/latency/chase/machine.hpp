// The machine that is measured, as the kernel describes it: its CPUs, caches and NUMA nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "latency/inference/latency.hpp"

namespace tacho::chase {

// The data and unified caches of a CPU, from the first level up. `root` stands before /sys.
std::vector<AdvertisedCache> advertised_caches(int cpu, const std::string& root = {});

// CPUID's four registers for a leaf and a subleaf.
struct CpuidRegisters {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
using Cpuid = std::function<CpuidRegisters(std::uint32_t leaf, std::uint32_t subleaf)>;

// The TLBs of loads from pages of 4 KiB, from the first level up, as CPUID tells them: AMD's leaves
// 0x80000005, 0x80000006 and 0x80000021 (AMD64 Architecture Programmer's Manual 3, appendix E),
// Intel's leaf 0x18 (Software Developer's Manual 2A, CPUID). Empty where neither says anything.
std::vector<AdvertisedTlb> told_tlb(const Cpuid& cpuid);

// Likewise, of the CPU that this runs on; empty on anything but x86.
std::vector<AdvertisedTlb> advertised_tlb();

// The CPUs that the calling thread may run on.
std::vector<int> allowed_cpus();

// Keeps the calling thread to a CPU. An error names those there are.
Result<void> keep_to(int cpu);

struct Node {
  int number = 0;
  std::vector<int> cpus;
};
// The NUMA nodes with memory; a machine that knows none has one, 0, with all CPUs that are allowed.
std::vector<Node> memory_nodes(const std::string& root = {});

}  // namespace tacho::chase
