#include "blocks/branch_stacks.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash_seed.hpp"
#include "estimate/metrics.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho {
namespace {

using perfdata::Branch;

constexpr std::size_t kBatch = 4096;      // entries (some hundred stacks) that are counted at once
constexpr std::size_t kNear = 8;          // ranges that are remembered: a stack passes through few
constexpr std::uint8_t kOnWrongPath = 1;  // PERF_BR_SPEC_WRONG_PATH: never retired
constexpr std::uint64_t kAddressSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kLast32 = 0xffffffff;

bool is_guest(perfdata::Mode mode) {
  return mode == perfdata::Mode::guest_kernel || mode == perfdata::Mode::guest_user ||
         mode == perfdata::Mode::hypervisor;
}

// Whether every kind of taken branch was recorded. Otherwise the code between two recorded branches
// was not straight-line code.
bool keeps_every_branch(std::uint64_t kinds) {
  namespace format = perfdata::format;
  if ((kinds & (format::kInTransaction | format::kNoTransaction)) != 0) return false;
  return (kinds & format::kAnyBranch) != 0 || (kinds & format::kSomeBranches) == 0;
}

bool counts_cycles(std::string_view event) {
  event.remove_prefix(event.find('/') + 1);  // "cpu_core/cycles/": 0 bytes if there is no slash
  return event.starts_with("cycles") || event.starts_with("cpu-cycles");
}

// Whether the stack is longer than the period before its sample. It then has executions that the
// stack of the sample before has, too. `period`: of the event, 0 if it varies.
bool overlaps(const perfdata::Sample& sample, std::uint64_t period) {
  std::uint64_t cycles = 0;
  for (const Branch& branch : sample.branches) cycles += branch.cycles;
  return cycles > sample.period.value_or(period > 0 ? period : cycles);
}

}  // namespace

BranchStacks::BranchStacks(std::string event)
    : event_(std::move(event)), counting_([this](StackBatch& batch) {
        counts_.count(batch);
        batch.clear();
      }) {}

std::uint64_t BranchStacks::Mix::operator()(const Mapped& mapped) const {
  return hashed(mapped.module, mapped.bias);
}

void BranchStacks::add(const perfdata::Record& record, const perfdata::Description& recording) {
  if (const auto* sample = std::get_if<perfdata::Sample>(&record.what))
    return add_sample(*sample, recording);
  near_.clear();
  if (const auto* mapping = std::get_if<perfdata::Mapping>(&record.what))
    spaces_.add(*mapping);
  else if (const auto* command = std::get_if<perfdata::Command>(&record.what))
    spaces_.add(*command);
  else if (const auto* fork = std::get_if<perfdata::Fork>(&record.what))
    spaces_.add(*fork);
  else if (const auto* lost = std::get_if<perfdata::Lost>(&record.what))
    lost_.add(*lost);
}

void BranchStacks::add_sample(const perfdata::Sample& sample,
                              const perfdata::Description& recording) {
  ++all_samples_;
  const perfdata::RecordedEvent& event = recording.events[sample.event];
  if ((event.sample_type & perfdata::format::kBranchStack) == 0) return;
  if (perfdata::has_call_stacks(event)) {
    ++call_stacks_;
    return;
  }
  if (!is_wanted(sample.event, recording)) {
    left_out_.resize(recording.events.size());
    ++left_out_[sample.event];
    return;
  }
  if (samples_++ == 0) {
    seen_event_ = event.name;
    by_cycles_ = counts_cycles(event.name);
  }
  every_branch_ = every_branch_ && keeps_every_branch(event.branch_sample_type);
  entries_ += sample.branches.size();
  if (by_cycles_ && overlaps(sample, event.period)) ++overlapping_;
  if (sample.branches.empty()) {
    ++skipped_.empty;
    return;
  }
  const std::int32_t pid = sample.pid.value_or(-1);
  if (pid != near_pid_ || is_guest(sample.mode) != is_guest(near_mode_)) near_.clear();
  near_pid_ = pid;
  near_mode_ = sample.mode;
  for (std::size_t i = 0; i < sample.branches.size(); ++i) {
    const Branch& branch = sample.branches[i];
    StackBatch::Entry& entry = batch_.add();
    set_key(sample, i, entry.key);
    entry.cycles = branch.cycles;
    entry.mispredicted = branch.mispredicted;
    entry.has_prediction = branch.mispredicted || branch.predicted;
  }
  batch_.end_stack();
  if (batch_.entries().size() >= kBatch) counting_.hand_over(batch_);
}

