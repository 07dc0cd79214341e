// Counts the samples of a recording by address and call chain. Memory grows with the number of
// distinct addresses and call chains, not with the number of samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "locate/address_spaces.hpp"
#include "locate/numbered_values.hpp"
#include "locate/recorded_code.hpp"
#include "locate/sample_count.hpp"
#include "locate/sample_counts.hpp"
#include "locate/stack_unwinding.hpp"
#include "locate/thread_names.hpp"
#include "perfdata/record.hpp"
#include "profile/core_type_sums.hpp"
#include "profile/neighbours.hpp"
#include "profile/sample_owners.hpp"
#include "profile/thread_starts.hpp"
#include "stats/share.hpp"

namespace tacho {

// The 95 % interval of a number of events.
struct CountInterval {
  double low = 0, high = 0;
};

// One sample: its time, how many events it stands for, its thread, and its node in the call tree.
struct TimedSample {
  std::uint64_t time_ns = 0, period = 0;
  std::int32_t pid = -1, tid = -1;  // -1: not known
  std::uint32_t event = 0, node = 0;
};

// A node of the call tree: a place, and the node that called it. A parent has a smaller index than
// its children. A caller's place is the call itself, not the return address.
inline constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();
struct CallNode {
  std::uint32_t parent = kNoParent;
  std::uint32_t cell = 0;
  bool operator==(const CallNode&) const = default;
};

class Profile {
 public:
  Profile() = default;
  // `sources` finds the files for unwinding, if the recording has copies of stacks, and those of
  // JIT compilers.
  explicit Profile(const SymbolSources& sources) : code_(sources), stacks_(sources) {}
  // Keeps each sample with its time, too. Memory then grows by 32 bytes per sample.
  void keep_samples() { keeps_samples_ = true; }

  // Keeps how many samples each thread has on each CPU, too.
  void keep_owners() { owners_.emplace(); }

  // A sample that is not `chosen` is left out, and so is the beginning or end of a thread.
  void add(const perfdata::Record&, const perfdata::Description&, bool chosen = true);
  // Called after the last record: before, some samples may not be counted yet. Takes what only the
  // recording's description has, such as build IDs.
  void finish(const perfdata::Description&);
  // Called after finish(). Gives each function that was inlined a place and a node of its own.
  // `levels_of` returns the number of functions at a place: 1 if none was inlined there.
  void add_inlined(const std::function<std::uint32_t(const CodePlace&)>& levels_of);

