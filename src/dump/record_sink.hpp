// Receives the fields of one record, and writes them as text or as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dump/json_writer.hpp"

namespace tacho {

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  RecordSink(const RecordSink&) = delete;
  RecordSink& operator=(const RecordSink&) = delete;

  virtual void begin(std::uint64_t offset, std::size_t size, std::uint32_t type,
                     std::string_view type_name, std::uint16_t misc) = 0;
  virtual void number(std::string_view name, std::uint64_t value) = 0;
  virtual void signed_number(std::string_view name, std::int64_t value) = 0;
  virtual void hex(std::string_view name, std::uint64_t value) = 0;
  virtual void words(std::string_view name, std::span<const std::uint64_t> values) = 0;
  virtual void text(std::string_view name, std::string_view value) = 0;
  virtual void bytes(std::string_view name, std::span<const std::byte> value) = 0;
  virtual void end() = 0;

 protected:
  RecordSink() = default;
};

// A line for each record: its offset, its size, its type and its fields, in columns.
class RecordTextSink : public RecordSink {
 public:
  explicit RecordTextSink(std::string& out) : out_(out) {}

  void begin(std::uint64_t offset, std::size_t size, std::uint32_t type, std::string_view type_name,
             std::uint16_t misc) override;
  void number(std::string_view name, std::uint64_t value) override;
  void signed_number(std::string_view name, std::int64_t value) override;
  void hex(std::string_view name, std::uint64_t value) override;
  void words(std::string_view name, std::span<const std::uint64_t> values) override;
  void text(std::string_view name, std::string_view value) override;
  void bytes(std::string_view name, std::span<const std::byte> value) override;
  void end() override { out_ += '\n'; }

 private:
  void name(std::string_view name);
  std::string& out_;
};

// A line of JSON for each record.
class RecordJsonSink : public RecordSink {
 public:
  explicit RecordJsonSink(std::string& out) : out_(out), json_(out) {}

  void begin(std::uint64_t offset, std::size_t size, std::uint32_t type, std::string_view type_name,
             std::uint16_t misc) override;
  void number(std::string_view name, std::uint64_t value) override { json_.number(name, value); }
  void signed_number(std::string_view name, std::int64_t value) override {
    json_.number(name, value);
  }
  void hex(std::string_view name, std::uint64_t value) override { json_.hex(name, value); }
  void words(std::string_view name, std::span<const std::uint64_t> values) override;
  void text(std::string_view name, std::string_view value) override;
  void bytes(std::string_view name, std::span<const std::byte> value) override;
  void end() override;

 private:
  std::string& out_;
  JsonWriter json_;
};

}  // namespace tacho
