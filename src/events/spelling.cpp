#include "events/spelling.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

namespace tacho {
namespace {

constexpr std::size_t kMostCompared = 96;  // characters; longer names are never the nearest

struct Near {
  std::size_t distance;
  std::size_t place;  // among the names: names at the same distance keep their order
  std::string_view name;
  auto operator<=>(const Near&) const = default;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

}  // namespace

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

// The optimal string alignment distance: no character is edited twice.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_ago[j - 2] + 1);
    }
    std::swap(two_ago, above);
    std::swap(above, row);
  }
  return above.back();
}

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.find_first_of("*?") != std::string_view::npos)
    return ::fnmatch(lower(pattern).c_str(), lower(name).c_str(), 0) == 0;
  return lower(name).find(lower(pattern)) != std::string::npos;
}

std::vector<std::string> nearest(std::string_view wanted, std::span<const std::string> names,
                                 std::size_t most) {
  if (wanted.size() > kMostCompared) return {};
  const std::string want = lower(wanted);
  // A third of the letters may be wrong. A name that contains the wanted text is near, too.
  const std::size_t limit = std::max<std::size_t>(1, (want.size() + 1) / 3);
  std::vector<Near> found;
  for (const std::string& name : names) {
    if (name.size() > kMostCompared) continue;
    const std::string candidate = lower(name);
    const bool contains = want.size() >= 3 && candidate.find(want) != std::string::npos;
    const std::size_t length_gap = candidate.size() > want.size() ? candidate.size() - want.size()
                                                                  : want.size() - candidate.size();
    if (!contains && length_gap > limit) continue;
    const std::size_t distance = contains ? std::min(length_gap, limit) : edits(want, candidate);
    if (distance <= limit && distance < want.size())
      found.push_back({distance, found.size(), name});
  }
  std::ranges::sort(found);
  std::vector<std::string> result;
  for (const Near& near : found) {
    if (result.size() == most) break;
    if (std::ranges::find(result, near.name) == result.end()) result.emplace_back(near.name);
  }
  return result;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> names) {
  const std::vector<std::string> near = nearest(wanted, names);
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const bool last = i + 1 == near.size();
    if (i == 0)
      text = "did you mean ";
    else
      text += last ? " or " : ", ";
    text += "'" + near[i] + "'";
  }
  return text.empty() ? text : text + "?";
}

}  // namespace tacho
