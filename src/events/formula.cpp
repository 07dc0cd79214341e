// Translates formulas by recursive descent into a postfix program, and evaluates that on a stack.
#include "events/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tacho {
namespace {

constexpr std::size_t kMostFormulaCharacters = 4096;
constexpr std::size_t kMostNested = 64;  // parentheses and signs inside one another

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c) || c == '.' || c == ':';
}

}  // namespace

// Reads one text. Each member returns false once it has noted the first error.
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Result<Formula> run() {
    if (text_.size() > kMostFormulaCharacters)
      return failure(fmt::format("it is longer than {} characters", kMostFormulaCharacters));
    const bool good = sum() && (at_ == text_.size() || bad("an operator is expected"));
    if (!good) return failure(fmt::format("column {}: {}", error_at_ + 1, error_));
    return std::move(formula_);
  }

 private:
  bool bad(std::string_view reason) {
    error_at_ = at_;
    error_ = reason;
    return false;
  }

  // The next character that is not a space, or 0 at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool sum() {
    if (!product()) return false;
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      if (!product()) return false;
      push(c == '+' ? Formula::Action::add : Formula::Action::subtract);
    }
    return true;
  }

  bool product() {
    if (!factor()) return false;
    for (char c = peek(); c == '*' || c == '/'; c = peek()) {
      ++at_;
      if (!factor()) return false;
      push(c == '*' ? Formula::Action::multiply : Formula::Action::divide);
    }
    return true;
  }

  bool factor() {
    const char c = peek();
    if (c == '(' || c == '-') {
      if (++depth_ > kMostNested) return bad("too deeply nested");
      ++at_;
      const bool good = c == '(' ? parenthesis() : negation();
      --depth_;
      return good;
    }
    if (is_digit(c) || c == '.') return number();
    if (c == '`') return quoted_name();
    if (is_name_start(c)) return name();
    return bad(c == '\0' ? "a number, a name or '(' is missing at the end"
                         : "a number, a name or '(' is expected");
  }

  bool parenthesis() {
    if (!sum()) return false;
    if (peek() != ')') return bad("a ')' is missing");
    ++at_;
    return true;
  }

  // -x is 0 - x.
  bool negation() {
    push_number(0);
    if (!factor()) return false;
    push(Formula::Action::subtract);
    return true;
  }

  bool number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return bad("not a number that a double can hold");
    const std::size_t after = at_ + static_cast<std::size_t>(end - begin);
    if (after < text_.size() && is_name_part(text_[after]))
      return bad("a number runs into a name; names that start with a digit need backticks");
    at_ = after;
    push_number(value);
    return true;
  }

  bool quoted_name() {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) return bad("the second backtick is missing");
    if (end == at_ + 1) return bad("no name between the backticks");
    push_name(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return true;
  }

  bool name() {
    std::size_t end = at_;
    // A '-' belongs to the name only if the name continues after it.
    while (end < text_.size() &&
           (is_name_part(text_[end]) ||
            (text_[end] == '-' && end + 1 < text_.size() && is_name_part(text_[end + 1]))))
      ++end;
    push_name(text_.substr(at_, end - at_));
    at_ = end;
    return true;
  }

  void push(Formula::Action action) { formula_.steps_.push_back({.action = action}); }

  void push_number(double number) {
    formula_.steps_.push_back({.action = Formula::Action::push_number, .number = number});
  }

  void push_name(std::string_view name) {
    auto& names = formula_.names_;
    const auto found = std::ranges::find(names, name);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.emplace_back(name);
    formula_.steps_.push_back({.action = Formula::Action::push_name, .name = index});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t error_at_ = 0;
  std::string error_;
  Formula formula_;
};

Result<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).run();
}

std::optional<std::string> Formula::divisor() const {
  if (steps_.size() < 2 || steps_.back().action != Action::divide) return std::nullopt;
  const Step& by = steps_[steps_.size() - 2];
  return by.action == Action::push_name ? std::optional(names_[by.name]) : std::nullopt;
}

bool Formula::subtracts() const {
  return std::ranges::find(steps_, Action::subtract, &Step::action) != steps_.end();
}

double Formula::evaluate(std::span<const double> values) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.action == Action::push_number || step.action == Action::push_name) {
      stack.push_back(step.action == Action::push_number ? step.number : values[step.name]);
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    if (step.action == Action::add) left += right;
    if (step.action == Action::subtract) left -= right;
    if (step.action == Action::multiply) left *= right;
    if (step.action == Action::divide) left /= right;
  }
  return stack.empty() ? 0.0 : stack.back();
}

}  // namespace tacho
