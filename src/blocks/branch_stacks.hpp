// Takes the branch stacks of a recording one by one. It finds the run that led to each branch; a
// thread of its own counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/batch_worker.hpp"
#include "blocks/branch_counts.hpp"
#include "blocks/code_runs.hpp"
#include "locate/address_spaces.hpp"
#include "locate/numbered_values.hpp"
#include "perfdata/record.hpp"

namespace tacho {

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): counts_ has cache lines of its own
class BranchStacks {
 public:
  // Takes the samples of one event: the one that a user means by this name, or, if it is empty, the
  // event of the first stack. Samples of another event are biased towards other code.
  explicit BranchStacks(std::string event = {});

  void add(const perfdata::Record&, const perfdata::Description&);
  // Called after the last record: counts the remaining stacks, and takes the build IDs, which only
  // the recording's description has.
  void finish(const perfdata::Description& recording);

  const std::vector<Module>& modules() const { return spaces_.modules(); }

  // A range of mapped code. An address minus the bias is an offset in the module.
  struct Mapped {
    std::uint32_t module = 0;
    std::uint64_t bias = 0;
    bool operator==(const Mapped&) const = default;
  };
  const std::vector<Mapped>& ranges() const { return ranges_.values(); }
  // Valid after finish().
  const std::vector<BranchStep>& steps() const { return counts_.steps(); }
  const std::vector<std::vector<BranchCounts::KeptEntry>>& kept_stacks() const {
    return counts_.kept_stacks();
  }

  std::uint64_t all_samples() const { return all_samples_; }  // with and without stacks
  std::uint64_t samples() const { return samples_; }
  // Number of samples whose stack has calls instead of the last branches. They are not counted.
  std::uint64_t call_stacks() const { return call_stacks_; }
  // Number of samples with stacks of each other event. They are not counted.
  const std::vector<std::uint64_t>& left_out() const { return left_out_; }
  std::uint64_t entries() const { return entries_; }
  // Number of stacks that are not counted, because the recording has too many different branches.
  std::uint64_t not_counted() const { return counts_.left_out(); }
  // Number of stacks that reach back beyond the sample before them. Counted for cycles only, whose
  // periods can be compared with the cycles in a stack.
  std::uint64_t overlapping() const { return overlapping_; }
  std::uint64_t lost() const { return lost_.count(); }
  // `impossible` has only entries with cycles that are found impossible without looking at code.
  const SkippedEntries& skipped() const { return skipped_; }
  const std::string& event() const { return seen_event_; }  // the event whose stacks are counted
  bool by_cycles() const { return by_cycles_; }             // the event counts cycles
  std::uint64_t impossible_untimed() const { return impossible_untimed_; }
  bool every_branch() const { return every_branch_; }

 private:
  struct Mix {
    std::uint64_t operator()(const Mapped&) const;
  };
  struct Near {  // a range that was looked up recently
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
  std::vector<Near> near_;     // ranges of the process near_pid_
  std::size_t last_near_ = 0;  // the one that was used last
  std::uint64_t all_samples_ = 0, samples_ = 0, call_stacks_ = 0, entries_ = 0, overlapping_ = 0;
  perfdata::LostRecords lost_;
  SkippedEntries skipped_;
  std::uint64_t impossible_untimed_ = 0;
  StackBatch batch_;                     // is being filled
  std::optional<std::uint32_t> wanted_;  // none: not known yet, or the recording does not have it
  std::uint32_t events_ = 0;             // number of events when wanted_ was looked up
  std::int32_t near_pid_ = -1;
  perfdata::Mode near_mode_ = perfdata::Mode::unknown;
  bool every_branch_ = true;
  bool by_cycles_ = false;
  // The other thread uses this, so it has cache lines of its own. This thread writes the members
  // before it all the time: on a shared cache line each entry took a third longer.
  alignas(64) BranchCounts counts_;
  BatchWorker<StackBatch> counting_;  // uses counts_; the last member, because it must end first
};

}  // namespace tacho
