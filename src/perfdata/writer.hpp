// Writes a recording. When append() returns, the records are in the file and its header covers
// them. If a kill or a full disk ends a recording early, it can be read up to there.
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
#include "perfdata/recording_output.hpp"

namespace tacho::perfdata {

class Writer final : public RecordingOutput {
 public:
  // Creates or opens the file, but writes nothing yet. Fails if the file can't be written, or if it
  // has something else than a recording. A file of another user (is_of_another_user()) is not
  // opened: start() puts a new one in its place, and renames the other as it does a recording.
  static Result<Writer> create(const std::string& path);

  // Writes the header into a new file. As perf does, it renames an older recording to PATH.old. The
  // attributes of all events must have the same size.
  Result<void> start(std::span<const WrittenEvent> events) override;

  // Sets the features that append() writes after the records. They describe a recording that ends
  // before finish() is called.
  void set_preliminary_features(const Description& description,
                                std::span<const WrittenEvent> events) override;

  Result<void> append(std::span<const std::span<const std::byte>> pieces) override;
  std::uint64_t appended() const override { return data_size_; }

  // Writes the final features, which complete the recording.
  Result<void> finish(const Description& description,
                      std::span<const WrittenEvent> events) override;

  // Removes the file if create() made it and nothing was written.
  void discard() const override;

  std::uint64_t size() const override { return data_end() + features_size_; }
  const std::string& path() const override { return path_; }

 private:
  Writer(Fd file, std::string path, bool is_new)
      : file_(std::move(file)), path_(std::move(path)), is_new_(is_new) {}

  std::uint64_t data_end() const { return data_at_ + data_size_; }
  Result<void> rename_older();
  Result<void> write_features(const std::vector<FeatureSection>& features);
  Result<void> end_header(const std::array<std::uint64_t, 4>& features);
  Result<void> write_at(std::span<const std::byte> bytes, std::uint64_t at);
  Result<void> fail(int code);

  Fd file_;
  std::string path_;
  bool is_new_;
  std::uint64_t data_at_ = 0;
  std::uint64_t data_size_ = 0, features_size_ = 0;
  std::vector<FeatureSection> preliminary_features_;
  Result<void> state_;  // the first error
};

}  // namespace tacho::perfdata