  const std::vector<Module>& modules() const { return code_.modules(); }
  // The distinct places. count() gives the samples at each.
  const std::vector<CodePlace>& cells() const { return cells_.values(); }
  SampleCount count(std::size_t event, std::size_t cell) const { return cells_of_.of(event, cell); }
  const SampleCounts& counts() const { return cells_of_; }  // of cells
  SampleCount total(std::size_t event) const {
    return event < totals_.size() ? totals_[event] : SampleCount();
  }
  // How often the event occurred in the whole recording, as its counter had it at the end. Nothing
  // if the recording does not say it, or if each event was a sample.
  perfdata::OptionalU64 counted(std::size_t event) const;
  // The events for each one that the samples stand for: counted() over the sum of all periods, or 1
  // if that is not known. The kernel adapts the periods of rare events so wildly that their sum can
  // be wrong by orders of magnitude.
  double scale(std::size_t event) const;
  // The part of total() that may not have occurred. The kernel gives each sample of a software
  // event that it samples by frequency the period that begins there (perf_swevent_set_period in
  // kernel/events/core.c), and the last one of each thread or CPU did not end. 0 for other events,
  // and if the count is known.
  std::uint64_t not_ended(std::size_t event) const;
  // What no sample can show. Nothing if is_exact().
  Unsampled unsampled(std::size_t event) const;
  // 95 % interval of a part's share of the whole, in this run. It allows for all that no sample can
  // show (with_unseen). It is the share itself if is_exact(). `changes`: how often successive
  // samples of a thread entered or left the part; infinite if that is not known.
  ShareInterval share95(std::size_t event, const SampleCount& part, const SampleCount& whole,
                        double changes = std::numeric_limits<double>::infinity()) const;
  // The changes of each row. `row_of` is the row of each cell; a number that is no row means none.
  // Infinite unless the event is a clock whose periods the recorder drew: only then successive
  // samples cannot stay in step with the program. Infinite if samples were lost.
  std::vector<double> changes(std::size_t event, std::span<const std::size_t> row_of,
                              std::size_t rows) const;
  // The same for the samples that have a row anywhere in their call chains.
  std::vector<double> total_changes(std::size_t event, std::span<const std::size_t> row_of,
                                    std::size_t rows) const;
  // The same for any rows of nodes of the call tree, each of which may have several.
  std::vector<double> changes_of_each(std::size_t event, const Neighbours::RowsOf& rows_of,
                                      std::size_t rows) const;
  // For each of these pairs of rows, how often a thread's next sample went from one to the other.
  std::vector<double> exchanges(std::size_t event, std::span<const std::size_t> row_of,
                                std::span<const std::pair<std::size_t, std::size_t>> pairs) const;
  // The number of samples of equal weight that would give the difference between the shares of two
  // parts with the same accuracy. The parts have the count `both` together. `changes` is the sum of
  // squares of systematic_samples_of_difference(); infinite if it is not known. The result is
  // infinite if is_exact().
  double worth_of_difference(std::size_t event, const SampleCount& both, const SampleCount& whole,
                             double changes = std::numeric_limits<double>::infinity()) const;
  bool is_exact(std::size_t event) const;  // each event was a sample, and none was lost
  // Interval of the number of events of a part: the share's interval times the number of all
  // events, counted() if it is known.
  CountInterval count95(std::size_t event, const SampleCount& part, double changes) const;
  // The call tree of all samples. Without call chains, each place is a node of its own.
  bool has_chains() const { return has_chains_; }
  bool has_inlined() const { return !nodes_now_.empty(); }  // add_inlined() found some
  const std::vector<CallNode>& nodes() const { return nodes_.values(); }
  // Samples whose innermost place is this node.
  SampleCount count_at_node(std::size_t event, std::size_t node) const {
    return node_counts().of(event, node);
  }
  const SampleCounts& node_counts() const {
    return has_chains_ || has_inlined() ? nodes_of_ : cells_of_;
  }
  // Those of them whose call chain was cut: the node's outermost caller had callers, too.
  SampleCount cut_at_node(std::size_t event, std::size_t node) const {
    return cut_nodes_of_.of(event, node);
  }
  SampleCount cut(std::size_t event) const {
    return event < cut_.size() ? cut_[event] : SampleCount();
  }

  // Samples in whose call chain the caller of the innermost function is not known.
  SampleCount hidden(std::size_t event) const {
    return event < hidden_.size() ? hidden_[event] : SampleCount();
  }
  // Samples whose call chain is not complete: it was cut, or has a hidden caller.
  SampleCount incomplete(std::size_t event) const {
    return event < incomplete_.size() ? incomplete_[event] : SampleCount();
  }
  SampleCount incomplete_at_node(std::size_t event, std::size_t node) const {
    return incomplete_nodes_of_.of(event, node);
  }

  // Sorted by time. Empty unless keep_samples() was called and each sample has a time.
  const std::vector<TimedSample>& samples() const { return samples_; }

  // The number of events with counts: those of the recording, then the sums.
  std::size_t events() const { return totals_.size(); }
  // After finish(): the sum that this event is, of two or more events with samples; null if it is
  // none.
  const perfdata::EventSum* sum(std::size_t event) const {
    const std::size_t first = totals_.size() - sums_.size();
    return event < first || event >= totals_.size() ? nullptr : &sums_[event - first];
  }
  std::uint64_t exact_samples(std::size_t event) const {  // without skid
    return event < exact_.size() ? exact_[event] : 0;
  }
  std::uint64_t lost() const { return lost_.count(); }
  std::uint64_t throttled() const { return throttled_; }  // how often sampling was stopped
  std::uint64_t without_address() const { return without_address_; }
  // Samples that are shown without callers, because there were too many different call chains.
  std::uint64_t without_callers() const { return without_callers_; }
  // Samples whose callers in user mode are in records that tacho does not read.
  std::uint64_t deferred() const { return deferred_; }
  // Counts the samples whose copy of the stack could not be unwound, and says why.
  const StackUnwinding& stacks() const { return stacks_; }
  const RecordedCode& code() const { return code_; }  // has warnings about files of JIT compilers
  perfdata::OptionalU64 first_ns() const { return first_ns_; }
  perfdata::OptionalU64 last_ns() const { return last_ns_; }
  // The last recorded name of a thread. A process has the name of its first thread. Empty if there
  // is none.
  std::string name_of(std::int32_t tid) const { return names_.of(tid); }
  // Null unless keep_owners() was called.
  const SampleOwners* owners() const { return owners_ ? &*owners_ : nullptr; }
  const ThreadNames& names() const { return names_; }

