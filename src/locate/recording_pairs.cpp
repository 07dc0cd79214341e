#include "locate/recording_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "base/text_layout.hpp"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 5> kEvidenceNames{"pairs", "too_few", "blocks", "equal",
                                                         "damaged"};

// The time from the first sample of any recording to the last one; none if a recording has no
// times, or those of another machine or kernel than `clock`: a clock starts anew with the kernel.
std::optional<std::pair<std::uint64_t, std::uint64_t>> time_of(std::span<const RecordedTime> side,
                                                               const RecordedTime& clock) {
  std::pair<std::uint64_t, std::uint64_t> time(std::numeric_limits<std::uint64_t>::max(), 0);
  for (const RecordedTime& each : side) {
    if (!each.first_ns || !each.last_ns || each.host != clock.host || each.kernel != clock.kernel)
      return {};
    time = {std::min(time.first, *each.first_ns), std::max(time.second, *each.last_ns)};
  }
  return time;
}

}  // namespace

std::string_view to_string(Evidence evidence) {
  return kEvidenceNames[static_cast<std::size_t>(evidence)];
}

bool recorded_in_blocks(std::span<const RecordedTime> before, std::span<const RecordedTime> after) {
  const auto olds = time_of(before, before.front());
  const auto news = time_of(after, before.front());
  return olds && news && (olds->second < news->first || news->second < olds->first);
}

Result<void> check_distinct(std::string_view option, const std::vector<std::string>& files) {
  const auto path = [](const std::string& file) { return file == "-" ? "/dev/stdin" : file; };
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code none;
      if (files[i] != files[j] &&
          !std::filesystem::equivalent(path(files[i]), path(files[j]), none))
        continue;
      return failure(fmt::format("{} has the recording '{}' twice", option, files[i]),
                     "give each recording once: it is one run of the program");
    }
  return {};
}

std::string no_claim_text(Evidence evidence, std::size_t before, std::size_t after,
                          const NoClaim& where, const NumberStyle& style) {
  if (evidence == Evidence::damaged)
    return paragraph(
        " ", fmt::format("A part of a recording could not be read, and what is missing would look "
                         "like a change. {} Leave the damaged recordings out.",
                         where.consequence));
  if (evidence == Evidence::equal)
    return paragraph(
        " ", fmt::format("The recordings of one side took the same samples, as those of a "
                         "simulation do. {} Record with another sampling period (-c) each time.",
                         where.consequence));
  std::string why = fmt::format(
      "One side was recorded before the other. If the machine became slower or faster meanwhile, "
      "that looks like a change. {}",
      where.consequence);
  if (evidence == Evidence::too_few)
    why = fmt::format(
        "{} before and {} after do not show how much two runs of one program differ. {} At least "
        "{} on each side are needed, better {}.",
        plural(before, "recording", style), after, where.consequence, kFewestRecordings,
        kManyRecordings);
  return paragraph(" ", why) + fmt::format(
                                   " Record both programs several times, in turn:\n"
                                   "   for i in $(seq {}); do\n"
                                   "     tacho record{} -o before-$i.data -- BEFORE\n"
                                   "     tacho record{} -o after-$i.data -- AFTER\n"
                                   "   done\n"
                                   "   tacho {} -i before-*.data --compare after-*.data\n",
                                   kManyRecordings, where.recorded_with, where.recorded_with,
                                   where.subcommand);
}

}  // namespace tacho
