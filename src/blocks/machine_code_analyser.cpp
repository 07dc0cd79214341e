#include "blocks/machine_code_analyser.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <vector>

#include "base/program_files.hpp"
#include "process/run_for_output.hpp"

namespace tacho {
namespace {

// Debian's names of it. Newer versions come first, because they know more cores.
constexpr std::array kPrograms = {"llvm-mca-19", "llvm-mca", "llvm-mca-16", "llvm-mca-14"};
// It takes tens of milliseconds, but longer if the run is very long or the file system hangs.
constexpr std::chrono::seconds kLongestAnswer{5};
constexpr std::size_t kMostOutput = 1 << 20;     // bytes
constexpr std::size_t kMostInstructions = 4096;  // longer runs take it too long

std::string installed() {
  for (const char* name : kPrograms)
    if (find_helper(name)) return name;
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
        "install LLVM's machine code analyser for an estimate of what the code should cost "
        "(Debian: llvm-19)";
    return std::nullopt;
  }
  std::vector<std::string> command{program_};
  for (std::string& option : mca_options(core)) command.push_back(std::move(option));
  const std::size_t from = code.load ? code.load->known : 0;
  const std::size_t to = code.load ? code.load->at : 0;
  const auto answer =
      run_for_output(command, mca_input(code.instructions, from, to), kLongestAnswer, kMostOutput);
  const auto cost = answer ? parse_mca(*answer) : std::nullopt;
  if (!cost)
    complaint_ =
        fmt::format("no estimate of what the code should cost: {}",
                    answer ? fmt::format("tacho does not understand the output of '{}'", program_)
                           : answer.error().what);
  return cost;
}

}  // namespace tacho
