// Facts about the cores whose branch stacks have cycles: their width and their name in LLVM.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacho {

struct CoreFacts {
  std::string_view name;    // for reports
  std::string_view llvm;    // for -mcpu
  std::string_view triple;  // for -mtriple
  int width = 0;            // micro-operations per cycle that it can rename and retire continuously
  bool simulated = false;   // the width is that of a simulator's model
};

// Finds the core by the fields of a recording: CPUID as perf writes it ("GenuineIntel,6,85,4"), the
// processor's description, the architecture of the code, and the event. On a hybrid processor the
// event names the kind of core. None if the core is not in the table, or has another architecture.
std::optional<CoreFacts> core_facts(std::string_view cpu_id, std::string_view cpu,
                                    std::string_view architecture, std::string_view event = {});

}  // namespace tacho
