// LLVM's machine code analyser, a program of its own that may not be installed.
#pragma once

#include <optional>
#include <string>

#include "blocks/run_explanation.hpp"

namespace tacho {

class MachineCodeAnalyser {
 public:
  // What the code costs on this core when nothing misses. None when it can't be told.
  std::optional<StaticCost> ask_for(const CoreFacts&, const AnalysedCode&);

  // Why it could not be told, the last time that it could not, in a line; empty when it always
  // could.
  const std::string& complaint() const { return complaint_; }

 private:
  std::string program_;  // the one that was found to be there
  std::string complaint_;
};

}  // namespace tacho
