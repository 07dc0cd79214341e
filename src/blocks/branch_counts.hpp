// Counts taken branches and the runs that led to them, batch by batch. Memory grows with the number
// of distinct branches, not with the number of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "locate/numbered_values.hpp"
#include "stats/histogram.hpp"

namespace tacho {

// Exact counts of cycles: one word for each distinct value.
class CycleCounts {
 public:
  void add(std::uint16_t cycles);
  void add_to(Histogram&) const;
  std::uint64_t total() const;
  std::uint64_t sum() const;
  // Prefetches the counts. Always inlined, as in NumberedValues.
  [[gnu::always_inline]] void ask_for() const { __builtin_prefetch(bins_.get()); }

 private:
  std::span<const std::uint64_t> bins() const { return {bins_.get(), size_}; }

  std::unique_ptr<std::uint64_t[]> bins_;  // value in the highest 16 bits, count below; sorted
  std::uint32_t size_ = 0, capacity_ = 0;
};

inline constexpr std::uint32_t kNoRun = std::numeric_limits<std::uint32_t>::max();

// One taken branch and the run that led to it. Entries without cycles are steps of their own.
struct BranchKey {
  std::uint64_t start = 0;  // of the run; 0 if none is known
  std::uint64_t from = 0, to = 0;
  std::uint32_t range = kNoRun;  // index into BranchStacks::ranges(); kNoRun if no run is known
  bool timed = false;            // the entry has cycles
  bool operator==(const BranchKey&) const = default;
};

// How many entries or steps ahead data is prefetched. Memory answers within that time.
inline constexpr std::size_t kAhead = 8;

// A branch with its counts. Entries without cycles are counted as 0 cycles. One cache line, because
// counting a large program's recording is limited by memory latency.
struct alignas(64) BranchStep : BranchKey {
  explicit BranchStep(const BranchKey& key) : BranchKey(key) {}
  CycleCounts cycles;
  std::uint64_t mispredicted = 0;
  std::uint64_t with_prediction = 0;  // entries that say whether the branch was predicted

  std::uint64_t count() const { return cycles.total(); }
};

// Stacks that are to be counted, one behind the other, newest entry first.
class StackBatch {
 public:
  struct Entry {
    BranchKey key;
    std::uint64_t hash = 0;
    std::uint16_t cycles = 0;
    bool mispredicted = false;
    bool has_prediction = false;  // the recording says whether the branch was predicted
  };

  // Adds an entry, which the caller fills in place. To fill one elsewhere and copy it would be
  // slower: the copy waits for the stores of the fields.
  Entry& add() { return entries_.emplace_back(); }
  void end_stack();  // computes the hashes of its entries
  void clear();

  // Removes stacks with an entry that is not `known`. Returns their number.
  std::uint64_t remove_unknown(const std::function<bool(const Entry&)>& known);

  std::span<const Entry> entries() const { return entries_; }
  std::span<const std::size_t> ends() const { return ends_; }  // behind the last entry of each

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_;
};

class BranchCounts {
 public:
  void count(StackBatch&);

  const std::vector<BranchStep>& steps() const { return steps_.values(); }
  // Stacks that are not counted, because they have a new branch and there are too many already.
  std::uint64_t left_out() const { return left_out_; }

  // An entry of a kept stack.
  struct KeptEntry {
    std::uint32_t step = 0;
    std::uint16_t cycles = 0;
    bool mispredicted = false;
    bool has_prediction = false;  // the recording says whether the branch was predicted
  };
  // At most this many stacks are kept, drawn at random. They give intervals, loops and chains.
  static constexpr std::size_t kMostKeptStacks = 16384;
  // The kept stacks, oldest entry first.
  const std::vector<std::vector<KeptEntry>>& kept_stacks() const { return kept_stacks_; }

 private:
  friend class StackBatch;
  struct Mix {
    std::uint64_t operator()(const BranchKey&) const;
  };

  void find(std::span<const StackBatch::Entry>);
  void keep(std::span<const KeptEntry>);

  NumberedValues<BranchStep, Mix> steps_;
  std::vector<KeptEntry> found_;  // entries of the batch that is being counted
  std::vector<std::vector<KeptEntry>> kept_stacks_;
  std::uint64_t random_ = 1, stacks_ = 0;
  std::uint64_t entries_ = 0, left_out_ = 0;  // entries with those that are left out
};

}  // namespace tacho
