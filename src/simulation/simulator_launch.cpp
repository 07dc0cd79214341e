#include "simulation/simulator_launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <ranges>

#include "base/own_program.hpp"
#include "base/privileges.hpp"
#include "base/program_files.hpp"
#include "base/regular_file.hpp"
#include "simulation/abandoned_runs.hpp"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostComplaints = 5;  // lines that are shown

#if defined(__x86_64__)
constexpr bool kBuiltHere = true;
#else
constexpr bool kBuiltHere = false;
#endif

// The tool's file is called tacho-PLATFORM, as in tacho-amd64-linux. Valgrind runs the file of the
// workload's platform.
bool holds_tool(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().native().starts_with("tacho-")) return true;
  return false;
}

// The text of a line "==42== text".
std::string_view text_of(std::string_view line) {
  const bool marked = line.starts_with("==") || line.starts_with("--");
  return marked ? line.substr(std::min(line.size(), line.find(' ') + 1)) : line;
}

// The lines in the log of one process that are about the simulator itself. Valgrind also writes how
// and where a workload was killed; -q suppresses its other messages.
std::vector<std::string> complaints_of(std::string_view log) {
  std::vector<std::string> lines;
  bool of_the_workload = false;
  for (const auto part : std::views::split(log, '\n')) {
    const std::string_view line = text_of(std::string_view(part.begin(), part.end()));
    of_the_workload = of_the_workload || line.starts_with("Process terminating");
    const bool trace = line.empty() || line.starts_with(' ');
    if (!trace && (!of_the_workload || line.starts_with("valgrind: "))) lines.emplace_back(line);
  }
  return lines;
}

// Valgrind takes an empty element of PATH for the working directory, and program_files() does not.
std::string as_valgrind_finds_it(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (path == nullptr || name.contains('/') || !fmt::format(":{}:", path).contains("::"))
    return name;
  for (const std::string& file : program_files(name))
    if (::access(file.c_str(), X_OK) == 0) return file;
  return name;
}

// The text with each `special` character twice, which escapes it.
std::string doubled(std::string text, char special) {
  for (std::size_t at = 0; (at = text.find(special, at)) != text.npos; at += 2)
    text.insert(at, 1, special);
  return text;
}

// The program sees the name by which the user has called it.
std::vector<std::string> emulated_command(const Emulator& emulator, const RunDirectory& directory,
                                          std::span<const std::string> command) {
  std::vector<std::string> words = {emulator.qemu};
  words.insert(words.end(), emulator.options.begin(), emulator.options.end());
  const std::string plugin =
      fmt::format("{},directory={}", doubled(emulator.plugin, ','), doubled(directory.path(), ','));
  words.insert(words.end(), {"-plugin", plugin, "-0", command.front(), emulator.file});
  words.insert(words.end(), command.begin() + 1, command.end());
  return words;
}

}  // namespace

Result<Simulator> find_simulator() {
  if (!kBuiltHere)
    return failure("the simulator runs only on 64-bit x86",
                   "simulate on a PC; models of ARM cores work there, too");
  std::string library = user_setting("TACHO_SIMULATOR_DIR");
  if (library.empty())
    library = own_program().parent_path().parent_path() / "libexec/tacho/valgrind";
  // Absolute, because the command may have another working directory.
  std::error_code error;
  library = fs::absolute(library, error);
  if (!holds_tool(library))
    return failure(
        fmt::format("tacho's simulator is not in '{}': tacho was built without it", library),
        "build tacho where the packages valgrind and gcc are installed (packaging/setup "
        "build does that), or set TACHO_SIMULATOR_DIR to its directory");
  auto valgrind = find_helper("valgrind");
  if (!valgrind)
    return failure("the simulator runs on Valgrind, and there is no 'valgrind' in PATH",
                   "apt install valgrind", ENOENT);
  return Simulator{std::move(*valgrind), std::move(library)};
}

Result<RunDirectory> RunDirectory::make() {
  std::string path = user_setting("TMPDIR");
  std::error_code error;
  // Absolute, because the workload can change its directory.
  const fs::path parent = fs::absolute(path.empty() ? "/tmp" : path, error);
  remove_abandoned_runs(parent);
  path = parent / kRunDirectoryName;
  if (::mkdtemp(path.data()) == nullptr)
    return os_failure(fmt::format("cannot make a directory '{}'", path), errno,
                      "set TMPDIR to a directory that can be written");
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) {
    ::rmdir(path.c_str());
    return failure(fmt::format("the umask leaves this user no right to '{}'", path), "umask 077");
  }
  RunDirectory made(std::move(path));
  made.mark_ = TACHO_TRY(mark_run(made.path_));
  return made;
}

RunDirectory::~RunDirectory() {
  if (path_.empty()) return;
  constexpr int kMostTries = 2;  // what can't be removed even then stays in TMPDIR
  std::error_code error;
  for (int i = 0; i < kMostTries && (i == 0 || error); ++i) fs::remove_all(path_, error);
}

std::vector<std::string> RunDirectory::complaints() const {
  std::vector<std::string> lines;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().native().starts_with("log.")) continue;
    for (std::string& line : complaints_of(read_regular_file(entry->path()).value_or("")))
      if (lines.size() < kMostComplaints && std::ranges::find(lines, line) == lines.end())
        lines.push_back(std::move(line));
  }
  return lines;
}

bool RunDirectory::ran_full() const {
  std::error_code error;
  return !fs::exists(records(), error) && !error;
}

bool RunDirectory::was_limited() const {
  std::error_code error;
  return fs::exists(records() + ".limited", error);
}

std::vector<std::string> simulated_command(const Simulator& simulator,
                                           const std::optional<Emulator>& emulator,
                                           const RunDirectory& directory,
                                           std::span<const std::string> command) {
  if (emulator) return emulated_command(*emulator, directory, command);
  const std::string log = doubled(directory.path(), '%');  // begins an abbreviation of Valgrind's
  std::vector<std::string> words = {simulator.valgrind,
                                    "--tool=tacho",
                                    "-q",
                                    "--command-line-only=yes",  // ignores the user's .valgrindrc
                                    "--vgdb=no",                // leaves no pipes in TMPDIR
                                    "--trace-children=yes",
                                    "--log-file=" + log + "/log.%p",
                                    "--model=" + directory.model(),
                                    "--records=" + directory.records(),
                                    "--sampling=" + directory.sampling(),
                                    "--"};
  words.insert(words.end(), command.begin(), command.end());
  if (!command.empty())
    words[words.size() - command.size()] = as_valgrind_finds_it(command.front());
  return words;
}

}  // namespace tacho
