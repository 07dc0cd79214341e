// Tables of JSON by columns, as texts that are written in pieces. A long table is in memory once.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/schema.hpp"
#include "report/text_sink.hpp"

namespace tacho {

// The value on one line.
inline std::string text_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_number_unsigned()) return fmt::format("{}", value.get<std::uint64_t>());
  std::string text = written(value);
  text.pop_back();  // the newline
  return text;
}

// A text in pieces. Long ones are not copied.
class Pieces {
 public:
  void add(std::string text) {
    constexpr std::size_t kSmall = 4096;  // bytes
    if (pieces_.empty() || pieces_.back().times > 1 || pieces_.back().text.size() > kSmall ||
        text.size() > kSmall)
      pieces_.push_back({std::move(text)});
    else
      pieces_.back().text += text;
  }
  void add_repeated(std::string text, std::size_t times) {
    pieces_.push_back({std::move(text), times});
  }
  void write(const TextSink& sink) const {
    constexpr std::size_t kPiece = std::size_t{64} << 10;  // bytes
    std::string piece;
    for (const auto& [text, times] : pieces_)
      for (std::size_t i = 0; i < times; ++i) {
        if (piece.size() + text.size() > kPiece) {
          sink(piece);
          piece.clear();
        }
        if (text.size() > kPiece)
          sink(text);
        else
          piece += text;
      }
    sink(piece);
  }

 private:
  struct Piece {
    std::string text;
    std::size_t times = 1;
  };
  std::vector<Piece> pieces_;
};

// The texts of JSON values, with commas. A value takes up to ten times the memory of its text. Many
// columns have the same value in each row.
class TextList {
 public:
  void add(const Json& value) {
    std::string text = text_of(value);
    if (text_.empty() && (same_ == 0 || text == value_)) {
      ++same_;
      value_ = std::move(text);
      return;
    }
    for (; same_ > 0; --same_) append(value_);
    append(text);
  }
  // Gives the texts away.
  void move_to(Pieces& pieces) {
    constexpr std::size_t kFew = 1024;
    for (; same_ > 0 && same_ < kFew; --same_) append(value_);
    if (same_ > 0) {
      pieces.add_repeated(value_ + ',', same_ - 1);
      append(value_);
    }
    pieces.add(std::exchange(text_, {}));
  }

 private:
  void append(std::string_view text) {
    if (!text_.empty()) text_ += ',';
    text_ += text;
  }

  std::string text_;
  std::string value_;     // of all rows so far
  std::size_t same_ = 0;  // their number; 0 once there was another value
};

// The columns of a table. Each row adds a value to every column.
class Table {
 public:
  Table(std::initializer_list<const char*> columns) {
    for (const char* column : columns) columns_.emplace_back(column, TextList());
  }
  void add(std::initializer_list<Json> row) {
    auto column = columns_.begin();
    for (const Json& value : row) (column++)->second.add(value);
    ++length_;
  }
  // Gives the rows away. `more` is the text of further members.
  void move_to(Pieces& pieces, std::string_view more = {}) {
    pieces.add("{");
    for (auto& [name, values] : columns_) {
      pieces.add(fmt::format("\"{}\":[", name));
      values.move_to(pieces);
      pieces.add("],");
    }
    pieces.add(fmt::format("{}\"length\":{}}}", more, length_));
  }

 private:
  std::vector<std::pair<const char*, TextList>> columns_;
  std::size_t length_ = 0;
};

}  // namespace tacho
