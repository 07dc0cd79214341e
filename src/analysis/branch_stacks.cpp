#include "analysis/branch_stacks.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/metrics.hpp"
#include "perfdata/format.hpp"

namespace tacho {
namespace {

using perfdata::Branch;

constexpr int kValueShift = 48;
constexpr std::uint64_t kCount = (std::uint64_t{1} << kValueShift) - 1;
constexpr std::size_t kNear = 8;          // ranges that a stack is likely to pass through
constexpr std::uint8_t kOnWrongPath = 1;  // PERF_BR_SPEC_WRONG_PATH: never retired
constexpr std::uint64_t kAddressSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kLast32 = 0xffffffff;
constexpr std::uint8_t kMispredicted = 1, kPredicted = 2;

// splitmix64's finisher.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

bool is_guest(perfdata::Mode mode) {
  return mode == perfdata::Mode::guest_kernel || mode == perfdata::Mode::guest_user ||
         mode == perfdata::Mode::hypervisor;
}

// Some kinds of branches only were recorded: code between two of them did not run straight.
bool keeps_every_branch(std::uint64_t kinds) {
  namespace format = perfdata::format;
  if ((kinds & (format::kInTransaction | format::kNoTransaction)) != 0) return false;
  return (kinds & format::kAnyBranch) != 0 || (kinds & format::kSomeBranches) == 0;
}

}  // namespace

void CycleCounts::add(std::uint16_t cycles) {
  const std::uint64_t least = std::uint64_t{cycles} << kValueShift;
  std::uint64_t* const end = bins_.get() + size_;
  std::uint64_t* at = std::lower_bound(bins_.get(), end, least);
  if (at != end && *at >> kValueShift == cycles) {
    ++*at;
    return;
  }
  const std::ptrdiff_t place = at - bins_.get();
  if (size_ == capacity_) {
    capacity_ = capacity_ == 0 ? 2 : capacity_ + capacity_ / 2;
    auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(capacity_);
    std::ranges::copy(bins(), larger.get());
    bins_ = std::move(larger);
  }
  at = bins_.get() + place;
  std::copy_backward(at, bins_.get() + size_, bins_.get() + size_ + 1);
  *at = least + 1;
  ++size_;
}

void CycleCounts::add_to(Histogram& histogram) const {
  for (const std::uint64_t bin : bins()) histogram.add(bin >> kValueShift, bin & kCount);
}

std::uint64_t CycleCounts::total() const {
  std::uint64_t total = 0;
  for (const std::uint64_t bin : bins()) total += bin & kCount;
  return total;
}

std::uint64_t CycleCounts::sum() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t bin : bins()) sum += (bin >> kValueShift) * (bin & kCount);
  return sum;
}

std::uint64_t BranchStacks::Mix::operator()(const Mapped& mapped) const {
  return mixed(mapped.bias * 0x9e3779b97f4a7c15U ^ mapped.module);
}

std::uint64_t BranchStacks::Mix::operator()(const BranchKey& step) const {
  const std::uint64_t run = step.start * 0x9e3779b97f4a7c15U ^ step.from;
  return mixed((run ^ run >> 32) * 0xd6e8feb86659fd93U ^ step.to ^
               (std::uint64_t{step.range} << 33 | (step.timed ? std::uint64_t{1} << 32 : 0)));
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
    lost_ += lost->count;
}

void BranchStacks::add_sample(const perfdata::Sample& sample,
                              const perfdata::Description& recording) {
  ++all_samples_;
  const perfdata::RecordedEvent& event = recording.events[sample.event];
  if ((event.sample_type & perfdata::format::kBranchStack) == 0) return;
  if (!is_wanted(sample.event, recording)) return;
  if (samples_++ == 0) seen_event_ = event.name;
  every_branch_ = every_branch_ && keeps_every_branch(event.branch_sample_type);
  entries_ += sample.branches.size();
  if (sample.branches.empty()) {
    ++skipped_.empty;
    return;
  }
  const std::int32_t pid = sample.pid.value_or(-1);
  if (pid != near_pid_ || is_guest(sample.mode) != is_guest(near_mode_)) near_.clear();
  near_pid_ = pid;
  near_mode_ = sample.mode;
  Pending& newest = pending_[newest_];
  newest.clear();
  for (std::size_t i = 0; i < sample.branches.size(); ++i)
    newest.add(key_of(sample, i), sample.branches[i]);
  advance();
}

void BranchStacks::finish(const perfdata::Description& recording) {
  for (std::size_t i = 1; i < pending_.size(); ++i) {
    pending_[newest_].clear();
    advance();
  }
  spaces_.add_build_ids(recording.build_ids);
}

void BranchStacks::Pending::clear() {
  keys.clear();
  hashes.clear();
  predictions.clear();
  steps.clear();
}

