// The branch stacks of a recording, counted as they come: its memory grows with the distinct
// branches and what runs up to them, not with the samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/address_spaces.hpp"
#include "analysis/interning.hpp"
#include "analysis/runs.hpp"
#include "perfdata/record.hpp"
#include "stats/histogram.hpp"

namespace tacho {

// Exact counts of cycles, in a word for each distinct value.
class CycleCounts {
 public:
  void add(std::uint16_t cycles);
  void add_to(Histogram&) const;
  std::uint64_t total() const;
  std::uint64_t sum() const;
  void ask_for() const { __builtin_prefetch(bins_.get()); }

 private:
  std::span<const std::uint64_t> bins() const { return {bins_.get(), size_}; }

  std::unique_ptr<std::uint64_t[]> bins_;  // the value in the highest 16 bits; by value
  std::uint32_t size_ = 0, capacity_ = 0;
};

inline constexpr std::uint32_t kNoRun = std::numeric_limits<std::uint32_t>::max();

// One taken branch and what ran up to it. What tells no cycles is a step of its own.
struct BranchKey {
  std::uint64_t start = 0;  // of the run; 0 where none is known
  std::uint64_t from = 0, to = 0;
  std::uint32_t range = kNoRun;  // in ranges(); kNoRun where no run is known
  bool timed = false;            // it tells cycles
  bool operator==(const BranchKey&) const = default;
};

// With how often it was seen; what tells no cycles counts as 0 cycles. A cache line: recordings of
// large programs are counted as fast as memory answers.
struct alignas(64) BranchStep : BranchKey {
  explicit BranchStep(const BranchKey& key) : BranchKey(key) {}
  CycleCounts cycles;
  std::uint64_t mispredicted = 0, told = 0;

  std::uint64_t count() const { return cycles.total(); }
};

class BranchStacks {
 public:
  // Of the samples of the event that a user means by this name; of all where it is empty.
  explicit BranchStacks(std::string event = {}) : event_(std::move(event)) {}

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
  const std::vector<BranchStep>& steps() const { return steps_.values(); }

  // Whole stacks, oldest entry first, drawn at random: all, where there are no more than this.
  struct Followed {
    std::uint32_t step = 0;
    std::uint16_t cycles = 0;
  };
  static constexpr std::size_t kFollowed = 16384;
  const std::vector<std::vector<Followed>>& followed() const { return followed_; }

  std::uint64_t all_samples() const { return all_samples_; }  // with and without stacks
  std::uint64_t samples() const { return samples_; }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t lost() const { return lost_; }
  // Of `impossible` only what needs no code to tell, and tells cycles.
  const SkippedEntries& skipped() const { return skipped_; }
  const std::string& event() const { return seen_event_; }  // the first with stacks
  std::uint64_t impossible_untimed() const { return impossible_untimed_; }
  bool every_branch() const { return every_branch_; }

 private:
  struct Mix {
    std::uint64_t operator()(const Mapped&) const;
    std::uint64_t operator()(const BranchKey&) const;
  };
  struct Near {  // a range that was looked up of late
    CodeRange range;
    std::uint32_t number = 0;
  };

  // A stack on its way to being counted, newest entry first.
  struct Pending {
    std::vector<BranchKey> keys;
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint8_t> predictions;
    std::vector<Followed> steps;
    void clear();
    void add(const BranchKey&, const perfdata::Branch&);
  };

  void add_sample(const perfdata::Sample&, const perfdata::Description&);
  bool is_wanted(std::size_t event, const perfdata::Description&);
  BranchKey key_of(const perfdata::Sample&, std::size_t index);
  void advance();
  void count(Pending&);
  std::uint32_t run_range(const perfdata::Sample&, std::uint64_t start, std::uint64_t end);
  const Near& near(const perfdata::Sample&, std::uint64_t address);
  void keep_followed(std::vector<Followed>&);

  std::string event_, seen_event_;
  std::vector<bool> wanted_;  // by event
  AddressSpaces spaces_;
  Interning<Mapped, Mix> ranges_;
  Interning<BranchStep, Mix> steps_;
  std::vector<Near> near_;  // of near_pid_
  std::int32_t near_pid_ = -1;
  perfdata::Mode near_mode_ = perfdata::Mode::unknown;
  std::vector<std::vector<Followed>> followed_;
  std::array<Pending, 4> pending_;  // in a ring, one stage behind the other
  std::size_t newest_ = 0;          // of them
  std::uint64_t random_ = 1, stacks_ = 0;
  std::uint64_t all_samples_ = 0, samples_ = 0, entries_ = 0, lost_ = 0;
  SkippedEntries skipped_;
  std::uint64_t impossible_untimed_ = 0;
  bool every_branch_ = true;
};

}  // namespace tacho
