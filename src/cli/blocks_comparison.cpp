#include "cli/blocks_comparison.hpp"

#include <fmt/format.h>

#include "cli/say.hpp"
#include "report/run_gnuplot.hpp"

namespace tacho {

ComparedRuns compare(const Blocks& before, std::span<const std::size_t> runs, const Blocks& after) {
  ComparedRuns compared;
  for (const std::size_t run : runs) {
    const auto same = same_run(before, run, after);
    auto comparison = same ? compare_runs(before, run, after, *same) : std::nullopt;
    if (comparison)
      compared.runs.push_back(std::move(*comparison));
    else
      compared.missing.push_back(run);
  }
  return compared;
}

Result<void> check_plot(const std::string& picture) {
  if (picture.empty()) return {};
  if (!picture.ends_with(".svg") && !picture.ends_with(".png"))
    return failure(fmt::format("cannot draw '{}': its ending is neither .svg nor .png", picture),
                   "give it one of them");
  return need_gnuplot(picture, "use --csv, which other programs draw");
}

Result<void> draw(std::string_view title, std::span<const PlottedCase> cases,
                  const std::string& picture) {
  const std::string script = cycles_plot_script(title, cases, picture);
  if (auto drawn = run_gnuplot(script, picture, "see gnuplot's own message"); !drawn) return drawn;
  say_line(fmt::format("drew {}", picture));
  return {};
}

}  // namespace tacho
