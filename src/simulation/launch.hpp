// How the simulator is started: where it is, the command line, and the private directory through
// which it and tacho talk (docs/explanation/simulator.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tacho {

struct Simulator {
  std::string valgrind;  // the program
  std::string library;   // the directory that holds the tool, VALGRIND_LIB
};

// Valgrind is looked for in PATH, the tool in $TACHO_SIMULATOR_DIR, or beside this program in
// ../libexec/tacho/valgrind. The error says which is missing and how to get it.
Result<Simulator> find_simulator();

// A directory for one run, for this user alone, in $TMPDIR or /tmp. Removed with all that it holds
// in the destructor.
class RunDirectory {
 public:
  static Result<RunDirectory> make();
  RunDirectory(RunDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  std::string model() const { return path_ + "/model"; }
  std::string records() const { return path_ + "/records"; }
  std::string sampling() const { return path_ + "/sampling"; }
  // What the simulator's processes had to say of trouble of their own, not of the workload's: a
  // line each, at most a handful.
  std::vector<std::string> complaints() const;
  // Whether a process could not write all of its records: the simulator removes the file then.
  bool ran_full() const;
  // Whether one had to stop, as it may write no file as large as the records (RLIMIT_FSIZE).
  bool was_limited() const;
  const std::string& path() const { return path_; }

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

std::vector<std::string> simulated_command(const Simulator& simulator,
                                           const RunDirectory& directory,
                                           std::span<const std::string> command);

}  // namespace tacho
