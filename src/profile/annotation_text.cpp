// The report of `tacho annotate` as text: the hottest lines of the function with the lines around
// them, then its hottest instructions beside the source.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "base/text_layout.hpp"
#include "profile/hot_rows.hpp"
#include "profile/report.hpp"
#include "profile/table_cells.hpp"

namespace tacho {
namespace {

constexpr std::size_t kNarrow = 100;           // columns; narrower texts have no column of counts
constexpr std::size_t kLeastSource = 16;       // columns; a source that has fewer is left out
constexpr std::size_t kLeastWords = 10;        // columns of the words beside figures
constexpr std::size_t kLongestLine = 1 << 16;  // characters of a text that is not cut
constexpr std::string_view kGap = "…";         // rows are left out here

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
  return printable(spaces, kLongestLine);
}

template <class Rows>
std::size_t hottest_of(const Rows& rows, std::size_t event) {
  const auto hottest = std::ranges::max_element(
      rows, {}, [&](const auto& each) { return each.samples.counts[event].sum; });
  return static_cast<std::size_t>(std::ranges::distance(rows.begin(), hottest));
}

// The figures of lines and instructions: those of the chosen event, the share of each other event,
// and metrics.
class FigureColumns {
 public:
  template <class Rows>
  FigureColumns(const Annotation& annotation, const Rows& rows, const TextStyle& style)
      : annotation_(annotation),
        numbers_(style.numbers),
        has_counts_(style.width == 0 || style.width >= kNarrow),
        count_(annotation.events[annotation.event]) {
    for (const auto& row : rows)
      count_.note(row.samples.counts[annotation.event], row.samples.counts95[annotation.event]);
    for (std::size_t i = 0; i < annotation.events.size(); ++i)
      if (i != annotation.event && annotation.events[i].count.samples > 0) others_.push_back(i);
  }

  Cells titles(std::initializer_list<std::string> more) const {
    Cells cells{"", "samples"};
    if (has_counts_) cells.push_back(printable(annotation_.events[annotation_.event].name, 24));
    cells.insert(cells.end(), {"share", "95 %"});
    for (const std::size_t event : others_)
      cells.insert(cells.end(), {printable(annotation_.events[event].name, 24), "95 %"});
    metrics(annotation_.total.metrics).add_titles(cells);
    cells.insert(cells.end(), more);
    return cells;
  }

  // Cells without a sample are empty: a column of zeros would hide the figures. `hottest` has the
  // hottest row of each event.
  Cells of(const AnnotatedCount& part, std::size_t row,
           const std::vector<std::size_t>& hottest) const {
    const std::size_t event = annotation_.event;
    Cells cells{row == hottest[event] ? ">" : ""};
    const bool sampled = part.counts[event].samples > 0;
    cells.push_back(sampled ? whole(part.counts[event].samples, numbers_) : "");
    if (has_counts_)
      cells.push_back(sampled ? count_.cell(part.counts[event], part.counts95[event], numbers_)
                              : "");
    add_share(cells, part, event, false);
    for (const std::size_t other : others_) add_share(cells, part, other, row == hottest[other]);
    const std::size_t before = cells.size();
    metrics(part.metrics).add(cells, {}, {}, numbers_);
    if (std::ranges::all_of(part.counts, [](const SampleCount& each) { return each.samples == 0; }))
      std::fill(cells.begin() + static_cast<std::ptrdiff_t>(before), cells.end(), "");
    return cells;
  }

