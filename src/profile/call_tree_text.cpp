// The call tree as text and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "base/text_layout.hpp"
#include "profile/call_tree.hpp"
#include "profile/table_cells.hpp"
#include "report/figure.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

// The lines that connect a function with its caller. An only call needs no branch: "→" says that
// the row above called it. So the text grows in width only where the tree branches.
class Branches {
 public:
  explicit Branches(const CallTree& tree) : tree_(tree), calls_(tree.rows.size()) {
    for (std::size_t i = 0; i < tree.rows.size(); ++i)
      if (tree.rows[i].parent != i) calls_[tree.rows[i].parent].push_back(i);
    for (std::size_t i = 0; i < tree.rows.size(); ++i) lines_.push_back(line_of(i));
  }

  std::string before(std::size_t row) const { return lines_[row].before + lines_[row].mark; }

 private:
  struct Line {
    std::string before, mark;
    std::string below;  // what stands before the calls of this row
  };

  // Rows come after their callers' rows.
  Line line_of(std::size_t row) const {
    const std::size_t parent = tree_.rows[row].parent;
    if (parent == row) return {};
    const std::string& before = lines_[parent].below;
    const std::vector<std::size_t>& calls = calls_[parent];
    if (calls.size() == 1) return {before, "→ ", before};
    const bool last = calls.back() == row;
    return {before, last ? "└ " : "├ ", before + (last ? "  " : "│ ")};
  }

  const CallTree& tree_;
  std::vector<std::vector<std::size_t>> calls_;
  std::vector<Line> lines_;
};

std::string tree_name(const CallTreeRow& row) {
  if (row.function.empty())
    return row.module.starts_with('[') ? row.module : fmt::format("[{}]", row.module);
  return name_cell(row.function);
}

}  // namespace

std::string call_tree_text(const CallTree& tree, const TextStyle& style) {
  const NumberStyle& numbers = style.numbers;
  const std::string samples = plural(tree.total.samples, "sample", numbers);
  std::string text = paragraph(
      " ",
      fmt::format("Calls in {} of {}. Shares are of {}: total with what the function called, self "
                  "without. → is the only call of the row above.",
                  tree.has_lengths ? count_cell(tree.total, true, numbers) : samples,
                  printable(tree.event), tree.has_lengths ? "this time" : "all these samples"));
  std::vector<Cells> table{
      {tree.has_lengths ? "time" : "samples", "total", "95 %", "self", "function"}};
  const Branches branches(tree);
  for (std::size_t i = 0; i < tree.rows.size(); ++i) {
    const CallTreeRow& row = tree.rows[i];
    table.push_back({count_cell(row.total, tree.has_lengths, numbers), percent(row.share, numbers),
                     range(row.ci95, numbers),
                     row.self.samples > 0 ? percent(row.self_share, numbers) : "",
                     branches.before(i) + tree_name(row)});
  }
  const auto heat = [&](std::size_t line) {
    return line == 0 || line > tree.rows.size() ? 0 : tree.rows[line - 1].self_share;
  };
  text += '\n' + coloured(aligned(table, ">>>>w", " ", style.width), heat, style);
  if (tree.left_out > 0)
    text += fmt::format(" … {} more (--percent-limit 0 --limit 0 shows all)\n",
                        plural(tree.left_out, "call", numbers));
  return text;
}

std::string call_tree_json(const CallTree& tree, std::string_view version) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < tree.rows.size(); ++i) {
    const CallTreeRow& row = tree.rows[i];
    rows.push_back({{"module", row.module},
                    {"function", json_text(row.function)},
                    {"depth", row.depth},
                    {"caller", row.parent == i ? Json() : Json(row.parent)},
                    {"samples", row.total.samples},
                    {"count", row.total.sum},
                    {"share", json_number(row.share)},
                    {"ci95", {json_number(row.ci95.low), json_number(row.ci95.high)}},
                    {"self_samples", row.self.samples},
                    {"self_count", row.self.sum}});
  }
  return written({{"tacho", {{"version", version}, {"schema", 1}}},
                  {"event", tree.event},
                  {"samples", tree.total.samples},
                  {"rows", std::move(rows)}},
                 2);
}

}  // namespace tacho
