#include "symbols/function_code.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tacho::symbols {
namespace {

// Instructions are left out by groups of this many: a hot one is shown with those around it.
constexpr std::size_t kInstructionsOfAGroup = 256;

// Decodes piece by piece, because all instructions of a large function take 100 bytes each.
Result<void> for_each_instruction(std::uint64_t size, const DecodePiece& decode,
                                  const std::function<void(Instruction)>& use) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;  // bytes
  constexpr std::uint64_t kLongestInstruction = 15;         // bytes: x86
  for (std::uint64_t from = 0; from < size;) {
    const std::uint64_t end = std::min(size, from + kPiece);
    auto found = TACHO_TRY(decode(from, std::min(size, end + kLongestInstruction) - from));
    if (found.empty()) break;
    const std::uint64_t start = found.front().address - from;  // of the function
    for (Instruction& each : found) {
      if (each.address - start >= end) break;
      from = each.address - start + each.size;
      use(std::move(each));
    }
  }
  return {};
}

// The groups of instructions with the most samples, as many as are shown. `starts` are the
// addresses at which groups begin.
std::vector<bool> hottest_groups(std::span<const std::uint64_t> starts,
                                 std::span<const SamplesAt> hits) {
  std::vector<std::uint64_t> samples(starts.size());
  for (const SamplesAt& hit : hits) {
    const auto after = std::ranges::upper_bound(starts, hit.address);
    if (after != starts.begin())
      samples[static_cast<std::size_t>(after - starts.begin()) - 1] += hit.samples;
  }
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t group) { return samples[group]; });
  order.resize(std::min(order.size(), kMostInstructions / kInstructionsOfAGroup));
  std::vector<bool> shown(starts.size());
  for (const std::size_t group : order) shown[group] = true;
  return shown;
}

}  // namespace

Result<FunctionCode> function_code(std::uint64_t size, const DecodePiece& decode,
                                   std::span<const SamplesAt> hits) {
  FunctionCode code;
  std::vector<std::uint64_t> starts;  // of groups
  std::size_t count = 0;
  TACHO_TRY(for_each_instruction(size, decode, [&](Instruction each) {
    if (count++ % kInstructionsOfAGroup == 0) starts.push_back(each.address);
    if (count <= kMostInstructions) code.instructions.push_back(std::move(each));
  }));
  if (count <= kMostInstructions) return code;
  const std::vector<bool> shown = hottest_groups(starts, hits);
  code.instructions.clear();
  std::size_t number = 0;
  TACHO_TRY(for_each_instruction(size, decode, [&](Instruction each) {
    if (shown[number++ / kInstructionsOfAGroup]) code.instructions.push_back(std::move(each));
  }));
  code.left_out = count - code.instructions.size();
  return code;
}

}  // namespace tacho::symbols
