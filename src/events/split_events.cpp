#include "events/split_events.hpp"

#include <fmt/format.h>

#include "events/breakpoint.hpp"
#include "events/modifiers.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostListCharacters = 64 * 1024;
constexpr std::size_t kMostEvents = 4096;  // in an event list

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t start = text.find_first_not_of(kSpace);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

// perf lets a group have a name, `name:{a,b}`, and shows it nowhere. It is left out.
bool is_group_name(std::string_view text) {
  return text.size() > 1 && text.ends_with(':') &&
         text.substr(0, text.size() - 1).find_first_of(":/ \t") == std::string_view::npos;
}

// Reads one event list from left to right.
class Splitter {
 public:
  explicit Splitter(std::string_view list) : list_(list) {}

  Result<std::vector<std::vector<std::string>>> run() {
    if (trimmed(list_).empty())
      return failure("the event list is empty", "tacho list shows the names of events");
    if (list_.size() > kMostListCharacters)
      return bad("it is longer than 64 KiB", "ask for fewer events");
    for (at_ = 0;; ++at_) {
      const bool end = at_ == list_.size();
      const char c = end ? ',' : list_[at_];
      if (c == '/' && !end && !is_breakpoint_like(element())) in_slashes_ = !in_slashes_;
      if (in_slashes_ && !end) continue;
      if (in_slashes_)
        return bad(fmt::format("a '/' has no partner in '{}'", element()),
                   "a PMU's event is written pmu/…/");
      Result<void> step;
      if (c == ',') step = end_element();
      if (c == '{') step = open_brace();
      if (c == '}') step = close_brace();
      if (!step) return std::unexpected(step.error());
      if (end) break;
    }
    if (in_braces_) return bad("a '{' is not closed", "groups are written {a,b}");
    return std::move(groups_);
  }

 private:
  std::string_view element() const { return trimmed(list_.substr(start_, at_ - start_)); }

  std::unexpected<Error> bad(std::string_view reason, std::string_view remedy) const {
    const bool is_long = list_.size() > 80;
    return failure(
        fmt::format("event list '{}{}': {}", list_.substr(0, 80), is_long ? "…" : "", reason),
        std::string(remedy));
  }

  Result<void> add(std::string_view spec, bool new_group) {
    if (spec.empty())
      return bad("an event is missing beside a comma", "name one, or drop the comma");
    if (++events_ > kMostEvents)
      return bad(fmt::format("more than {} events", kMostEvents), "ask for fewer events");
    if (new_group) groups_.emplace_back();
    groups_.back().emplace_back(spec);
    return {};
  }

  Result<void> end_element() {
    if (in_braces_) {
      auto added = add(element(), false);
      start_ = at_ + 1;
      return added;
    }
    if (after_brace_) {
      const std::string_view tail = element();
      if (!tail.empty() && !(tail.starts_with(':') && are_modifiers(tail.substr(1))))
        return bad(fmt::format("'{}' follows a '}}'", tail),
                   "only modifiers may follow it, as in {a,b}:u; separate events by commas");
      if (!tail.empty())
        for (std::string& spec : groups_.back()) spec = with_modifiers(spec, tail.substr(1));
      after_brace_ = false;
      start_ = at_ + 1;
      return {};
    }
    auto added = add(element(), true);
    start_ = at_ + 1;
    return added;
  }

  Result<void> open_brace() {
    if (in_braces_) return bad("a '{' inside braces", "groups can't be nested");
    if (after_brace_ || (!element().empty() && !is_group_name(element())))
      return bad("a '{' right behind an event", "separate groups by commas: a,{b,c}");
    start_ = at_ + 1;
    in_braces_ = true;
    groups_.emplace_back();
    return {};
  }

  Result<void> close_brace() {
    if (!in_braces_) return bad("a '}' without a '{'", "groups are written {a,b}");
    auto added = add(element(), false);
    in_braces_ = false;
    after_brace_ = true;
    start_ = at_ + 1;
    return added;
  }

  std::string_view list_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // where the current element begins
  bool in_slashes_ = false;
  bool in_braces_ = false;
  bool after_brace_ = false;
  std::size_t events_ = 0;
  std::vector<std::vector<std::string>> groups_;
};

}  // namespace

Result<std::vector<std::vector<std::string>>> split_events(std::string_view list) {
  return Splitter(list).run();
}

}  // namespace tacho
