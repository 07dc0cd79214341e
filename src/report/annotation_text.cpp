// One function for people: its lines, then its instructions with the source beside them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/layout.hpp"
#include "report/profile_cells.hpp"
#include "report/profile_report.hpp"

namespace tacho {
namespace {

constexpr std::size_t kWidestText = 100;
constexpr std::size_t kWidestInstruction = 60;

std::string short_name(const std::string& file) {
  return file.substr(file.rfind('/') + 1);
}

// Tabs would shift what stands behind them.
std::string source_text(const std::string& text) {
  std::string spaces;
  for (const char c : text) {
    if (c == '\t')
      spaces.append(4, ' ');
    else if (c != '\r')
      spaces += c;
  }
  return printable(spaces, kWidestText);
}

// Nothing where nothing was seen: a column of zeros would hide the figures.
void add_counts(Cells& cells, const AnnotatedCount& count, const NumberStyle& style, bool hottest) {
  cells.emplace_back(hottest ? ">" : "");
  const bool none = count.count.samples == 0;
  cells.push_back(none ? "" : whole(count.count.samples, style));
  cells.push_back(none ? "" : percent(count.share, style));
  cells.push_back(none ? "" : range(count.ci95, style));
}

template <class Rows>
std::size_t hottest_of(const Rows& rows) {
  const auto hottest =
      std::ranges::max_element(rows, {}, [](const auto& each) { return each.samples.count.sum; });
  return static_cast<std::size_t>(std::ranges::distance(rows.begin(), hottest));
}

std::string skid(const Annotation& annotation) {
  if (annotation.event.exact == annotation.event.count.samples)
    return "The event was sampled precisely: addresses are those of the instructions that caused "
           "it.";
  return "A sample's address can be later than the instruction that caused it (skid): the event "
         "was not sampled precisely. Look at the instructions before a hot one, too.";
}

std::string lines_table(const Annotation& annotation, const TextStyle& style) {
  std::vector<Cells> table{{"", "samples", "share", "95 %", "line", "source"}};
  const std::size_t hottest = hottest_of(annotation.lines);
  for (std::size_t i = 0; i < annotation.lines.size(); ++i) {
    const AnnotatedLine& line = annotation.lines[i];
    Cells cells;
    add_counts(cells, line.samples, style.numbers, i == hottest);
    cells.push_back(fmt::format("{}:{}", short_name(line.file), line.number));
    cells.push_back(source_text(line.text));
    table.push_back(std::move(cells));
  }
  const auto heat = [&](std::size_t at) {
    return at == 0 ? 0 : annotation.lines[at - 1].samples.share;
  };
  return coloured(aligned(table, ">>>>><", ""), heat, style);
}

std::string instructions_table(const Annotation& annotation, const TextStyle& style) {
  std::vector<Cells> table{{"", "samples", "share", "95 %", "address", "instruction", "source"}};
  const std::size_t hottest = hottest_of(annotation.instructions);
  std::size_t line = annotation.lines.size();  // said last
  for (std::size_t i = 0; i < annotation.instructions.size(); ++i) {
    const AnnotatedInstruction& each = annotation.instructions[i];
    Cells cells;
    add_counts(cells, each.samples, style.numbers, i == hottest);
    cells.push_back(fmt::format("{:x}", each.address));
    cells.push_back(printable(each.text, kWidestInstruction));
    if (each.line < annotation.lines.size() && each.line != line) {
      const AnnotatedLine& source = annotation.lines[each.line];
      cells.push_back(
          fmt::format("{}:{} {}{}", short_name(source.file), source.number,
                      each.inlined.empty() ? "" : fmt::format("[{}] ", printable(each.inlined, 40)),
                      source_text(source.text)));
    }
    line = each.line;
    table.push_back(std::move(cells));
  }
  const auto heat = [&](std::size_t at) {
    return at == 0 ? 0 : annotation.instructions[at - 1].samples.share;
  };
  return coloured(aligned(table, ">>>>><<", ""), heat, style);
}

}  // namespace

std::string annotation_text(const Annotation& annotation, const TextStyle& style) {
  std::string text =
      paragraph(" ", fmt::format("{} in {}: {} of {}, {} of all ({} at 95 %)",
                                 printable(annotation.function), printable(annotation.path),
                                 plural(annotation.total.samples, "sample", style.numbers),
                                 printable(annotation.event.name),
                                 percent(annotation.share_of_all, style.numbers),
                                 range(annotation.ci95_of_all, style.numbers)));
  text += paragraph(
      " ", "Shares and intervals below are of the function's samples. " + skid(annotation));
  if (!annotation.lines.empty()) text += "\n" + lines_table(annotation, style);
  return text + "\n" + instructions_table(annotation, style);
}

}  // namespace tacho
