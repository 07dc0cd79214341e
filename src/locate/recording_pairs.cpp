#include "locate/recording_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text_layout.hpp"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 6> kEvidenceNames{"pairs",  "too_few", "machines",
                                                         "blocks", "equal",   "damaged"};

// So many recordings between the two of a pair make it a comparison of two times.
constexpr std::size_t kFarApart = 3;

bool has_time_of(const RecordingOrigin& each, const RecordingOrigin& clock) {
  return each.first_ns && each.last_ns && each.host == clock.host && each.kernel == clock.kernel;
}

// How many recordings of a side were made after one recording of a pair ended, and before the other
// began.
std::size_t between(Origins side, const RecordingOrigin& one, const RecordingOrigin& other) {
  const bool in_order = one.first_ns < other.first_ns;
  const RecordingOrigin& earlier = in_order ? one : other;
  const RecordingOrigin& later = in_order ? other : one;
  return static_cast<std::size_t>(std::ranges::count_if(side, [&](const RecordingOrigin& each) {
    return each.first_ns > earlier.last_ns && each.last_ns < later.first_ns;
  }));
}

// True if the recordings name processors of different kinds.
bool from_different_machines(Origins before, Origins after) {
  const RecordingOrigin& first = before.front();
  const auto differs = [&](const RecordingOrigin& each) {
    return each.cpu != first.cpu || each.architecture != first.architecture;
  };
  return std::ranges::any_of(before, differs) || std::ranges::any_of(after, differs);
}

// True if two recordings of a side have the same times: they are copies of one.
bool has_copies(Origins side) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> times;
  return !std::ranges::all_of(side, [&](const RecordingOrigin& each) {
    return !each.first_ns || !each.last_ns || times.emplace(*each.first_ns, *each.last_ns).second;
  });
}

}  // namespace

std::string_view to_string(Evidence evidence) {
  return kEvidenceNames[static_cast<std::size_t>(evidence)];
}

std::string_view to_string(RecordingOrder order) {
  constexpr std::array<std::string_view, 3> kOrders{"in_turn", "blocks", "unknown"};
  return kOrders[static_cast<std::size_t>(order)];
}

RecordingOrder order_of(Origins before, Origins after) {
  const auto is_timed = [&](const RecordingOrigin& each) {
    return has_time_of(each, before.front());
  };
  if (!std::ranges::all_of(before, is_timed) || !std::ranges::all_of(after, is_timed))
    return RecordingOrder::unknown;
  const std::size_t pairs = std::min(before.size(), after.size());
  std::size_t far_apart = 0;
  for (std::size_t i = 0; i < pairs; ++i)
    if (between(before, before[i], after[i]) + between(after, before[i], after[i]) >= kFarApart)
      ++far_apart;
  return 2 * far_apart >= pairs ? RecordingOrder::blocks : RecordingOrder::in_turn;
}

Evidence evidence_of(Origins before, Origins after, RecordingOrder order,
                     const SampleFaults& faults) {
  if (faults.damaged) return Evidence::damaged;
  if (std::min(before.size(), after.size()) < kFewestRecordings) return Evidence::too_few;
  if (from_different_machines(before, after)) return Evidence::machines;
  if (faults.equal || has_copies(before) || has_copies(after)) return Evidence::equal;
  return order == RecordingOrder::blocks ? Evidence::blocks : Evidence::pairs;
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
  if (evidence == Evidence::machines)
    return paragraph(
        " ", fmt::format("The recordings come from processors of different kinds, which would look "
                         "like a change of the program. {} Record both programs on one machine.",
                         where.consequence));
  std::string why = fmt::format(
      "The recordings were not made in turn: most pairs have three others or more between them. If "
      "the machine became slower or faster meanwhile, that looks like a change. {}",
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
