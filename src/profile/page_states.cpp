#include "profile/page_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "profile/page_columns.hpp"
#include "report/schema.hpp"
#include "wall/states_in_time.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostRows = 100;  // threads with a row of their own
// By ThreadState.
constexpr auto kNames = std::to_array<std::string_view>({"running", "ready", "waiting", "unknown"});

std::size_t number_of(const std::pair<std::int32_t, std::int32_t>& thread, PageThreads& threads) {
  const auto found = std::ranges::find_if(threads, [&](const SamplesInTime::Thread& each) {
    return std::pair(each.pid, each.tid) == thread;
  });
  const auto number = static_cast<std::size_t>(found - threads.begin());
  if (found == threads.end()) threads.push_back({thread.first, thread.second});
  return number;
}

}  // namespace

PageStates::PageStates(const RecordedProfile& recorded, std::size_t most)
    : reader_(dynamic_cast<const WallReader*>(recorded.reader.get())),
      grid_(grid_of_samples(recorded.profile)) {
  if (reader_ == nullptr || grid_.slices == 0) return;
  const ThreadStates& states = reader_->states();
  // All lives of a number, as of programs that others replaced: absences have no names.
  std::set<std::pair<std::int32_t, std::int32_t>> chosen;
  for (const ThreadTimes& each : states.threads())
    if (has_thread(recorded.choice, each.pid, each.tid, each.name))
      chosen.emplace(each.pid, each.tid);
  std::ranges::copy_if(
      states.threads(), std::back_inserter(threads_),
      [&](const ThreadTimes& each) { return chosen.contains({each.pid, each.tid}); });
  if (threads_.empty()) return;
  // A thread that waits is in each slice. So many threads have longer slices.
  constexpr std::size_t kSlicesAtLeast = 20, kSlicesAtMost = 1000;
  const std::size_t slices = std::clamp(most / threads_.size(), kSlicesAtLeast, kSlicesAtMost);
  grid_ = TimeGrid::of(states.begin_ns().value_or(0), states.end_ns().value_or(0) + 1,
                       static_cast<std::uint32_t>(slices));
}

std::string PageStates::member(PageThreads& threads) const {
  if (threads_.empty()) return "\"states\":null";
  const StatesInTime in_time = states_in_time(threads_, reader_->absences(), grid_, kMostRows);
  Json rows = Json::array();
  for (const StatesInTime::Row& row : in_time.rows) {
    rows.push_back({{"thread", row.thread ? Json(number_of(*row.thread, threads)) : Json()}});
    for (std::size_t state = 0; state < kNames.size(); ++state)
      rows.back()[fmt::format("{}_ns", kNames.at(state))] = row.times.at(state);
  }
  std::vector<std::uint32_t> slices, numbers;
  std::array<std::vector<std::uint64_t>, kNames.size()> times;
  std::uint32_t last = 0;
  for (std::uint32_t slice = 0; slice < grid_.slices; ++slice)
    for (std::uint32_t row = 0; row < in_time.rows.size(); ++row) {
      const StateTimes& here = in_time.rows[row].slices[slice];
      if (here == StateTimes{}) continue;
      slices.push_back(slice - std::exchange(last, slice));
      numbers.push_back(row);
      for (std::size_t state = 0; state < times.size(); ++state)
        times.at(state).push_back(here.at(state));
    }
  std::string text = fmt::format(
      "\"states\":{{\"start_ns\":{},\"slice_ns\":{},\"count\":{},\"others\":{},\"threads\":{},{},{"
      "}",
      grid_.start_ns, grid_.slice_ns, grid_.slices, in_time.others, written(rows),
      json_column("slice", slices), json_column("row", numbers));
  for (std::size_t state = 0; state < times.size(); ++state)
    text += ',' + json_column(kNames.at(state), times.at(state));
  return text + '}';
}

}  // namespace tacho
