#include "blocks/run_details.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "blocks/core_facts.hpp"
#include "blocks/machine_code_analyser.hpp"

namespace tacho {

RunDetails describe_runs(const BranchRecording& recording, std::span<const std::size_t> runs) {
  const Blocks& blocks = recording.blocks;
  RunListings listed = list_runs(blocks, runs, *recording.resolver);
  RunDetails details;
  details.listings = std::move(listed.listings);
  details.warnings = std::move(listed.warnings);
  const auto core = core_facts(recording.reader->description().cpu_id, blocks.cpu,
                               blocks.architecture, blocks.event);
  MachineCodeAnalyser analyser;
  for (const std::size_t run : runs) {
    const auto listing = std::ranges::find(details.listings, run, &RunListing::run);
    const RunListing* code = listing == details.listings.end() ? nullptr : &*listing;
    std::optional<StaticCost> cost;
    if (core && code != nullptr) cost = analyser.ask_for(*core, code_of(blocks, *code));
    if (auto explanation = explain_run(blocks, run, code, core, cost))
      details.explanations.push_back(std::move(*explanation));
  }
  details.note = analyser.complaint();
  return details;
}

}  // namespace tacho
