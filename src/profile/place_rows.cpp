#include "profile/place_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "base/hash_seed.hpp"
#include "locate/numbered_values.hpp"

namespace tacho {
namespace {

// Most rows without samples of their own: functions and instructions that only called others. Those
// with the largest totals are shown.
constexpr std::size_t kMostCallers = std::size_t{1} << 16;

// What identifies a row: the parts that matter for the order that was chosen.
struct RowKey {
  std::uint32_t module = 0;
  FunctionId function = 0;
  std::uint32_t file = 0;  // number of its name
  unsigned line = 0;
  std::uint64_t address = 0;
  bool operator==(const RowKey&) const = default;
};

struct RowHash {
  std::uint64_t operator()(const RowKey& key) const {
    return hashed(hashed(std::uint64_t{key.module} << 32 | key.function,
                         std::uint64_t{key.file} << 32 | key.line),
                  key.address);
  }
  std::uint64_t operator()(const std::string& text) const {
    return hashed(std::hash<std::string>()(text));
  }
};

class RowMaker {
 public:
  RowMaker(const Profile& profile, Resolver& resolver, SortBy sort)
      : profile_(profile), resolver_(resolver), sort_(sort) {}

  // The number of the row of each cell.
  std::vector<std::size_t> assign() {
    std::vector<std::size_t> row_of;
    row_of.reserve(profile_.cells().size());
    for (const CodePlace& place : profile_.cells()) row_of.push_back(keys_.number(key_of(place)));
    return row_of;
  }
  std::size_t rows() const { return keys_.values().size(); }

  // After assign(): brief names are known only then, because an overloaded function's name includes
  // its parameters.
  ProfileRow row(std::size_t number) const {
    const auto& [module, function, file, line, address] = keys_.values()[number];
    ProfileRow row;
    row.module = resolver_.module_name(module);
    row.path = profile_.modules()[module].path;
    if (sort_ == SortBy::module) return row;
    row.function = resolver_.function(function).brief;
    row.signature = resolver_.function(function).name;
    if (resolver_.function(function).has_namesake) row.start = resolver_.function(function).start;
    if (sort_ == SortBy::function) return row;
    row.file = files_.values()[file];
    row.line = line;
    if (sort_ == SortBy::instruction) row.address = address;
    return row;
  }

 private:
  RowKey key_of(const CodePlace& place) {
    RowKey key{.module = place.module};
    if (sort_ == SortBy::module) return key;
    key.function = resolver_.function_of(place);
    if (sort_ == SortBy::function) return key;
    const symbols::Frame frame = resolver_.line_of(place);
    key.file = files_.number(frame.file);
    key.line = frame.line;
    if (sort_ == SortBy::instruction) key.address = resolver_.address_of(place);
    return key;
  }

  const Profile& profile_;
  Resolver& resolver_;
  SortBy sort_;
  NumberedValues<RowKey, RowHash> keys_;
  NumberedValues<std::string, RowHash> files_;
};

// The rows that are shown: those with samples of their own, and the callers with the largest
// totals.
std::vector<bool> rows_shown(const Profile& profile, std::span<const std::size_t> row_of,
                             std::span<const InclusiveCount> totals, std::size_t rows) {
  if (rows <= kMostCallers || totals.empty()) return std::vector<bool>(rows, true);
  std::vector<bool> shown(rows);
  for (const SampleCounts::Entry& each : profile.counts().entries())
    shown[row_of[each.place]] = true;
  std::vector<std::size_t> callers;
  for (std::size_t row = 0; row < rows; ++row)
    if (!shown[row]) callers.push_back(row);
  std::ranges::stable_sort(callers, std::ranges::greater(),
                           [&](std::size_t row) { return totals[row].seen.sum; });
  callers.resize(std::min(callers.size(), kMostCallers));
  for (const std::size_t row : callers) shown[row] = true;
  return shown;
}

}  // namespace

PlaceRows place_rows(const Profile& profile, Resolver& resolver, SortBy sort, std::size_t event,
                     bool with_totals) {
  PlaceRows made;
  RowMaker maker(profile, resolver, sort);
  made.row_of = maker.assign();
  std::vector<InclusiveCount> totals;
  if (with_totals) totals = inclusive_counts(profile, made.row_of, maker.rows(), event);
  const std::vector<bool> shown = rows_shown(profile, made.row_of, totals, maker.rows());
  const auto count = static_cast<std::size_t>(std::ranges::count(shown, true));
  made.callers_left_out = maker.rows() - count;
  made.rows.reserve(count);
  std::vector<std::size_t> number(maker.rows(), count);
  for (std::size_t row = 0; row < maker.rows(); ++row) {
    if (!shown[row]) continue;
    number[row] = made.rows.size();
    if (with_totals) made.totals.push_back(totals[row]);
    made.rows.push_back(maker.row(row));
  }
  for (std::size_t& row : made.row_of) row = number[row];
  return made;
}

}  // namespace tacho
