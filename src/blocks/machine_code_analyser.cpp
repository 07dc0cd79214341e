#include "blocks/machine_code_analyser.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <vector>

#include "process/command.hpp"
#include "process/run_for_output.hpp"

namespace tacho {
namespace {

// The newest first, as Debian calls them: newer ones know more cores.
constexpr std::array kPrograms = {"llvm-mca-19", "llvm-mca", "llvm-mca-16", "llvm-mca-14"};
// It takes some ten milliseconds; of code without end, or with a file system that hangs, more.
constexpr std::chrono::seconds kLongestAnswer{5};
constexpr std::size_t kMostSaid = 1 << 20;
constexpr std::size_t kMostInstructions = 4096;  // of a run that is worth the time

std::string installed() {
  for (const char* name : kPrograms)
    if (can_run(name)) return name;
  return {};
}

}  // namespace

std::optional<StaticCost> MachineCodeAnalyser::ask_for(const CoreFacts& core,
                                                       const AnalysedCode& code) {
  if (code.instructions.empty() || code.instructions.size() > kMostInstructions)
    return std::nullopt;
  if (program_.empty()) program_ = installed();
  if (program_.empty()) {
    complaint_ =
        "what the code should cost is estimated where LLVM's machine code analyser is "
        "installed (Debian: llvm-19)";
    return std::nullopt;
  }
  std::vector<std::string> command{program_};
  for (std::string& option : mca_options(core)) command.push_back(std::move(option));
  const std::size_t from = code.load ? code.load->known : 0;
  const std::size_t to = code.load ? code.load->at : 0;
  const auto answer =
      run_for_output(command, mca_input(code.instructions, from, to), kLongestAnswer, kMostSaid);
  const auto cost = answer ? parse_mca(*answer) : std::nullopt;
  if (!cost)
    complaint_ =
        fmt::format("no estimate of what the code should cost: {}",
                    answer ? fmt::format("'{}' answers in a way that is not known", program_)
                           : answer.error().what);
  return cost;
}

}  // namespace tacho
