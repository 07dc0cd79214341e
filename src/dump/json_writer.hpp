// Writes JSON into a text, key by key. The values are written as they come, without a tree: a
// recording has millions of samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dump/append.hpp"

namespace tacho {

// The keys are constants that need no escapes.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& text) : text_(&text) {}

  void begin_object() {
    separate();
    open('{');
  }
  void begin_object(std::string_view key) {
    name(key);
    open('{');
  }
  void end_object() { close('}'); }
  void begin_list(std::string_view key) {
    name(key);
    open('[');
  }
  void end_list() { close(']'); }

  template <class Number>
  void number(std::string_view key, Number value) {
    name(key);
    append_decimal(*text_, value);
  }
  // An address: JSON's numbers have 53 bits in many programs.
  void hex(std::string_view key, std::uint64_t value) {
    name(key);
    hex_value(value);
  }
  void hex_element(std::uint64_t value) {
    separate();
    hex_value(value);
  }
  void truth(std::string_view key, bool value) { literal(key, value ? "true" : "false"); }
  void null(std::string_view key) { literal(key, "null"); }
  // JSON that is already written, such as DumpedName::json.
  void literal(std::string_view key, std::string_view json) {
    name(key);
    *text_ += json;
  }
  void literal_element(std::string_view json) {
    separate();
    *text_ += json;
  }

 private:
  void separate() {
    if (!first_) *text_ += ',';
    first_ = false;
  }
  void name(std::string_view key) {
    separate();
    *text_ += '"';
    *text_ += key;
    *text_ += "\":";
  }
  void open(char bracket) {
    *text_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    *text_ += bracket;
    first_ = false;
  }
  void hex_value(std::uint64_t value) {
    *text_ += "\"0x";
    append_hex(*text_, value);
    *text_ += '"';
  }

  std::string* text_;
  bool first_ = true;  // the next value is the first of its object or list
};

}  // namespace tacho
