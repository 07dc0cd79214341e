#include "profile/hot_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace tacho {
namespace {

// What a reader can take in at once. A part with less than kLeast of the samples explains nothing.
constexpr double kCovered = 0.9;   // share of an event's samples that hot parts have together
constexpr std::size_t kMost = 10;  // hot parts of an event
constexpr double kLeast = 0.005;   // share of a hot part
constexpr unsigned kLinesAround = 2;
constexpr std::size_t kInstructionsAround = 3;

void mark_hottest(std::span<const AnnotatedCount* const> parts, std::size_t event,
                  std::vector<bool>& hot) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return parts[i]->shares[event]; });
  double covered = 0;
  for (std::size_t i = 0; i < std::min(order.size(), kMost) && covered < kCovered; ++i) {
    const double share = parts[order[i]]->shares[event];
    if (share < kLeast) break;
    hot[order[i]] = true;
    covered += share;
  }
}

template <class Parts>
std::vector<bool> hot_of(const Parts& parts, std::size_t events) {
  std::vector<const AnnotatedCount*> counts;
  for (const auto& each : parts) counts.push_back(&each.samples);
  return hot_parts(counts, events);
}

// Keeps those of the rows, which are in the order of the text, that `shown` has.
template <class Parts>
ShownRows selected(const Parts& parts, const std::vector<std::size_t>& order,
                   const std::vector<bool>& shown) {
  ShownRows result;
  for (const std::size_t row : order) {
    if (shown[row]) {
      result.rows.push_back(row);
      continue;
    }
    ++result.left_out;
    result.left_out_share += parts[row].samples.share;
  }
  return result;
}

std::vector<std::size_t> lines_in_order(const Annotation& annotation) {
  std::map<std::string, double> shares;  // by file
  for (const AnnotatedLine& line : annotation.lines) shares[line.file] += line.samples.share;
  std::vector<std::size_t> order(annotation.lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const AnnotatedLine& line = annotation.lines[i];
    return std::tuple(is_foreign_source(line.file), -shares[line.file], line.file, line.number);
  });
  return order;
}

}  // namespace

std::vector<bool> hot_parts(std::span<const AnnotatedCount* const> parts, std::size_t events) {
  std::vector<bool> hot(parts.size());
  for (std::size_t event = 0; event < events; ++event) mark_hottest(parts, event, hot);
  return hot;
}

ShownRows shown_lines(const Annotation& annotation, bool all) {
  const std::vector<AnnotatedLine>& lines = annotation.lines;
  const std::vector<bool> hot = hot_of(lines, annotation.events.size());
  std::vector<bool> shown(lines.size(), all);
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t k = 0; hot[i] && k < lines.size(); ++k)
      if (lines[k].file == lines[i].file && lines[k].number <= lines[i].number + kLinesAround &&
          lines[i].number <= lines[k].number + kLinesAround)
        shown[k] = true;
  return selected(lines, lines_in_order(annotation), shown);
}

ShownRows shown_instructions(const Annotation& annotation, bool all) {
  const std::vector<AnnotatedInstruction>& code = annotation.instructions;
  const std::vector<bool> hot = hot_of(code, annotation.events.size());
  std::vector<bool> shown(code.size(), all);
  for (std::size_t i = 0; i < code.size(); ++i)
    for (std::size_t k = i - std::min(i, kInstructionsAround);
         hot[i] && k < std::min(code.size(), i + kInstructionsAround + 1); ++k)
      shown[k] = true;
  std::vector<std::size_t> order(code.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return selected(code, order, shown);
}

bool is_foreign_source(std::string_view file) {
  // Packages are compiled below /usr/src, and users may have their own sources there.
  if (file.starts_with("/usr/") && !file.starts_with("/usr/src/")) return true;
  // The headers of a compiler that is installed elsewhere, the library of Rust, and its packages.
  constexpr std::array<std::string_view, 4> kParts{"/include/c++/", "/rustc/", "/.cargo/registry/",
                                                   "/lib/gcc/"};
  return std::ranges::any_of(kParts,
                             [&](std::string_view part) { return file.find(part) != file.npos; });
}

}  // namespace tacho
