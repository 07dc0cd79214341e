// Formulas: arithmetic over event names, such as `cycles / instructions`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// An arithmetic expression over event names: numbers, + - * /, parentheses, names. A name starts
// with a letter or _ and continues with letters, digits and _ . : -, as in `branch-misses` and
// `sched:sched_switch`. Subtraction therefore needs a space before its sign. Any other name is
// written between backticks: `cpu/event=0x3c/`. A plain value: it can be copied and shared between
// threads.
class Formula {
 public:
  // Errors give the column and the reason. A text has at most 4096 characters and 64 levels of
  // parentheses.
  static Result<Formula> parse(std::string_view text);

  // The events in the formula, each once, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }

  // The formula's value where values[i] is the value of names()[i]. Both have the same size. The
  // result is not finite after a division by zero.
  double evaluate(std::span<const double> values) const;

  // The event by which the whole formula is divided, as in 100 * a / b; none if there is no such
  // one.
  std::optional<std::string> divisor() const;

  // Whether the formula subtracts, so that it can be negative although its events are not.
  bool subtracts() const;

 private:
  friend class FormulaParser;

  enum class Action { push_number, push_name, add, subtract, multiply, divide };
  // One step of the postfix program. The arithmetic steps combine the two topmost values.
  struct Step {
    Action action;
    double number = 0;     // of push_number
    std::size_t name = 0;  // of push_name: the place in names_
  };
  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

}  // namespace tacho
