// The destination of a result: a file that is opened before the workload starts, stderr or stdout.
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
  // Opens or creates the file for writing and leaves its content alone. Reserves some space where
  // the file system can, so that a full disk is an error before the workload runs, and a workload
  // that fills the disk leaves room for a report. Little room is no error. The destructor
  // removes a file that was created and is still empty. "-" is standard output. A file of another
  // user (is_of_another_user()) is not written: the first write() puts a new file in its place.
  // /dev/fd/N, /dev/stdout and /dev/stderr are what the shell has opened: their content stays.
  static Result<Output> to_file(const std::string& path);
  static Output to_stdout();
  static Output to_stderr();
  Output(Output&&) = default;
  Output& operator=(Output&&) = default;
  ~Output();

  // Writes without a buffer, so that a reader sees the text at once and a crash does not lose it.
  // The first call empties a file. If a write fails, its part is removed from the file, and later
  // calls write nothing. A reader that went away (EPIPE) is no error. The text is whole lines. What
  // could deceive in it is spelled (printable_lines()).
  Result<void> write(std::string_view text);
  // The same with colours added, if it is a terminal that shows them.
  Result<void> write(std::string_view text, std::string (*coloured)(std::string_view));
  // The same for a format that is no text, or for a text with colours that was checked.
  Result<void> write_bytes(std::string_view bytes);

  const std::string& name() const { return name_; }
  // The columns that a line may have: those of the terminal that it is, at least 60; else 100.
  std::size_t columns() const;
  // The columns that the lines of a table may have: 0 (no limit) where it is no terminal.
  std::size_t table_columns() const;
  // Whether both are the same regular file, even under two names.
  bool same_file_as(const Output&) const;
  // Whether another program, or another Output, has the lock of the file. The destructor leaves
  // such a file alone.
  bool is_written_elsewhere() const { return locked_elsewhere_; }

 private:
  Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  static Result<Output> replacing(const std::string& path);
  static Result<Output> to_descriptor(int descriptor, const std::string& path);
  Result<void> put_in_place();
  // Where the file is now.
  const std::string& place() const { return new_file_.empty() ? name_ : new_file_; }

  int fd_;
  std::string name_;
  Fd file_;               // to be emptied, and cut after a failure
  Fd inherited_;          // another descriptor of what the shell has opened
  std::string new_file_;  // beside another user's file, until the first write
  bool created_ = false;
  bool locked_elsewhere_ = false;
  off_t kept_ = 0;  // bytes of the file from complete writes
  bool fresh_ = true;
  bool gone_ = false;
};

// An output and what goes there, such as "the report".
struct NamedOutput {
  std::string_view what;
  const Output* output;
};

// An error when two outputs would overwrite each other.
Result<void> check_different(std::span<const NamedOutput> outputs);

// An error when another program writes one of them. Their names may have placeholders.
Result<void> check_sole_writer(std::span<const NamedOutput> outputs);

}  // namespace tacho
