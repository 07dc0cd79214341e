// Where a result goes: a file that is tried before the workload starts, stderr or stdout.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

class Output {
 public:
  // Opens (or creates) the file for writing, without touching what it holds, and reserves some
  // space where the file system can, so that a full disk is met before the workload runs.
  static Result<Output> to_file(const std::string& path);
  static Output to_stdout();
  static Output to_stderr();

  // Writes at once, so that a reader sees it and a crash does not lose it. The first call empties
  // a file. A reader that went away (EPIPE) is no error; nothing more is written then.
  Result<void> write(std::string_view text);

  bool is_file() const { return static_cast<bool>(file_); }

 private:
  Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  int fd_;
  std::string name_;
  Fd file_;
  bool fresh_ = true;
  bool gone_ = false;
};

}  // namespace tacho
