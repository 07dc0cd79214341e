#include "locate/sample_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/cpus.hpp"
#include "base/parse_number.hpp"

namespace tacho {
namespace {

// "commands a, b"
template <class Values>
void add_words(std::vector<std::string>& words, std::string_view what, const Values& values) {
  if (!values.empty())
    words.push_back(
        fmt::format("{}{} {}", what, values.size() > 1 ? "s" : "", fmt::join(values, ", ")));
}

// Whether a list of chosen values has this one. An empty list has all.
template <class Values, class Value>
bool fits(const Values& values, const Value& value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

// The parts between commas.
std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    parts.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <std::vector<std::string> SampleChoice::* kNames>
Result<void> take_names(const std::string& list, SampleChoice& choice) {
  for (std::string& name : split_list(list)) {
    if (name.empty()) return failure(fmt::format("the list '{}' has an empty name", list));
    (choice.*kNames).push_back(std::move(name));
  }
  return {};
}

template <std::vector<std::int32_t> SampleChoice::* kIds>
Result<void> take_ids(const std::string& list, SampleChoice& choice) {
  for (const std::string& text : split_list(list)) {
    const auto id = parse_number<std::int32_t>(text);
    if (!id || *id < 0)
      return failure(fmt::format("'{}' is not the number of a process or thread", text));
    (choice.*kIds).push_back(*id);
  }
  return {};
}

Result<void> take_cpus(const std::string& list, SampleChoice& choice) {
  const std::vector<int> cpus = parse_cpu_list(list);
  if (cpus.empty()) return failure(fmt::format("'{}' is no list of CPUs, such as 0-3,8", list));
  choice.cpus.insert(choice.cpus.end(), cpus.begin(), cpus.end());
  return {};
}

Result<void> take_times(const std::string& text, SampleChoice& choice) {
  const auto slices = TACHO_TRY(parse_time_slices(text));
  choice.times.insert(choice.times.end(), slices.begin(), slices.end());
  choice.time_text += (choice.time_text.empty() ? "" : " ") + text;
  return {};
}

constexpr auto kOptions = std::to_array<ChoiceOption>(
    {{"--comm", "NAMES", "Only samples of threads with these names",
      take_names<&SampleChoice::commands>},
     {"--pid", "PIDS", "Only samples of these processes", take_ids<&SampleChoice::processes>},
     {"--tid", "TIDS", "Only samples of these threads", take_ids<&SampleChoice::threads>},
     {"--module,--dso", "MODULES", "Only samples in these programs and libraries",
      take_names<&SampleChoice::modules>},
     {"--cpu", "CPUS", "Only samples on these CPUs, such as 0-3,8", take_cpus},
     {"--time", "A,B|P%-Q%",
      "Only samples from A to B: seconds of the recording's clock, or with + after the first "
      "sample; or from P to Q percent of the time",
      take_times}});

}  // namespace

bool is_of_threads(const SampleChoice& choice) {
  return !choice.commands.empty() || !choice.processes.empty() || !choice.threads.empty();
}

bool has_thread(const SampleChoice& choice, std::int32_t pid, std::int32_t tid,
                const std::string& name) {
  return fits(choice.processes, pid) && fits(choice.threads, tid) && fits(choice.commands, name);
}

std::span<const ChoiceOption> choice_options() {
  return kOptions;
}

std::string in_words(const SampleChoice& choice) {
  std::vector<std::string> words;
  add_words(words, "command", choice.commands);
  add_words(words, "pid", choice.processes);
  add_words(words, "tid", choice.threads);
  add_words(words, "module", choice.modules);
  if (!choice.cpus.empty()) words.push_back(cpus_in_words(cpu_list_text(choice.cpus)));
  if (!choice.times.empty()) words.push_back(fmt::format("time {}", choice.time_text));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace tacho
