// Taken branches with what ran up to them, counted batch by batch: memory grows with the distinct
// ones, not with how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "locate/numbered_values.hpp"
#include "stats/histogram.hpp"

namespace tacho {

// Exact counts of cycles, in a word for each distinct value.
class CycleCounts {
 public:
  void add(std::uint16_t cycles);
  void add_to(Histogram&) const;
  std::uint64_t total() const;
  std::uint64_t sum() const;
  // Always inlined, as those of NumberedValues.
  [[gnu::always_inline]] void ask_for() const { __builtin_prefetch(bins_.get()); }

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
  std::uint32_t range = kNoRun;  // in BranchStacks::ranges(); kNoRun where no run is known
  bool timed = false;            // it tells cycles
  bool operator==(const BranchKey&) const = default;
};

// What is in no cache is asked for so many entries or steps before it is needed: what memory takes
// to answer, and more.
inline constexpr std::size_t kAhead = 8;

// With how often it was seen; what tells no cycles counts as 0 cycles. A cache line: recordings of
// large programs are counted as fast as memory answers.
struct alignas(64) BranchStep : BranchKey {
  explicit BranchStep(const BranchKey& key) : BranchKey(key) {}
  CycleCounts cycles;
  std::uint64_t mispredicted = 0, told = 0;

  std::uint64_t count() const { return cycles.total(); }
};

// Stacks on their way to being counted, one behind the other, newest entry first.
class StackBatch {
 public:
  struct Entry {
    BranchKey key;
    std::uint64_t hash = 0;
    std::uint16_t cycles = 0;
    bool mispredicted = false, told = false;
  };

  // A new entry, to be filled in its place: what is written bit by bit and then copied as a whole
  // waits for its own stores.
  Entry& add() { return entries_.emplace_back(); }
  void end_stack();  // with the hashes of its entries
  void clear();

  std::span<const Entry> entries() const { return entries_; }
  std::span<const std::size_t> ends() const { return ends_; }  // behind the last entry of each

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_;
};

class BranchCounts {
 public:
  void count(const StackBatch&);

  const std::vector<BranchStep>& steps() const { return steps_.values(); }

  // Whole stacks, oldest entry first, drawn at random: all, where there are no more than this.
  struct Followed {
    std::uint32_t step = 0;
    std::uint16_t cycles = 0;
    bool mispredicted = false, told = false;
  };
  static constexpr std::size_t kFollowed = 16384;
  const std::vector<std::vector<Followed>>& followed() const { return followed_; }

 private:
  friend class StackBatch;
  struct Mix {
    std::uint64_t operator()(const BranchKey&) const;
  };

  void find(std::span<const StackBatch::Entry>);
  void keep(std::span<const Followed>);

  NumberedValues<BranchStep, Mix> steps_;
  std::vector<Followed> found_;  // of a batch, entry by entry
  std::vector<std::vector<Followed>> followed_;
  std::uint64_t random_ = 1, stacks_ = 0;
};

}  // namespace tacho
