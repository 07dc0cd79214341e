// Runs LLVM's machine code analyser (llvm-mca), a program that may not be installed.
#pragma once

#include <optional>
#include <string>

#include "blocks/run_explanation.hpp"

namespace tacho {

class MachineCodeAnalyser {
 public:
  // The cost of the code on this core if nothing misses. None if there is no estimate.
  std::optional<StaticCost> ask_for(const CoreFacts&, const AnalysedCode&);

  // Why the last missing estimate is missing, in one line. Empty if none is missing.
  const std::string& complaint() const { return complaint_; }

 private:
  std::string program_;  // the name under which it is installed; empty if not looked for yet
  std::string complaint_;
};

}  // namespace tacho
