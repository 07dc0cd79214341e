// A file that is replaced as a whole, so that its readers never see a part of a text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

class ReplacedFile {
 public:
  // Tries to write a file beside it, so that a path that can't be written is an error now. An
  // existing file stays as it is.
  static Result<ReplacedFile> at(const std::string& path);

  // Writes a new file beside it and gives it the name (rename(2)). After an error, the file is as
  // it was before. The file has the mode 0666 without the bits of umask(2).
  Result<void> replace(std::string_view text) const;

  const std::string& path() const { return path_; }

 private:
  explicit ReplacedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace tacho
