// Where a result goes: a file that is tried before the workload starts, stderr or stdout.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

class Output {
 public:
  // Opens (or creates) the file for writing, without touching what it holds, and reserves some
  // space where the file system can, so that a full disk is met before the workload runs. A file
  // that was created, and that nothing was written into, is removed in the destructor. "-" is
  // standard output.
  static Result<Output> to_file(const std::string& path);
  static Output to_stdout();
  static Output to_stderr();
  Output(Output&&) = default;
  Output& operator=(Output&&) = default;
  ~Output();

  // Writes at once, so that a reader sees it and a crash does not lose it. The first call empties
  // a file. Of a write that fails, nothing stays in the file: what it holds is whole, and nothing
  // more is written. A reader that went away (EPIPE) is no error.
  Result<void> write(std::string_view text);

  const std::string& name() const { return name_; }
  // Whether both are one regular file, under whatever names.
  bool same_file_as(const Output&) const;

 private:
  Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  int fd_;
  std::string name_;
  Fd file_;
  bool created_ = false;
  off_t kept_ = 0;  // bytes of a file that are whole writes
  bool fresh_ = true;
  bool gone_ = false;
};

// What goes to a file, such as "the report".
struct NamedOutput {
  std::string_view what;
  const Output* output;
};

// An error when two of them would overwrite each other.
Result<void> check_different(std::span<const NamedOutput> outputs);

}  // namespace tacho
