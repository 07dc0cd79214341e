// Where a CPU is: its core, socket and memory node, as sysfs has them.
#pragma once

#include <string>
#include <vector>

namespace tacho {

enum class CpuPart { cpu, core, socket, node };

struct CpusOfPart {
  std::string name;       // "CPU 3", "S0-D0-C1", "S0", "N0": perf's names
  std::vector<int> cpus;  // in ascending order
};

// The parts that the CPUs belong to, in the order of their first CPUs. A CPU of which sysfs does
// not say it is in socket, die and core -1 or node 0. `root` is a prefix of /sys: tests use a tree
// of their own.
std::vector<CpusOfPart> parts_of_cpus(const std::vector<int>& cpus, CpuPart part,
                                      const std::string& root = {});

}  // namespace tacho