  template <class Rows>
  std::vector<std::size_t> hottest(const Rows& rows) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < annotation_.events.size(); ++i)
      found.push_back(hottest_of(rows, i));
    return found;
  }

 private:
  void add_share(Cells& cells, const AnnotatedCount& part, std::size_t event, bool hottest) const {
    if (part.counts[event].samples == 0)
      cells.resize(cells.size() + 2);
    else
      cells.insert(cells.end(), {(hottest ? "> " : "") + percent(part.shares[event], numbers_),
                                 range(part.shares95[event], numbers_)});
  }
  // The counts of the other events are not among these columns.
  static OtherColumns metrics(const std::vector<RowMetric>& of) {
    static const std::vector<SampledEvent> none;
    return {none, 0, of};
  }

  const Annotation& annotation_;
  const NumberStyle& numbers_;
  bool has_counts_;
  CountColumn count_;
  std::vector<std::size_t> others_;  // other events that have samples
};

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

// Cuts the last columns, `words` of them, so that rows fit into the width. The very last one is
// left out if it had hardly any room. The first row has the titles. Returns those of the columns
// that were left out.
std::vector<std::string> fit(std::vector<Cells>& table, std::size_t words, std::size_t width) {
  std::vector<std::string> left_out;
  if (width == 0) return left_out;
  std::vector<std::size_t> widths(table.front().size());
  for (const Cells& row : table)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::size_t used = 0;
  for (std::size_t i = 0; i + words < widths.size(); ++i) used += widths[i] + 2;
  std::size_t left = std::max(width, used + kLeastWords) - used;
  for (std::size_t i = widths.size() - words; i < widths.size(); ++i) {
    const bool leaves_out = left < kLeastSource;
    if (leaves_out) left_out.push_back(table.front()[i]);
    for (Cells& row : table)
      if (i < row.size()) row[i] = leaves_out ? std::string() : cut_to(row[i], left);
    left -= std::min(left, widths[i] + 2);
  }
  return left_out;
}

// Numbers are aligned to the right, the last columns, which are words, to the left.
std::string alignment(const Cells& titles, std::size_t words) {
  return std::string(titles.size() - words, '>') + std::string(words, '<');
}

std::string left_out_text(const ShownRows& shown, std::string_view what, const NumberStyle& style) {
  if (shown.left_out == 0) return {};
  return fmt::format("   … {} more, with {} of the samples (--all shows all)\n",
                     plural(shown.left_out, what, style), percent(shown.left_out_share, style));
}

// Rows of a table with what coloured() needs, and with lines of text between them.
struct AnnotationTable {
  std::vector<Cells> rows;
  std::vector<double> shares;
  std::vector<std::string> above;  // the line before the row; may be empty

  void add(Cells cells, double share, std::string line = {}) {
    rows.push_back(std::move(cells));
    shares.push_back(share);
    above.push_back(std::move(line));
  }
  // A row that stands for rows that are left out; `column` is counted from the last one.
  void add_gap(std::size_t column) {
    Cells gap(rows.front().size());
    gap[gap.size() - 1 - column] = kGap;
    add(std::move(gap), 0);
  }
  // The last columns, `words` of them, are text.
  std::string text(std::size_t words, const TextStyle& style) {
    const std::vector<std::string> left_out = fit(rows, words, style.width);
    const std::string lines = coloured(
        aligned(rows, alignment(rows.front(), words), ""),
        [this](std::size_t row) { return shares[row]; }, style);
    std::string result;
    std::string_view rest = lines;
    for (const std::string& line : above) {
      const std::size_t end = rest.find('\n') + 1;
      (result += line) += rest.substr(0, end);
      rest.remove_prefix(end);
    }
    return result + left_out_note(left_out);
  }
};

std::string lines_table(const Annotation& annotation, const TextStyle& style, bool all) {
  const ShownRows shown = shown_lines(annotation, all);
  const FigureColumns figures(annotation, annotation.lines, style);
  const std::vector<std::size_t> hottest = figures.hottest(annotation.lines);
  AnnotationTable table;
  table.add(figures.titles({"line", "source"}), 0);
  const AnnotatedLine* last = nullptr;
  for (const std::size_t row : shown.rows) {
    const AnnotatedLine& line = annotation.lines[row];
    const bool new_file = last == nullptr || last->file != line.file;
    if (!new_file && !all && line.number > last->number + 1) table.add_gap(1);
    Cells cells = figures.of(line.samples, row, hottest);
    cells.insert(cells.end(), {fmt::format("{}", line.number), source_text(line.text)});
    table.add(std::move(cells), line.samples.share,
              new_file ? fmt::format("   {}:\n", printable(line.file, kLongestLine)) : "");
    last = &line;
  }
  return table.text(1, style) + left_out_text(shown, "line", style.numbers);
}

