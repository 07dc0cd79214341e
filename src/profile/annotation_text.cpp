// The report of `tacho annotate` as text: the function's lines, then its instructions beside the
// source.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "base/text_layout.hpp"
#include "profile/other_events.hpp"
#include "profile/report.hpp"
#include "profile/table_cells.hpp"

namespace tacho {
namespace {

// Widest cells, in characters.
constexpr std::size_t kWidestText = 100;
constexpr std::size_t kWidestInstruction = 60;

std::string short_name(const std::string& file) {
  return file.substr(file.rfind('/') + 1);
}

// Replaces tabs, which would shift the columns after them.
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

OtherColumns other_columns(const Annotation& annotation) {
  return {annotation.events, annotation.event, annotation.total.metrics};
}

// The titles of the columns of counts, and of the columns after them.
Cells annotation_titles(const Annotation& annotation, std::initializer_list<std::string> others) {
  Cells cells{"", "samples", printable(annotation.events[annotation.event].name, 24), "share",
              "95 %"};
  other_columns(annotation).add_titles(cells);
  cells.insert(cells.end(), others);
  return cells;
}

// Numbers are aligned to the right, the last columns, which are words, to the left.
std::string alignment(const Cells& titles, std::size_t words) {
  return std::string(titles.size() - words, '>') + std::string(words, '<');
}

// Cells without a sample are empty: a column of zeros would hide the figures.
Cells counts(const Annotation& annotation, const AnnotatedCount& part, const NumberStyle& style,
             bool hottest) {
  Cells cells{hottest ? ">" : ""};
  const std::size_t event = annotation.event;
  if (part.counts[event].samples > 0)
    cells.insert(cells.end(), {whole(part.counts[event].samples, style),
                               count_figure(annotation.events[event], part.counts[event],
                                            part.counts95[event], style)
                                   .value,
                               percent(part.share, style), range(part.ci95, style)});
  else
    cells.resize(cells.size() + 4);
  const std::size_t before = cells.size();
  OtherColumns{annotation.events, annotation.event, part.metrics}.add(cells, part.counts,
                                                                      part.counts95, style);
  if (std::ranges::all_of(part.counts, [](const SampleCount& each) { return each.samples == 0; }))
    std::fill(cells.begin() + static_cast<std::ptrdiff_t>(before), cells.end(), "");
  return cells;
}

template <class Rows>
std::size_t hottest_of(const Rows& rows, std::size_t event) {
  const auto hottest = std::ranges::max_element(
      rows, {}, [&](const auto& each) { return each.samples.counts[event].sum; });
  return static_cast<std::size_t>(std::ranges::distance(rows.begin(), hottest));
}

std::string skid_note(const Annotation& annotation) {
  const bool several = std::ranges::count_if(annotation.events, [](const SampledEvent& each) {
                         return each.count.samples > 0;
                       }) > 1;
  if (std::ranges::all_of(annotation.events, [](const SampledEvent& each) {
        return each.exact == each.count.samples;
      }))
    return fmt::format(
        "{} sampled precisely: addresses are those of the instructions that caused "
        "{}.",
        several ? "The events were" : "The event was", several ? "them" : "it");
  return fmt::format(
      "A sample's address can be later than the instruction that caused it (skid): {} not sampled "
      "precisely. Look at the instructions before a hot one, too.{}",
      several ? "not all events were" : "the event was",
      annotation.total.metrics.empty()
          ? ""
          : " Each event has a skid of its own: metrics are better read by line than by "
            "instruction.");
}

std::string lines_table(const Annotation& annotation, const TextStyle& style) {
  std::vector<Cells> table{annotation_titles(annotation, {"line", "source"})};
  const std::size_t hottest = hottest_of(annotation.lines, annotation.event);
  for (std::size_t i = 0; i < annotation.lines.size(); ++i) {
    const AnnotatedLine& line = annotation.lines[i];
    Cells cells = counts(annotation, line.samples, style.numbers, i == hottest);
    cells.push_back(fmt::format("{}:{}", short_name(line.file), line.number));
    cells.push_back(source_text(line.text));
    table.push_back(std::move(cells));
  }
  const auto heat = [&](std::size_t at) {
    return at == 0 ? 0 : annotation.lines[at - 1].samples.share;
  };
  return coloured(aligned(table, alignment(table.front(), 1), ""), heat, style);
}

std::string instructions_table(const Annotation& annotation, const TextStyle& style) {
  std::vector<Cells> table{annotation_titles(annotation, {"address", "instruction", "source"})};
  const std::size_t hottest = hottest_of(annotation.instructions, annotation.event);
  std::size_t line = annotation.lines.size();  // the last one that was shown
  for (std::size_t i = 0; i < annotation.instructions.size(); ++i) {
    const AnnotatedInstruction& each = annotation.instructions[i];
    Cells cells = counts(annotation, each.samples, style.numbers, i == hottest);
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
  return coloured(aligned(table, alignment(table.front(), 2), ""), heat, style);
}

}  // namespace

std::string annotation_text(const Annotation& annotation, const TextStyle& style) {
  std::string text = paragraph(
      " ", fmt::format(
               "{} in {}: {} of {}, {} of {} ({} at 95 %)", printable(annotation.function),
               printable(annotation.path),
               plural(annotation.total.counts[annotation.event].samples, "sample", style.numbers),
               printable(annotation.events[annotation.event].name),
               percent(annotation.total.share, style.numbers),
               annotation.chosen ? "those of " + printable(annotation.chosen->words, 1000) : "all",
               range(annotation.total.ci95, style.numbers)));
  text += paragraph(
      " ", "Shares and intervals below are of the function's samples. " + skid_note(annotation));
  for (const std::string& hint : other_hot_lines(annotation)) text += paragraph(" ", hint);
  if (!annotation.lines.empty()) text += "\n" + lines_table(annotation, style);
  return text + "\n" + instructions_table(annotation, style);
}

}  // namespace tacho
