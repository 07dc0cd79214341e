// Made-up samples with branch stacks, and the runs that are made from them.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blocks/runs_from_stacks.hpp"
#include "locate_made_up_records.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho {

class MadeUpStacks : public MadeUpRecords<BranchStacks> {
 public:
  explicit MadeUpStacks(std::uint64_t branch_type = perfdata::format::kAnyBranch) {
    description.events.emplace_back();
    description.events.back().name = "cycles";
    description.events.back().sample_type = perfdata::format::kBranchStack;
    description.events.back().branch_sample_type = branch_type;
  }

  // Newest entry first. Entries are predicted unless they are mispredicted.
  void stack(std::int32_t pid, std::vector<perfdata::Branch> branches, std::size_t event = 0) {
    for (perfdata::Branch& each : branches) each.predicted = !each.mispredicted;
    perfdata::Sample sample;
    sample.event = event;
    sample.mode = perfdata::Mode::user;
    sample.ip = 0;
    sample.pid = sample.tid = pid;
    sample.branches = branches;
    add(sample);
  }

  Blocks blocks() {
    stacks.finish(description);
    Resolver resolver(stacks.modules(), description, {});
    auto made = blocks_of(stacks, description, resolver);
    EXPECT_TRUE(made) << made.error().what;
    return made ? *made : Blocks();
  }

  BranchStacks& stacks = kept;
};

// An entry of a stack.
inline perfdata::Branch taken(std::uint64_t from, std::uint64_t to, std::uint16_t cycles) {
  perfdata::Branch branch;
  branch.from = from;
  branch.to = to;
  branch.cycles = cycles;
  return branch;
}
inline perfdata::Branch missed(std::uint64_t from, std::uint64_t to, std::uint16_t cycles) {
  perfdata::Branch branch = taken(from, to, cycles);
  branch.mispredicted = true;
  return branch;
}

// A histogram of these values.
inline Histogram histogram_of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.add(value);
  return histogram;
}

}  // namespace tacho
