// Where a CPU is: its core, socket and memory node, as sysfs has them.
#pragma once

#include <string>
#include <vector>

namespace tacho {

enum class CpuPart { cpu, core, die, socket, node };

struct CpusOfPart {
  std::string name;       // "CPU 3", "S0-D0-C1", "S0-D0", "S0", "N0": perf's names
  std::vector<int> cpus;  // in the order that was given
};

// The parts that the CPUs belong to, in the order of their first CPUs. If sysfs does not say where
// a CPU is, its socket, die and core are -1, and its node is 0. `root` is a prefix of /sys: tests
// use a tree of their own.
std::vector<CpusOfPart> parts_of_cpus(const std::vector<int>& cpus, CpuPart part,
                                      const std::string& root = {});

}  // namespace tacho
