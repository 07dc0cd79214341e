// The branch stacks of a recording, as they come: what ran up to each branch is found out here, and
// counted beside it, by a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/batch_worker.hpp"
#include "blocks/branch_counts.hpp"
#include "blocks/runs.hpp"
#include "locate/address_spaces.hpp"
#include "locate/numbered_values.hpp"
#include "perfdata/record.hpp"

namespace tacho {

class BranchStacks {
 public:
  // Of the samples of the event that a user means by this name; where it is empty, of the first
  // that has a stack: what another one samples is biased towards other code.
  explicit BranchStacks(std::string event = {});

  void add(const perfdata::Record&, const perfdata::Description&);
  // When all records were added: counts the last ones, and takes what only the recording's
  // description tells.
  void finish(const perfdata::Description& recording);

  const std::vector<Module>& modules() const { return spaces_.modules(); }

  // Where code is mapped: an address less the bias is an offset in the module.
  struct Mapped {
    std::uint32_t module = 0;
    std::uint64_t bias = 0;
    bool operator==(const Mapped&) const = default;
  };
  const std::vector<Mapped>& ranges() const { return ranges_.values(); }
  // When all was finished.
  const std::vector<BranchStep>& steps() const { return counts_.steps(); }
  const std::vector<std::vector<BranchCounts::Followed>>& followed() const {
    return counts_.followed();
  }

  std::uint64_t all_samples() const { return all_samples_; }  // with and without stacks
  std::uint64_t samples() const { return samples_; }
  // Samples with stacks of other events, which no one asked for: how many, event by event.
  const std::vector<std::uint64_t>& left_out() const { return left_out_; }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t lost() const { return lost_.count(); }
  // Of `impossible` only what needs no code to tell, and tells cycles.
  const SkippedEntries& skipped() const { return skipped_; }
  const std::string& event() const { return seen_event_; }  // the first with stacks
  std::uint64_t impossible_untimed() const { return impossible_untimed_; }
  bool every_branch() const { return every_branch_; }

 private:
  struct Mix {
    std::uint64_t operator()(const Mapped&) const;
  };
  struct Near {  // a range that was looked up of late
    CodeRange range;
    std::uint32_t number = 0;
  };

  void add_sample(const perfdata::Sample&, const perfdata::Description&);
  bool is_wanted(std::size_t event, const perfdata::Description&);
  void set_key(const perfdata::Sample&, std::size_t index, BranchKey&);
  std::uint32_t run_range(const perfdata::Sample&, std::uint64_t start, std::uint64_t end);
  const Near& near(const perfdata::Sample&, std::uint64_t address);

  std::string event_, seen_event_;
  std::vector<std::uint64_t> left_out_;
  AddressSpaces spaces_;
  NumberedValues<Mapped, Mix> ranges_;
  std::vector<Near> near_;     // of near_pid_
  std::size_t last_near_ = 0;  // the one that was asked for last
  std::int32_t near_pid_ = -1;
  perfdata::Mode near_mode_ = perfdata::Mode::unknown;
  bool every_branch_ = true;
  std::uint32_t events_ = 0;             // among which the wanted one was looked for
  std::optional<std::uint32_t> wanted_;  // none: not known yet, or not there
  std::uint64_t all_samples_ = 0, samples_ = 0, entries_ = 0;
  perfdata::LostRecords lost_;
  SkippedEntries skipped_;
  std::uint64_t impossible_untimed_ = 0;
  StackBatch batch_;  // that is being filled
  // Of the other thread, on cache lines of its own: this one writes what stands before it all the
  // time, and where the heap happened to put both on one, each entry took a third longer.
  alignas(64) BranchCounts counts_;
  BatchWorker<StackBatch> counting_;  // in counts_; the last member, to end first
};

}  // namespace tacho
