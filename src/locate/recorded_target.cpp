#include "locate/recorded_target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <vector>

#include "base/cpus.hpp"
#include "base/parse_number.hpp"
#include "base/shell_line.hpp"

namespace tacho {
namespace {

constexpr std::size_t kNamed = 3;  // processes or threads, before they are only counted
constexpr std::string_view kEndOfOptions = "--";

// The options of `tacho record` and `perf record` that take a value, which may be the next word.
constexpr std::string_view kShortWithValue = "ecCDFGjkmoprtu";
constexpr auto kLongWithValue = std::to_array<std::string_view>({"--event",
                                                                 "--count",
                                                                 "--cpu",
                                                                 "--delay",
                                                                 "--freq",
                                                                 "--cgroup",
                                                                 "--clockid",
                                                                 "--output",
                                                                 "--pid",
                                                                 "--tid",
                                                                 "--call-graph",
                                                                 "--container",
                                                                 "--control",
                                                                 "--in-region",
                                                                 "--pmu",
                                                                 "--branch-filter",
                                                                 "--mmap-pages",
                                                                 "--realtime",
                                                                 "--uid",
                                                                 "--filter",
                                                                 "--max-size",
                                                                 "--mmap-flush",
                                                                 "--affinity",
                                                                 "--proc-map-timeout",
                                                                 "--vmlinux",
                                                                 "--synth",
                                                                 "--switch-max-files",
                                                                 "--num-thread-synthesize"});

// What the options of a recorder say about what it records.
struct Attached {
  std::string pids, tids;                   // values of options, with commas
  std::string_view cpus, group, container;  // values of options
  bool every_cpu = false;
};

void take(Attached& attached, std::string_view option, std::string_view value) {
  if (option == "-p" || option == "--pid") attached.pids += fmt::format(",{}", value);
  if (option == "-t" || option == "--tid") attached.tids += fmt::format(",{}", value);
  if (option == "-C" || option == "--cpu") attached.cpus = value;
  if (option == "-G" || option == "--cgroup") attached.group = value;
  if (option == "--container") attached.container = value;
  if (option == "-a" || option == "--all-cpus") attached.every_cpu = true;
}

// Takes the options at the beginning of these words. Returns the words behind them.
std::span<const std::string> take_options(std::span<const std::string> words, Attached& attached) {
  while (!words.empty() && words.front().starts_with('-')) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    if (word == kEndOfOptions) break;
    const auto next_word = [&] {
      if (words.empty()) return std::string_view();
      const std::string_view value = words.front();
      words = words.subspan(1);
      return value;
    };
    if (word.starts_with(kEndOfOptions)) {
      const std::string_view written = word.substr(0, word.find('='));
      const auto* const known = std::ranges::find_if(
          kLongWithValue, [&](std::string_view each) { return each.starts_with(written); });
      const std::string_view name = known != kLongWithValue.end() ? *known : written;
      if (written.size() < word.size())
        take(attached, name, word.substr(written.size() + 1));
      else
        take(attached, name, known != kLongWithValue.end() ? next_word() : std::string_view());
      continue;
    }
    for (std::size_t i = 1; i < word.size(); ++i) {  // -agp12: -a -g -p 12
      const bool has_value = kShortWithValue.contains(word[i]);
      const std::string option{'-', word[i]};
      if (!has_value) {
        take(attached, option, {});
        continue;
      }
      const std::string_view rest = word.substr(i + 1);
      take(attached, option, rest.empty() ? next_word() : rest);
      break;
    }
  }
  return words;
}

std::vector<std::int32_t> numbers(std::string_view list) {
  std::vector<std::int32_t> ids;
  for (const auto part : std::views::split(list, ',')) {
    std::string_view text(part.begin(), part.end());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (const auto id = parse_number<std::int32_t>(text)) ids.push_back(*id);
  }
  return ids;
}

// "make (pid 12), cc1 (pid 13)", "processes 12, 13" without names, or "5 processes".
std::string in_words(const std::vector<std::int32_t>& ids, std::string_view what,
                     std::string_view one, std::string_view several, const NameOfThread& name_of) {
  if (ids.size() > kNamed) return fmt::format("{} {}", ids.size(), several);
  std::vector<std::string> named;
  for (const std::int32_t id : ids)
    if (const std::string name = name_of ? name_of(id) : ""; !name.empty())
      named.push_back(fmt::format("{} ({} {})", name, what, id));
  if (named.size() == ids.size()) return fmt::format("{}", fmt::join(named, ", "));
  return fmt::format("{} {}", ids.size() == 1 ? one : several, fmt::join(ids, ", "));
}

std::string in_words(const Attached& attached, const NameOfThread& name_of) {
  if (const auto pids = numbers(attached.pids); !pids.empty())
    return in_words(pids, "pid", "process", "processes", name_of);
  if (const auto tids = numbers(attached.tids); !tids.empty())
    return in_words(tids, "tid", "thread", "threads", name_of);
  if (!attached.group.empty()) return fmt::format("control group {}", attached.group);
  if (!attached.container.empty()) return fmt::format("container {}", attached.container);
  if (!parse_cpu_list(attached.cpus).empty()) return cpus_in_words(attached.cpus);
  return attached.every_cpu ? "all CPUs" : "";
}

}  // namespace

std::string RecordedTarget::title() const {
  if (!attached.empty()) return attached;
  return command.empty() ? "a recording" : command;
}

RecordedTarget recorded_target(std::span<const std::string> words, const NameOfThread& name_of) {
  const auto end = std::ranges::find(words, kEndOfOptions);
  const auto found = std::find(words.begin(), end, "record");
  if (found == end) {  // the words of another recorder
    const auto behind = static_cast<std::size_t>(end - words.begin()) + 1;
    return {.attached = "",
            .command = shell_line(behind < words.size() ? words.subspan(behind) : words)};
  }
  Attached attached;
  const auto options = words.subspan(static_cast<std::size_t>(found - words.begin()) + 1);
  const auto command = take_options(options, attached);
  return {in_words(attached, name_of), shell_line(command),
          !attached.group.empty() || !attached.container.empty()};
}

}  // namespace tacho
