#include "compare/shell_words.hpp"

#include <fmt/format.h>

#include <optional>

namespace tacho {
namespace {

constexpr std::string_view kBlanks = " \t\n";
// What a shell acts on where it is not quoted, and where it is in double quotes.
constexpr std::string_view kActive = "|&;<>()$`*?[#~";
constexpr std::string_view kActiveInQuotes = "$`";
constexpr std::string_view kEscapedInQuotes = "$`\"\\\n";  // \ stays before other characters

std::unexpected<Error> needs_shell(char active, std::string_view text) {
  return failure(
      fmt::format("'{}' in the command '{}' is for a shell, but none runs it", active, text),
      "give --shell, or put it into single quotes");
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> operator()() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (kBlanks.contains(c))
        end_word();
      else if (c == '\'')
        TACHO_TRY(single_quoted());
      else if (c == '"')
        TACHO_TRY(double_quoted());
      else if (c == '\\' && at_ < text_.size())
        add(text_[at_++]);
      else if (is_active(c))
        return needs_shell(c, text_);
      else
        add(c);
    }
    end_word();
    if (words_.empty())
      return failure("a command is empty", "tacho compare [OPTIONS] 'COMMAND A' 'COMMAND B'");
    return std::move(words_);
  }

 private:
  // # and ~ are active only where a word begins.
  bool is_active(char c) const { return kActive.contains(c) && ((c != '#' && c != '~') || !word_); }

  void add(char c) {
    if (!word_) word_.emplace();
    *word_ += c;
  }

  void end_word() {
    if (word_) words_.push_back(*std::move(word_));
    word_.reset();
  }

  Result<void> single_quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == text_.npos) return unfinished('\'');
    if (!word_) word_.emplace();
    *word_ += text_.substr(at_, end - at_);
    at_ = end + 1;
    return {};
  }

  Result<void> double_quoted() {
    if (!word_) word_.emplace();
    while (at_ < text_.size()) {
      char c = text_[at_++];
      if (c == '"') return {};
      if (kActiveInQuotes.contains(c)) return needs_shell(c, text_);
      if (c == '\\' && at_ < text_.size() && kEscapedInQuotes.contains(text_[at_]))
        c = text_[at_++];
      *word_ += c;
    }
    return unfinished('"');
  }

  std::unexpected<Error> unfinished(char quote) const {
    return failure(fmt::format("a {} in the command '{}' has no end", quote, text_),
                   "close it, or write \\ before it");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view text) {
  return Splitter(text)();
}

}  // namespace tacho
