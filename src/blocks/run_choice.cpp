#include "blocks/run_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "blocks/run_code.hpp"
#include "events/spelling.hpp"
#include "symbols/name_fit.hpp"

namespace tacho {
namespace {

constexpr std::size_t kNames = 3;  // names that an error offers
// Characters of a name that are compared with what was asked for: names of templates are very long.
constexpr std::size_t kLongestName = 200;

// The runs of the functions that the name means: those with the best fit.
std::vector<std::size_t> runs_of_function(const Blocks& blocks, std::string_view asked) {
  std::map<std::string, symbols::NameFit> fits;  // many runs belong to one function
  symbols::NameFit best = symbols::NameFit::part;
  for (const CodeRun& run : blocks.runs) {
    const auto [found, fresh] = fits.try_emplace(run.function, symbols::NameFit::none);
    if (fresh) found->second = symbols::name_fit(run.function, asked);
    best = std::max(best, found->second);
  }
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < blocks.runs.size(); ++i)
    if (fits.at(blocks.runs[i].function) == best) runs.push_back(i);
  return runs;
}

bool holds(const CodeRun& run, std::uint64_t address) {
  return (run.start <= address && address <= run.end) ||
         (run.recorded_start <= address && address <= run.recorded_end);
}

// Whether a path ends in what the user wrote: "a.cpp" or "src/a.cpp" for "/home/me/src/a.cpp".
bool is_file(std::string_view file, std::string_view asked) {
  return file.ends_with(asked) && (file.size() == asked.size() || asked.starts_with('/') ||
                                   file[file.size() - asked.size() - 1] == '/');
}

// Finds runs by the source of their instructions. Each instruction is looked up once, even if
// several runs contain it.
class RunsBySource {
 public:
  RunsBySource(const Blocks& blocks, Resolver& resolver) : blocks_(blocks), resolver_(resolver) {}

  // The runs with an instruction for whose frames `meant` is true.
  template <class Meant>
  std::vector<std::size_t> runs(const Meant& meant) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, bool> known;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < blocks_.runs.size(); ++i) {
      const CodeRun& run = blocks_.runs[i];
      if (!run.instructions) continue;
      RunCode& code =
          codes_.try_emplace(run.module, *resolver_.binary_of(run.module)).first->second;
      auto lines = resolver_.binary_of(run.module)->lines();
      if (!lines) continue;
      has_lines_ = true;
      for (const std::uint64_t address : code.instructions(run.start, run.end)) {
        const auto [at, fresh] = known.try_emplace({run.module, address});
        if (fresh) at->second = meant((*lines)->frames_at(address));
        if (!at->second) continue;
        found.push_back(i);
        break;
      }
    }
    return found;
  }
  bool has_lines() const { return has_lines_; }

 private:
  const Blocks& blocks_;
  Resolver& resolver_;
  std::map<std::uint32_t, RunCode> codes_;
  bool has_lines_ = false;
};

std::string nearest_names(const Blocks& blocks, const std::string& asked) {
  std::set<std::pair<std::size_t, std::string>> names;
  std::set<std::string> seen;
  for (const CodeRun& run : blocks.runs) {
    if (run.function.empty() || !seen.insert(run.function).second) continue;
    const auto own = [](std::string_view name) {
      return symbols::own_name(name).substr(0, kLongestName);
    };
    names.emplace(edits(own(run.function), own(asked)), run.function);
    if (names.size() > kNames) names.erase(std::prev(names.end()));
  }
  std::vector<std::string> nearest;
  for (const auto& [far, name] : names) nearest.push_back(name);
  return fmt::format("{}", fmt::join(nearest, ", "));
}

bool has_function(const Blocks& blocks, Resolver& resolver, const std::string& asked) {
  for (std::uint32_t i = 0; i < blocks.modules.size(); ++i)
    if (blocks.modules[i].has_code && !resolver.table_of(i)->named(asked).empty()) return true;
  return false;
}

Result<ChosenRuns> by_function(const Blocks& blocks, const std::string& asked, Resolver& resolver) {
  ChosenRuns chosen;
  chosen.runs = runs_of_function(blocks, asked);
  if (!chosen.runs.empty()) return chosen;
  RunsBySource source(blocks, resolver);
  chosen.runs = source.runs([&](const std::vector<symbols::Frame>& frames) {
    return std::ranges::any_of(frames, [&](const symbols::Frame& frame) {
      return symbols::name_fit(frame.function, asked) != symbols::NameFit::none;
    });
  });
  if (!chosen.runs.empty()) {
    std::vector<std::string> into;
    for (const std::size_t run : chosen.runs)
      if (std::ranges::find(into, blocks.runs[run].function) == into.end())
        into.push_back(blocks.runs[run].function);
    chosen.warnings.push_back(
        fmt::format("'{}' was inlined everywhere: the runs of {} with its code are shown", asked,
                    fmt::join(into, ", ")));
    return chosen;
  }
  const std::string nearest = nearest_names(blocks, asked);
  if (nearest.empty())
    return failure(
        fmt::format("no run belongs to a function '{}': no names of functions are known", asked),
        "choose by --address, or name the files' directory with --symfs");
  const std::string remedy = fmt::format("the nearest recorded names are: {}", nearest);
  if (has_function(blocks, resolver, asked))
    return failure(fmt::format("there is a function '{}', and no run of it was recorded", asked),
                   remedy);
  return failure(fmt::format("no run belongs to a function '{}'", asked), remedy);
}

}  // namespace

Result<ChosenRuns> choose_runs(const Blocks& blocks, const RunChoice& choice, Resolver& resolver) {
  ChosenRuns chosen;
  if (!choice.function.empty()) {
    auto found = by_function(blocks, choice.function, resolver);
    if (!found) return found;
    chosen = std::move(*found);
  } else {
    chosen.runs.resize(blocks.runs.size());
    std::iota(chosen.runs.begin(), chosen.runs.end(), std::size_t{0});
  }
  if (choice.address) {
    std::erase_if(chosen.runs,
                  [&](std::size_t run) { return !holds(blocks.runs[run], *choice.address); });
    if (chosen.runs.empty())
      return failure(fmt::format("no run passes 0x{:x}", *choice.address),
                     "'tacho blocks' shows the addresses there are");
  }
  if (choice.line > 0) {
    RunsBySource source(blocks, resolver);
    const auto at_line = source.runs([&](const std::vector<symbols::Frame>& frames) {
      return std::ranges::any_of(frames, [&](const symbols::Frame& frame) {
        return frame.line == choice.line && is_file(frame.file, choice.file);
      });
    });
    std::erase_if(chosen.runs,
                  [&](std::size_t run) { return !std::ranges::binary_search(at_line, run); });
    const std::string asked = fmt::format("{}:{}", choice.file, choice.line);
    if (!source.has_lines())
      return failure(fmt::format("no run belongs to {}: no source lines are known", asked),
                     "compile with -g, and see the warnings above");
    if (chosen.runs.empty())
      return failure(fmt::format("no run has an instruction of {}", asked),
                     "a line may have no instructions; try the lines around it");
  }
  return chosen;
}

}  // namespace tacho
