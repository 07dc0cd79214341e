// A profile: a recording's samples by where they fell. Its memory grows with the distinct addresses
// and call chains that were seen, not with the samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "locate/address_spaces.hpp"
#include "locate/numbered_values.hpp"
#include "locate/stack_unwinding.hpp"
#include "perfdata/record.hpp"

namespace tacho {

// Samples of one event at one place.
struct SampleCount {
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;  // of their periods: how many events they stand for
  double squares = 0;     // of the same, each squared

  void add(std::uint64_t period) {
    ++samples;
    sum += period;
    squares += static_cast<double>(period) * static_cast<double>(period);
  }
  SampleCount& operator+=(const SampleCount& other) {
    samples += other.samples;
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
};

// The 95 % interval of a number of events.
struct CountInterval {
  double low = 0, high = 0;
};

// A sample as it came: when, in which thread, and the node of the tree of calls that it fell on.
struct TimedSample {
  std::uint64_t time_ns = 0;
  std::int32_t pid = -1, tid = -1;  // -1: not told
  std::uint32_t event = 0, node = 0;
};

// What was called from where. A node is a place, reached through its parent's; nodes' parents stand
// before them. Callers stand at the call, not behind it.
inline constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
struct CallNode {
  std::uint32_t parent = kNoParent;
  std::uint32_t cell = 0;
  bool operator==(const CallNode&) const = default;
};

class Profile {
 public:
  Profile() = default;
  // Where the files are that stacks are unwound with, where the recording has copies of stacks.
  explicit Profile(SymbolSources sources) : stacks_(std::move(sources)) {}
  // Each sample is to be kept as it came, too: memory then grows by 24 bytes a sample.
  void keep_samples() { keeps_samples_ = true; }

  void add(const perfdata::Record&, const perfdata::Description&);
  // When all records were added: what only the recording's description tells.
  void finish(const perfdata::Description&);

  const std::vector<Module>& modules() const { return spaces_.modules(); }
  // Each distinct place, and by event how many samples fell on it. A row may be shorter: 0.
  const std::vector<CodePlace>& cells() const { return cells_.values(); }
  SampleCount count(std::size_t event, std::size_t cell) const {
    return at(cells_of_, event, cell);
  }
  SampleCount total(std::size_t event) const {
    return event < totals_.size() ? totals_[event] : SampleCount();
  }
  // What is known of the share that a part has of a whole, as a number of samples of equal weight
  // (effective_samples); infinitely many where each event was a sample and none was lost: shares of
  // it are exact. And of the difference between two such shares, of parts with this count together.
  double worth(std::size_t event, const SampleCount& part, const SampleCount& whole) const;
  double worth_of_difference(std::size_t event, const SampleCount& both,
                             const SampleCount& whole) const;
  bool is_exact(std::size_t event) const;  // each was a sample, and none was lost
  // How many events a part of all samples stands for, for each event: its share of all (wilson95),
  // of all that were counted. `parts` is by event.
  std::vector<CountInterval> counts95(std::span<const SampleCount> parts) const;
  // The tree of calls, of every sample. Without call chains each place is a node of its own.
  bool has_chains() const { return has_chains_; }
  const std::vector<CallNode>& nodes() const { return nodes_.values(); }
  // Samples whose innermost place is this node.
  SampleCount count_at_node(std::size_t event, std::size_t node) const {
    return at(has_chains_ ? nodes_of_ : cells_of_, event, node);
  }

  // In the order of time. Empty unless they were to be kept and each tells its time.
  const std::vector<TimedSample>& samples() const { return samples_; }

  std::size_t events() const { return totals_.size(); }
  std::uint64_t exact_samples(std::size_t event) const {  // without skid
    return event < exact_.size() ? exact_[event] : 0;
  }
  std::uint64_t lost() const { return lost_.count(); }
  std::uint64_t throttled() const { return throttled_; }  // how often sampling was stopped
  std::uint64_t without_address() const { return without_address_; }
  // Samples whose callers in user mode stand in records that are not read.
  std::uint64_t deferred() const { return deferred_; }
  // Samples with a copy of the stack that could not be unwound, and why not.
  const StackUnwinding& stacks() const { return stacks_; }
  perfdata::OptionalU64 first_ns() const { return first_ns_; }
  perfdata::OptionalU64 last_ns() const { return last_ns_; }
  // The name of a thread as it was last told; a process has that of its first. Empty: not told.
  std::string name_of(std::int32_t tid) const {
    const auto found = names_.find(tid);
    return found == names_.end() ? std::string() : found->second;
  }

 private:
  struct Mix {
    static std::uint64_t together(std::uint64_t a, std::uint64_t b) {
      return mixed(a * 0x9e3779b97f4a7c15U ^ b);
    }
    std::uint64_t operator()(const CodePlace& place) const {
      return together(place.module, place.offset);
    }
    std::uint64_t operator()(const CallNode& node) const {
      return together(node.parent, node.cell);
    }
  };
  using Counts = std::vector<std::vector<SampleCount>>;  // by event, then by cell or node

  static SampleCount at(const Counts& counts, std::size_t event, std::size_t index) {
    if (event >= counts.size() || index >= counts[event].size()) return {};
    return counts[event][index];
  }
  static SampleCount& grow(Counts& counts, std::size_t event, std::size_t index);
  void add_roots();
  void add_sample(const perfdata::Sample&, perfdata::OptionalU64 time,
                  const perfdata::Description&);
  std::uint32_t add_chain(const perfdata::Sample&, std::span<const std::uint64_t> chain,
                          std::uint32_t leaf, std::uint64_t period);

  AddressSpaces spaces_;
  StackUnwinding stacks_;
  NumberedValues<CodePlace, Mix> cells_;
  NumberedValues<CallNode, Mix> nodes_;
  Counts cells_of_, nodes_of_;
  std::vector<SampleCount> totals_;
  std::vector<bool> each_sampled_;  // by event: its period was 1
  std::vector<std::uint64_t> exact_;
  std::unordered_map<std::int32_t, std::string> names_;  // of threads
  std::vector<std::uint32_t> chain_;  // of the sample being added, innermost first
  std::vector<TimedSample> samples_;
  bool has_chains_ = false, keeps_samples_ = false;
  perfdata::LostRecords lost_;
  std::uint64_t throttled_ = 0, without_address_ = 0, deferred_ = 0;
  perfdata::OptionalU64 first_ns_, last_ns_;
};

}  // namespace tacho
