// Finds the simulator and makes its command line and the private directory for the files that it
// and tacho exchange (docs/explanation/simulator.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "simulation/emulator.hpp"

namespace tacho {

struct Simulator {
  std::string valgrind;  // the program
  std::string library;   // the tool's directory, VALGRIND_LIB
};

// Looks for Valgrind in PATH, and for the tool in $TACHO_SIMULATOR_DIR or beside this program in
// ../libexec/tacho/valgrind. The error names the missing part and how to get it.
Result<Simulator> find_simulator();

// A directory for one run in $TMPDIR or /tmp, which only this user can read. The destructor removes
// it with its contents. If tacho is killed before that, the next run removes it.
class RunDirectory {
 public:
  static Result<RunDirectory> make();
  RunDirectory(RunDirectory&& other) noexcept
      : path_(std::exchange(other.path_, {})), mark_(std::move(other.mark_)) {}
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  std::string model() const { return path_ + "/model"; }
  std::string records() const { return path_ + "/records"; }
  std::string sampling() const { return path_ + "/sampling"; }
  // At most 5 lines of messages about faults of the simulator itself, not of the workload.
  std::vector<std::string> complaints() const;
  // Whether a process could not write all of its records. Then the simulator removes the file.
  bool ran_full() const;
  // Whether a process stopped writing records because of its RLIMIT_FSIZE.
  bool was_limited() const;
  const std::string& path() const { return path_; }

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
  Fd mark_;  // says that the run goes on
};

// The command line that runs `command` in the simulator: on Valgrind, or on this emulator.
std::vector<std::string> simulated_command(const Simulator& simulator,
                                           const std::optional<Emulator>& emulator,
                                           const RunDirectory& directory,
                                           std::span<const std::string> command);

}  // namespace tacho