void BranchStacks::finish(const perfdata::Description& recording) {
  counting_.finish();
  counts_.count(batch_);
  batch_.clear();
  spaces_.add_build_ids(recording.build_ids);
}

// A recording from a pipe describes its events one after the other, so their number can grow.
bool BranchStacks::is_wanted(std::size_t event, const perfdata::Description& recording) {
  if (event_.empty()) {
    if (!wanted_) wanted_ = static_cast<std::uint32_t>(event);
  } else if (events_ != recording.events.size()) {
    events_ = static_cast<std::uint32_t>(recording.events.size());
    std::vector<std::string> names;
    for (const perfdata::RecordedEvent& each : recording.events) names.push_back(each.name);
    wanted_ = event_of(event_, names);
  }
  return wanted_ == event;
}

void BranchStacks::set_key(const perfdata::Sample& sample, std::size_t index, BranchKey& step) {
  const std::span<const Branch> branches = sample.branches;
  const Branch& branch = branches[index];
  step.from = branch.from;
  step.to = branch.to;
  step.timed = branch.cycles != 0;
  // Branches on a wrong path were not executed: the run begins at the branch before them.
  std::size_t before = index + 1;
  while (before < branches.size() && branches[before].speculation == kOnWrongPath) ++before;
  const bool doubled = index == 0 && before < branches.size() &&
                       branches[before].from == branch.from && branches[before].to == branch.to;
  if (branch.speculation == kOnWrongPath) {
    ++skipped_.wrong_path;
  } else if (doubled) {
    ++skipped_.doubled;
  } else {
    skipped_.no_cycles += step.timed ? 0 : 1;
    if (before < branches.size()) {
      step.range = run_range(sample, branches[before].to, branch.from);
      if (step.range != kNoRun)
        step.start = branches[before].to;
      else
        ++(step.timed ? skipped_.impossible : impossible_untimed_);
    }
  }
}

// The range that contains the run from `start` to `end`. kNoRun if that is no straight-line code:
// it leads backwards, starts at 0, or leads from one file into another.
std::uint32_t BranchStacks::run_range(const perfdata::Sample& sample, std::uint64_t start,
                                      std::uint64_t end) {
  if (start == 0 || end < start) return kNoRun;
  const Near& first = near(sample, start);
  const std::uint32_t number = first.number;
  return first.range.holds(end) || near(sample, end).number == number ? number : kNoRun;
}

// The range that contains an address. A 64-bit address is the kernel's if it is negative; a 32-bit
// address is, if the process has nothing mapped there. Old recordings have the kernel mapped from 0
// on. So a range is cut in order not to contain addresses of both.
const BranchStacks::Near& BranchStacks::near(const perfdata::Sample& sample,
                                             std::uint64_t address) {
  if (last_near_ < near_.size() && near_[last_near_].range.holds(address)) return near_[last_near_];
  const auto found =
      std::ranges::find_if(near_, [&](const Near& each) { return each.range.holds(address); });
  if (found != near_.end()) {
    last_near_ = static_cast<std::size_t>(found - near_.begin());
    return *found;
  }
  const bool negative = (address & kAddressSign) != 0;
  const bool kernel = negative && !is_guest(sample.mode);
  perfdata::Mode mode = perfdata::Mode::user;
  if (kernel)
    mode = perfdata::Mode::kernel;
  else if (is_guest(sample.mode))
    mode = sample.mode;
  CodeRange range = spaces_.range_of(near_pid_, mode, address);
  if (modules()[range.module].kind == ModuleKind::unknown && address <= kLast32) {
    const CodeRange other = spaces_.range_of(near_pid_, perfdata::Mode::kernel, address);
    const bool of_kernel =
        modules()[other.module].kind == ModuleKind::kernel && other.last <= kLast32;
    range = {std::max(range.start, other.start), std::min(range.last, other.last), 0,
             of_kernel ? other.module : range.module};
  }
  if (negative)
    range.start = std::max(range.start, kAddressSign);
  else
    range.last = std::min(range.last, kAddressSign - 1);
  if (near_.size() == kNear) near_.clear();
  last_near_ = near_.size();
  return near_.emplace_back(range, ranges_.number({range.module, range.bias}));
}

}  // namespace tacho
