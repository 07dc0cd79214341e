// Writes a recording as a stream: what `perf record -o -` writes, and readers take from a pipe.
// Events and features are records among the others.
#pragma once

#include <string>
#include <vector>

#include "base/fd.hpp"
#include "perfdata/encode_features.hpp"
#include "perfdata/recording_output.hpp"

namespace tacho::perfdata {

class StreamWriter final : public RecordingOutput {
 public:
  // `name` is for errors.
  StreamWriter(Fd stream, std::string name) : stream_(std::move(stream)), name_(std::move(name)) {}

  void set_preliminary_features(const Description& description,
                                std::span<const WrittenEvent> events) override;
  Result<void> start(std::span<const WrittenEvent> events) override;
  Result<void> append(std::span<const std::span<const std::byte>> pieces) override;
  std::uint64_t appended() const override { return appended_; }
  // Writes the features that were not known at the start, and build IDs.
  Result<void> finish(const Description& description,
                      std::span<const WrittenEvent> events) override;
  void discard() const override {}
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return name_; }

 private:
  Result<void> write(std::span<const std::byte> bytes);

  Fd stream_;
  std::string name_;
  std::vector<FeatureSection> features_;   // those that start() writes
  std::uint64_t size_ = 0, appended_ = 0;  // bytes
  Result<void> state_;                     // the first error
};

}  // namespace tacho::perfdata