void BranchStacks::Pending::add(const BranchKey& key, const Branch& branch) {
  keys.push_back(key);
  hashes.push_back(Mix()(key));
  predictions.push_back(static_cast<std::uint8_t>((branch.mispredicted ? kMispredicted : 0) |
                                                  (branch.predicted ? kPredicted : 0)));
  steps.push_back({0, branch.cycles});
}

// Stacks come from all over a program: what they count in is in no cache. So each stage asks memory
// for what the next one needs, and that one comes when another sample has.
void BranchStacks::advance() {
  const auto behind = [&](std::size_t stages) -> Pending& {
    return pending_[(newest_ + pending_.size() - stages) % pending_.size()];
  };
  for (const std::uint64_t hash : behind(0).hashes) steps_.ask_for(hash);
  for (const std::uint64_t hash : behind(1).hashes) steps_.ask_for_likely(hash);
  Pending& third = behind(2);
  for (std::size_t i = 0; i < third.keys.size(); ++i) {
    third.steps[i].step = steps_.number(third.keys[i], third.hashes[i]);
    steps_.at(third.steps[i].step).cycles.ask_for();
  }
  if (!behind(3).keys.empty()) count(behind(3));
  newest_ = (newest_ + 1) % pending_.size();
}

void BranchStacks::count(Pending& stack) {
  for (std::size_t i = 0; i < stack.steps.size(); ++i) {
    BranchStep& step = steps_.at(stack.steps[i].step);
    if ((stack.predictions[i] & kMispredicted) != 0) ++step.mispredicted;
    if (stack.predictions[i] != 0) ++step.told;
    step.cycles.add(stack.steps[i].cycles);
  }
  keep_followed(stack.steps);
  stack.clear();
}

// A stream tells its events one after the other.
bool BranchStacks::is_wanted(std::size_t event, const perfdata::Description& recording) {
  if (wanted_.size() != recording.events.size()) {
    wanted_.assign(recording.events.size(), event_.empty());
    std::vector<std::string> names;
    for (const perfdata::RecordedEvent& each : recording.events) names.push_back(each.name);
    if (const auto meant = event_of(event_, names); meant && !event_.empty())
      wanted_[*meant] = true;
  }
  return wanted_[event];
}

BranchKey BranchStacks::key_of(const perfdata::Sample& sample, std::size_t index) {
  const std::span<const Branch> branches = sample.branches;
  const Branch& branch = branches[index];
  BranchKey step{0, branch.from, branch.to, kNoRun, branch.cycles != 0};
  // What was fetched on a wrong path did not happen: the run goes on from the branch before it.
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
  return step;
}

// Where the run from `start` to `end` belongs; kNoRun when it can't have run straight: backwards,
// from or to nowhere, or from one file into another.
std::uint32_t BranchStacks::run_range(const perfdata::Sample& sample, std::uint64_t start,
                                      std::uint64_t end) {
  if (start == 0 || end < start) return kNoRun;
  const Near first = near(sample, start);
  if (!first.range.holds(end) && near(sample, end).number != first.number) return kNoRun;
  return first.number;
}

// Where an address is the kernel's, its sign says so; of 32 bits, that the process has nothing
// there. Recordings of old have the kernel mapped from 0 on: no range is to hold addresses of both.
const BranchStacks::Near& BranchStacks::near(const perfdata::Sample& sample,
                                             std::uint64_t address) {
  const auto found =
      std::ranges::find_if(near_, [&](const Near& each) { return each.range.holds(address); });
  if (found != near_.end()) {
    std::swap(*found, near_.front());
    return near_.front();
  }
  const bool negative = (address & kAddressSign) != 0;
  const bool kernel = negative && !is_guest(sample.mode);
  const perfdata::Mode mode = kernel                  ? perfdata::Mode::kernel
                              : is_guest(sample.mode) ? sample.mode
                                                      : perfdata::Mode::user;
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
  if (near_.size() == kNear) near_.pop_back();
  near_.insert(near_.begin(), {range, ranges_.number({range.module, range.bias})});
  return near_.front();
}

// Of n stacks each is kept with the same probability (J. S. Vitter, Random sampling with a
// reservoir, ACM TOMS 11 (1985), algorithm R); the same ones in each run over a recording.
void BranchStacks::keep_followed(std::vector<Followed>& stack) {
  std::ranges::reverse(stack);
  ++stacks_;
  if (followed_.size() < kFollowed) {
    followed_.push_back(stack);
    return;
  }
  random_ += 0x9e3779b97f4a7c15U;
  const std::uint64_t place = mixed(random_) % stacks_;
  if (place < kFollowed) followed_[static_cast<std::size_t>(place)] = stack;
}

}  // namespace tacho