 private:
  struct Mix {
    std::uint64_t operator()(const CodePlace& place) const {
      return hashed(std::uint64_t{place.level} << 32 | place.module, place.offset);
    }
    std::uint64_t operator()(const CallNode& node) const { return hashed(node.parent, node.cell); }
  };
  static SampleCount& grow(std::vector<SampleCount>& counts, std::size_t index);
  void add_roots();
  void add_sums(std::vector<perfdata::EventSum> sums, const perfdata::Description&);
  void take_counts(const perfdata::Description&);
  // A sample whose place is known, but has no number yet.
  struct Waiting {
    CodePlace place;
    std::uint64_t hash = 0;
    bool has_time = false;
    TimedSample sample;
  };
  void add_sample(const perfdata::Sample&, perfdata::OptionalU64 time,
                  const perfdata::Description&);
  void count_waiting(const perfdata::Description&);
  void keep(const Waiting& counted, const perfdata::Description&);
  std::uint32_t add_chain(const perfdata::Sample&, perfdata::OptionalU64 time,
                          const CallChain& chain, std::uint32_t leaf, std::uint64_t period);
  bool set_chain(const perfdata::Sample&, perfdata::OptionalU64 time, const CallChain& chain,
                 std::uint32_t leaf, bool all_known);

  // The number of independent samples of equal weight with the same information about a share.
  double worth(std::size_t event, const SampleCount& part, const SampleCount& whole,
               double changes) const;
  // Null if the order of the event's samples says nothing.
  const Neighbours* neighbours(std::size_t event) const;
  // The cell of a node that Neighbours knows, and the node now.
  std::uint32_t node_now(std::uint32_t node) const {
    return has_inlined() ? nodes_now_[node] : node;
  }
  std::uint32_t cell_at(std::uint32_t node) const { return nodes_.values()[node_now(node)].cell; }

  RecordedCode code_;
  ThreadStarts starts_;
  StackUnwinding stacks_;
  NumberedValues<CodePlace, Mix> cells_;
  NumberedValues<CallNode, Mix> nodes_;
  SampleCounts cells_of_, nodes_of_, cut_nodes_of_, incomplete_nodes_of_;
  std::vector<SampleCount> totals_, cut_, hidden_, incomplete_;
  std::vector<std::uint64_t> recorded_;  // by event: the sum of all periods, chosen or not
  std::vector<perfdata::OptionalU64> counted_;
  std::vector<std::unordered_map<std::int32_t, std::uint64_t>>
      last_periods_;                // by event, then by thread or CPU
  std::vector<bool> each_sampled_;  // by event: its period is 1
  // By event: successive samples, as long as all periods were drawn.
  std::vector<std::optional<Neighbours>> neighbours_;
  std::vector<std::uint64_t> exact_;
  ThreadNames names_;
  std::optional<SampleOwners> owners_;
  std::vector<Waiting> waiting_;      // samples without call chains
  std::vector<std::uint32_t> chain_;  // of the sample being added, innermost first
  std::vector<TimedSample> samples_;
  std::vector<perfdata::EventSum> sums_;
  // By node before add_inlined(), which Neighbours knows: the node now.
  std::vector<std::uint32_t> nodes_now_;
  bool has_chains_ = false, keeps_samples_ = false;
  perfdata::LostRecords lost_;
  std::uint64_t throttled_ = 0, without_address_ = 0, deferred_ = 0, without_callers_ = 0;
  std::uint64_t bytes_ = 0;  // of the samples so far
  perfdata::OptionalU64 first_ns_, last_ns_;
};

}  // namespace tacho
