#include "locate/sample_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <utility>

#include "base/cpus.hpp"
#include "base/number.hpp"

namespace tacho {
namespace {

// Distinct values that an error can choose from. More are not collected.
constexpr std::size_t kMostOthers = 10'000;
constexpr std::size_t kNamedOthers = 5;  // in an error

template <class Values, class Value>
bool has(const Values& values, const Value& value) {
  return std::ranges::find(values, value) != values.end();
}

std::string seconds_text(std::uint64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

// The last part of a path. A name in brackets may be written without them, and the kernel's with
// perf's name.
bool is_named(const Module& module, std::string_view name) {
  const std::string_view path = module.path;
  if (path == name) return true;
  if (path.starts_with('/')) return path.substr(path.rfind('/') + 1) == name;
  if (module.kind == ModuleKind::kernel && name == perfdata::kKernelPath) return true;
  return path.starts_with('[') && path.ends_with(']') && path.substr(1, path.size() - 2) == name;
}

}  // namespace

SampleFilter::SampleFilter(SampleChoice choice, SymbolSources sources)
    : choice_(std::move(choice)), everything_(choice_.is_everything()), code_(std::move(sources)) {
  const std::array<bool, kAspects> used{!choice_.commands.empty(), !choice_.processes.empty(),
                                        !choice_.threads.empty(),  !choice_.modules.empty(),
                                        !choice_.cpus.empty(),     !choice_.times.empty()};
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) used_.push_back(static_cast<Aspect>(i));
}

bool SampleFilter::fits_module(std::uint32_t module) {
  if (module >= modules_.size()) modules_.resize(module + 1);
  if (modules_[module] == 0) {
    const Module& of = code_.modules()[module];
    const bool chosen = std::ranges::any_of(
        choice_.modules, [&](const std::string& name) { return is_named(of, name); });
    modules_[module] = chosen ? 1 : 2;
  }
  return modules_[module] == 1;
}

bool SampleFilter::fits(Aspect aspect, const Facts& facts) {
  switch (aspect) {
    case kCommand:
      return has(choice_.commands, names_.of(facts.tid));
    case kProcess:
      return has(choice_.processes, facts.pid);
    case kThread:
      return has(choice_.threads, facts.tid);
    case kModule:
      return fits_module(facts.module);
    case kCpu:
      return facts.cpu && has(choice_.cpus, static_cast<int>(*facts.cpu));
    default:
      return facts.time_ns && std::ranges::any_of(choice_.times, [&](const TimeSlice& slice) {
               return slice.from_ns <= *facts.time_ns && *facts.time_ns <= slice.to_ns;
             });
  }
}

// What the error calls it. Times are said as a range.
std::string SampleFilter::value(Aspect aspect, const Facts& facts) const {
  switch (aspect) {
    case kCommand:
      return names_.of(facts.tid).empty() ? "[no name]" : names_.of(facts.tid);
    case kProcess:
      return fmt::format("{}", facts.pid);
    case kThread:
      return fmt::format("{}", facts.tid);
    case kModule:
      return code_.modules()[facts.module].path;
    case kCpu:
      return facts.cpu ? fmt::format("CPU {}", *facts.cpu) : "";
    default:
      return "";
  }
}

bool SampleFilter::keeps_sample(const perfdata::Sample& sample, perfdata::OptionalU64 time_ns) {
  ++seen_;
  Facts facts{.pid = sample.pid.value_or(-1),
              .tid = sample.tid.value_or(-1),
              .cpu = sample.cpu,
              .time_ns = time_ns};
  if (!choice_.modules.empty())
    facts.module = code_.find(facts.pid, time_ns, sample.mode, sample.ip.value_or(0)).module;
  if (time_ns) {
    first_ns_ = std::min(first_ns_.value_or(*time_ns), *time_ns);
    last_ns_ = std::max(last_ns_.value_or(*time_ns), *time_ns);
  }
  bool all = true;
  for (const Aspect aspect : used_) {
    if (fits(aspect, facts)) {
      ++fitting_[aspect];
      continue;
    }
    all = false;
    auto& others = others_[aspect];
    if (kept_ == 0 && others.size() < kMostOthers) ++others[value(aspect, facts)];
  }
  kept_ += all ? 1 : 0;
  return all;
}

bool SampleFilter::keeps_thread(const Facts& facts) {
  return std::ranges::all_of(used_, [&](Aspect aspect) {
    return aspect == kModule || aspect == kCpu || fits(aspect, facts);
  });
}

bool SampleFilter::keeps(const perfdata::Record& record, const perfdata::Description& recording) {
  if (everything_) return true;
  names_.add(record);
  if (!choice_.modules.empty()) code_.add(record, recording);
  if (const auto* sample = std::get_if<perfdata::Sample>(&record.what))
    return keeps_sample(*sample, sample->time_ns ? sample->time_ns : record.time_ns);
  if (const auto* fork = std::get_if<perfdata::Fork>(&record.what))
    return keeps_thread({.pid = fork->pid, .tid = fork->tid, .cpu = {}, .time_ns = record.time_ns});
  if (const auto* exit = std::get_if<perfdata::Exit>(&record.what))
    return keeps_thread({.pid = exit->pid, .tid = exit->tid, .cpu = {}, .time_ns = record.time_ns});
  return true;
}

std::optional<ChosenSamples> SampleFilter::chosen() const {
  if (everything_) return std::nullopt;
  return ChosenSamples{in_words(choice_), kept_, seen_};
}

// " (cc1plus)", behind the number of a process or thread.
std::string SampleFilter::last_name(Aspect aspect, const std::string& value) const {
  if (aspect != kProcess && aspect != kThread) return {};
  std::int32_t id = 0;
  std::from_chars(value.data(), value.data() + value.size(), id);
  return names_.of(id).empty() ? std::string() : fmt::format(" ({})", names_.of(id));
}

Result<void> SampleFilter::check() const {
  if (everything_ || kept_ > 0 || seen_ == 0) return {};
  const std::string what =
      fmt::format("none of {} is of {}", plural(seen_, "sample", {}), in_words(choice_));
  const auto without =
      std::ranges::find_if(used_, [&](Aspect each) { return fitting_[each] == 0; });
  if (without == used_.end()) {
    std::vector<std::string> words;
    for (const Aspect aspect : used_) {
      constexpr std::array<std::string_view, kAspects> kNames{"--comm",   "--pid", "--tid",
                                                              "--module", "--cpu", "--time"};
      words.push_back(fmt::format("{} has {}", kNames[aspect], fitting_[aspect]));
    }
    return failure(what,
                   fmt::format("each is there, but not together: {}", fmt::join(words, ", ")));
  }
  if (*without == kTime && first_ns_)
    return failure(what, fmt::format("the samples are from {} to {} s of the recording's clock; "
                                     "counted from the first one, --time +0,+{:.3f} has them all",
                                     seconds_text(*first_ns_), seconds_text(*last_ns_),
                                     static_cast<double>(*last_ns_ - *first_ns_) / 1e9 + 0.001));
  std::vector<std::pair<std::uint64_t, std::string>> there;
  for (const auto& [value, count] : others_[*without])
    if (!value.empty()) there.emplace_back(count, value);
  if (there.empty())
    return failure(what, *without == kCpu ? "the samples do not say their CPU: record with -a"
                                          : "the samples do not have it");
  std::ranges::sort(there, std::ranges::greater());
  std::vector<std::string> names;
  for (const auto& [count, value] : there)
    if (names.size() < kNamedOthers)
      names.push_back(fmt::format("{}{}: {}", value, last_name(*without, value), count));
  const std::string more = there.size() > names.size()
                               ? fmt::format(" and {} more", there.size() - names.size())
                               : std::string();
  return failure(what, fmt::format("there are samples of {}{}", fmt::join(names, ", "), more));
}

}  // namespace tacho
