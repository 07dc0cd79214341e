// Writes a recording. What was appended is in the file, and its header tells of it, when append()
// returns: a recording that is cut short by a kill or a full disk can be read up to there.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "perfdata/encode_features.hpp"
#include "perfdata/inventory.hpp"

namespace tacho::perfdata {

class Writer {
 public:
  // Creates the file, or opens it. A file that can't be written is an error before anything else
  // has happened.
  static Result<Writer> create(const std::string& path);

  // Writes the header, into a new file: a recording that was there gets the name PATH.old, as
  // perf does. All events have the same size of attributes.
  Result<void> start(std::span<const WrittenEvent> events);

  // What append() writes behind the records until finish() knows more, for a recording that is cut
  // short to tell what it is of.
  void foretell(const Description& description, std::span<const WrittenEvent> events);

  // Appends whole records, in pieces. After an error nothing more is written, and each call gives
  // the same error.
  Result<void> append(std::span<const std::span<const std::byte>> pieces);

  // Appends the features: the recording is complete.
  Result<void> finish(const Description& description, std::span<const WrittenEvent> events);

  // Where nothing was written: removes the file, if it was not there before.
  void discard() const;

  // Bytes of the file that are whole, so far.
  std::uint64_t size() const { return data_at_ + data_size_; }
  const std::string& path() const { return path_; }

 private:
  Writer(Fd file, std::string path, bool is_new)
      : file_(std::move(file)), path_(std::move(path)), is_new_(is_new) {}

  Result<void> keep_older();
  Result<void> write_features(const std::vector<FeatureSection>& features);
  Result<void> end_header(const std::array<std::uint64_t, 4>& features);
  Result<void> write_at(std::span<const std::byte> bytes, std::uint64_t at);
  Result<void> fail(int code);

  Fd file_;
  std::string path_;
  bool is_new_;
  std::uint64_t data_at_ = 0;
  std::uint64_t data_size_ = 0;
  std::vector<FeatureSection> foretold_;
  Result<void> state_;
};

}  // namespace tacho::perfdata