std::string source_cell(const Annotation& annotation, const AnnotatedInstruction& each) {
  const AnnotatedLine& source = annotation.lines[each.line];
  return fmt::format("{}:{} {}{}", printable(short_name(source.file)), source.number,
                     each.inlined.empty() ? "" : fmt::format("[{}] ", printable(each.inlined, 40)),
                     source_text(source.text));
}

std::string instructions_table(const Annotation& annotation, const TextStyle& style, bool all) {
  const ShownRows shown = shown_instructions(annotation, all);
  const FigureColumns figures(annotation, annotation.instructions, style);
  const std::vector<std::size_t> hottest = figures.hottest(annotation.instructions);
  AnnotationTable table;
  table.add(figures.titles({"address", "instruction", "source"}), 0);
  const std::size_t no_line = annotation.lines.size();
  std::size_t line = no_line;  // the last one that was shown
  std::size_t next = 0;        // the row after the last one
  for (const std::size_t row : shown.rows) {
    const AnnotatedInstruction& each = annotation.instructions[row];
    if (row > next) {
      table.add_gap(2);
      line = no_line;
    }
    Cells cells = figures.of(each.samples, row, hottest);
    cells.insert(cells.end(),
                 {fmt::format("{:x}", each.address), printable(each.text, kLongestLine)});
    if (each.line < no_line && each.line != line) cells.push_back(source_cell(annotation, each));
    line = each.line;
    next = row + 1;
    table.add(std::move(cells), each.samples.share);
  }
  return table.text(2, style) + left_out_text(shown, "instruction", style.numbers);
}

// "1984 samples of cpu-clock, 98.3 % of all (97.6…98.8 % at 95 %)"
std::string event_text(const Annotation& annotation, std::size_t event, const NumberStyle& style) {
  const AnnotatedCount& total = annotation.total;
  return fmt::format(
      "{} of {}, {} of {} ({} at 95 %)", plural(total.counts[event].samples, "sample", style),
      printable(annotation.events[event].name), percent(total.shares[event], style),
      annotation.chosen ? "those of " + printable(annotation.chosen->words, 1000) : "all",
      range(total.shares95[event], style));
}

std::string heading(const Annotation& annotation, const TextStyle& style) {
  std::string what = printable(annotation.function);
  if (!annotation.inlined_into.empty())
    what += fmt::format(", inlined into {}", printable(annotation.inlined_into));
  std::string text =
      paragraph(" ", fmt::format("{} in {}: {}", what, printable(annotation.path),
                                 event_text(annotation, annotation.event, style.numbers)));
  bool several = false;
  for (std::size_t i = 0; i < annotation.events.size(); ++i) {
    if (i == annotation.event || annotation.events[i].count.samples == 0) continue;
    several = true;
    text += paragraph(" ", "also " + event_text(annotation, i, style.numbers));
  }
  std::string shares = "Shares and intervals below are of the function's samples";
  if (several) shares += ", event by event; > marks the hottest row of each event";
  return text + paragraph(" ", shares + ". " + skid_note(annotation));
}

}  // namespace

std::string annotation_text(const Annotation& annotation, const TextStyle& style, bool all) {
  std::string text = heading(annotation, style);
  if (!annotation.lines.empty()) text += "\n" + lines_table(annotation, style, all);
  if (!annotation.instructions.empty()) text += "\n" + instructions_table(annotation, style, all);
  return text;
}

}  // namespace tacho
