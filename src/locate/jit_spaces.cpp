#include "locate/jit_spaces.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/parse_number.hpp"
#include "base/regular_file.hpp"
#include "locate/recorded_machine.hpp"

namespace tacho {
namespace {

using symbols::JitDump;
using symbols::JitPlacement;

// The number in "…/jit-NUMBER.dump"; nothing if the path is another one.
std::optional<std::uint32_t> number_in(std::string_view path) {
  constexpr std::string_view kBegin = "/jit-";
  constexpr std::string_view kEnd = ".dump";
  const std::string_view name = path.substr(std::min(path.rfind('/'), path.size()));
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  const std::string_view digits =
      name.substr(kBegin.size(), name.size() - std::min(name.size(), kBegin.size() + kEnd.size()));
  return parse_number<std::uint32_t>(digits);
}

}  // namespace

Result<std::shared_ptr<JitDump>> JitSpaces::read_dump(const std::string& path,
                                                      const std::string& root,
                                                      std::uint32_t number) {
  auto file = std::make_shared<RegularFile>(TACHO_TRY(open_regular_file(path, root)));
  TACHO_TRY(check_owner(*file, path));
  struct stat status{};
  if (::fstat(file->fd.get(), &status) != 0) return os_failure("cannot read it", errno);
  std::shared_ptr<JitDump>& known = read_[{status.st_dev, status.st_ino}];
  if (!known) {
    const auto read = [file](std::uint64_t offset, std::span<std::byte> bytes) {
      return file->read(offset, bytes);
    };
    known = TACHO_TRY(JitDump::read(read, file->size));
    most_placed_ += 2 * known->placements().size();
  }
  if (known->pid() != number) return failure(fmt::format("it is of process {}", known->pid()));
  return known;
}

// Opens it where the recorded process wrote it: on this machine, or in the process's container
// while it runs, or below the directory of recorded files.
Result<std::shared_ptr<JitDump>> JitSpaces::find_dump(const perfdata::Mapping& mapping,
                                                      std::uint32_t number,
                                                      const perfdata::Description& recording,
                                                      const SymbolSources& sources) {
  if (!sources.symfs.empty()) return read_dump(mapping.path, sources.symfs, number);
  if (is_of_another_machine(recording))
    return failure(fmt::format("it was recorded on '{}'", recording.host),
                   "copy the file below a directory, at its path, and give --symfs DIRECTORY");
  auto dump = read_dump(mapping.path, "/", number);
  if (dump || dump.error().code != ENOENT) return dump;
  auto inside = read_dump(mapping.path, fmt::format("/proc/{}/root", mapping.pid), number);
  return inside ? inside : dump;
}

namespace {

bool has_times_of(const JitDump& dump, const perfdata::Description& recording) {
  return dump.is_monotonic() && !recording.events.empty() &&
         recording.events.front().clock == CLOCK_MONOTONIC;
}

}  // namespace

void JitSpaces::put(Space& space, const Source& source, const JitPlacement& placed) {
  if (placed_ >= most_placed_) {
    if (placed_ == most_placed_)
      warnings_.emplace_back(
          "some code of JIT compilers has no names: too many processes have its jitdump mapped");
    placed_ = most_placed_ + 1;
    return;
  }
  const Code code = placed.offset ? Code{source.module, placed.address - *placed.offset} : Code();
  const std::size_t copied = space.ranges.put(placed.address, placed.address + placed.size, code);
  placed_ = std::min(most_placed_, placed_ + 1 + copied);
}

void JitSpaces::begin(Space& space, Source& source, bool has_times) {
  const std::vector<JitPlacement>& all = source.dump->placements();
  if (has_times) {
    for (const JitPlacement& placed : all | std::views::reverse)
      if (placed.offset) put(space, source, placed);
    return;
  }
  for (const JitPlacement& placed : all) put(space, source, placed);
  source.done = all.size();
}

bool JitSpaces::is_behind(const Space& space, std::uint64_t time) {
  return std::ranges::any_of(space.sources, [&](const Source& source) {
    const std::vector<JitPlacement>& all = source.dump->placements();
    return source.done < all.size() && all[source.done].time <= time;
  });
}

void JitSpaces::advance(Space& space, std::uint64_t time) {
  for (Source& source : space.sources) {
    const std::vector<JitPlacement>& all = source.dump->placements();
    for (; source.done < all.size() && all[source.done].time <= time; ++source.done)
      put(space, source, all[source.done]);
  }
}

void JitSpaces::add(const perfdata::Mapping& mapping, const perfdata::Description& recording,
                    const SymbolSources& sources, AddressSpaces& spaces) {
  const auto number = number_in(mapping.path);
  if (!number || mapping.mode != perfdata::Mode::user) return;
  if (!known_.emplace(mapping.pid, mapping.path).second) return;
  auto dump = find_dump(mapping, *number, recording, sources);
  if (!dump) {
    const Error& error = dump.error();
    warnings_.push_back(fmt::format("no names of the code in '{}': {}{}{}", mapping.path,
                                    error.what, error.remedy.empty() ? "" : "; ", error.remedy));
    return;
  }
  const Space* const before = spaces_.find(mapping.pid);
  const auto is_this = [&](const Source& other) { return other.dump == *dump; };
  if (before != nullptr && std::ranges::any_of(before->sources, is_this)) return;  // another name
  if (!(*dump)->is_complete())
    warnings_.push_back(
        fmt::format("'{}' ends in the middle of a record: the program may still be writing it. "
                    "Report again when it has ended, for the names of its last functions",
                    mapping.path));
  Module module;
  module.kind = ModuleKind::jitdump;
  module.path = mapping.path;
  module.pid = mapping.pid;
  module.dump = *dump;
  Source source{.dump = *dump, .module = spaces.add_module(std::move(module))};
  Space& space = spaces_.own(mapping.pid);
  begin(space, source, has_times_of(**dump, recording));
  space.sources.push_back(std::move(source));
}

std::optional<CodePlace> JitSpaces::find(std::int32_t pid, perfdata::OptionalU64 time,
                                         std::uint64_t address) {
  const Space* space = spaces_.find(pid);
  if (space == nullptr) return std::nullopt;
  if (time && is_behind(*space, *time)) {
    Space& own = spaces_.own(pid);
    advance(own, *time);
    space = &own;
  }
  const Code* code = space->ranges.at(address);
  if (code == nullptr || !code->module) return std::nullopt;
  return CodePlace{.module = *code->module, .offset = address - code->bias};
}

}  // namespace tacho
