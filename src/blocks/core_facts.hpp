// What is known of the cores that recordings of branch stacks with cycles come from: how wide they
// are, and what LLVM calls them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tacho {

struct CoreFacts {
  std::string_view name;    // as people call it
  std::string_view llvm;    // for -mcpu
  std::string_view triple;  // for -mtriple
  int width = 0;            // micro-operations that it can rename and retire a cycle, all the time
  bool simulated = false;   // the core of a model, whose width is the model's
};

// By what a recording tells: CPUID as perf writes it ("GenuineIntel,6,85,4"), the processor's
// description, the machine that the code is for, and the event, which on a hybrid processor names
// its cores. None where the core is not in the table, or the code is not of its kind.
std::optional<CoreFacts> core_facts(std::string_view cpu_id, std::string_view cpu,
                                    std::string_view architecture, std::string_view event = {});

}  // namespace tacho
