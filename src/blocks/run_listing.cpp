#include "blocks/run_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "locate/source_text.hpp"
#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kLongestListing = 1 << 14;  // bytes of code

std::string name_of(const symbols::FunctionTable& table, std::uint64_t address) {
  const symbols::Function* function = table.at(address);
  if (function == nullptr) return {};
  const std::string name = symbols::brief_name(function->name);
  const std::uint64_t into = address - function->start;
  return into == 0 ? name : fmt::format("{}+0x{:x}", name, into);
}

void add_source(RunInstruction& to, const std::vector<symbols::Frame>& frames, SourceText& sources,
                symbols::Frame& last) {
  if (frames.empty() || frames.front().file.empty()) return;
  const symbols::Frame& here = frames.front();
  if (here.file == last.file && here.line == last.line) return;
  last = here;
  to.file = here.file;
  to.line = here.line;
  to.source = sources.line(here.file, here.line);
  if (frames.size() > 1) to.inlined = here.function;
}

}  // namespace

Result<RunListing> list_run(const Blocks& blocks, std::size_t index, Resolver& resolver) {
  const CodeRun& run = blocks.runs[index];
  const RunModule& module = blocks.modules[run.module];
  symbols::Binary* binary = resolver.binary_of(run.module);
  if (binary == nullptr)
    return failure(
        fmt::format("cannot show the instructions of {}: its file is not here", module.name),
        "copy it here and name its directory with --symfs");
  const auto instructions =
      TACHO_TRY(binary->instructions(run.start, std::min(run.end, run.start + kLongestListing)));
  RunListing made;
  made.run = index;
  if (run.end - run.start > kLongestListing)
    made.warnings.push_back(fmt::format("the listing of {} has only its first {} KB of code",
                                        run_name(run, blocks), kLongestListing >> 10));
  SourceText sources(module.path, module.name);
  const auto lines = binary->lines();
  if (!lines) made.warnings.push_back(lines.error().what + "; " + lines.error().remedy);
  symbols::Frame last;
  for (const symbols::Instruction& each : instructions) {
    RunInstruction& to = made.instructions.emplace_back();
    to.address = each.address;
    to.text = each.text;
    to.block_start = std::ranges::binary_search(run.basic_blocks, each.address);
    if (each.target) to.target = name_of(binary->functions(), *each.target);
    if (lines) add_source(to, (*lines)->frames_at(each.address), sources, last);
  }
  made.warnings.insert(made.warnings.end(), sources.warnings().begin(), sources.warnings().end());
  return made;
}

RunListings list_runs(const Blocks& blocks, std::span<const std::size_t> runs, Resolver& resolver) {
  RunListings made;
  std::set<std::string> warnings;  // several runs have the same ones
  for (const std::size_t run : runs) {
    if (!blocks.modules[blocks.runs[run].module].has_code) continue;
    auto listing = list_run(blocks, run, resolver);
    if (!listing) {
      made.warnings.push_back(listing.error().what);
      continue;
    }
    warnings.insert(listing->warnings.begin(), listing->warnings.end());
    made.listings.push_back(std::move(*listing));
  }
  made.warnings.insert(made.warnings.end(), warnings.begin(), warnings.end());
  return made;
}

}  // namespace tacho
