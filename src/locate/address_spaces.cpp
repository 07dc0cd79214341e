#include "locate/address_spaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace tacho {
namespace {

// The indices of the modules that always exist.
constexpr std::uint32_t kUnknown = 0;
constexpr std::uint32_t kGuest = 1;
constexpr std::uint32_t kHiddenKernel = 2;

// Most nodes (64 bytes each) that changes of forked processes copy, besides 2 for each mapping. A
// change of a process that has 200 mappings copies about 8.
constexpr std::size_t kMostCopied = std::size_t{1} << 21;

// Beginnings of the paths of mappings without a file.
constexpr std::array<std::string_view, 9> kWithoutFile{perfdata::kAnonymous,
                                                       "/dev/zero",
                                                       "/anon_hugepage",
                                                       "[anon",
                                                       "[heap]",
                                                       "[stack",
                                                       "/SYSV",
                                                       "/memfd:",
                                                       "anon_inode:"};

using perfdata::kBpfPath;
using perfdata::kKernelPath;

bool is_kernel(const perfdata::Mapping& mapping) {
  return mapping.pid == -1 || mapping.mode == perfdata::Mode::kernel;
}

ModuleKind kind_of(const perfdata::Mapping& mapping) {
  if (is_kernel(mapping)) return ModuleKind::kernel;
  if (mapping.path == "[vdso]") return ModuleKind::vdso;
  const bool anonymous = mapping.path.empty() || std::ranges::any_of(kWithoutFile, [&](auto name) {
                           return mapping.path.starts_with(name);
                         });
  // A mapping with a build ID is an ELF file, even in memory: programs can run from a memfd.
  return anonymous && mapping.build_id.size == 0 ? ModuleKind::anonymous : ModuleKind::file;
}

}  // namespace

AddressSpaces::AddressSpaces()
    : modules_{{ModuleKind::unknown, "[unknown]", {}, -1, {}, 0, {}},
               {ModuleKind::guest, "[guest]", {}, -1, {}, 0, {}},
               {ModuleKind::hidden_kernel, "[kernel]", {}, -1, {}, 0, {}}} {}

std::uint32_t AddressSpaces::module_of(const perfdata::Mapping& mapping) {
  Module made{.kind = kind_of(mapping),
              .path = mapping.path,
              .build_id = mapping.build_id.hex(),
              .pid = mapping.pid,
              .reference = {},
              .reference_address = 0,
              .dump = {}};
  std::int32_t owner = -1;
  if (made.kind == ModuleKind::anonymous) {
    owner = mapping.pid;
    made.path = fmt::format("[anonymous of process {}]", mapping.pid);
  } else if (made.kind == ModuleKind::kernel && mapping.path.starts_with(kKernelPath)) {
    made.path = kKernelPath;
    made.reference = mapping.path.substr(kKernelPath.size());
    made.reference_address = mapping.offset;
  }
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}", static_cast<int>(made.kind), owner, made.build_id, made.path);
  const auto [found, fresh] = known_.try_emplace(key, static_cast<std::uint32_t>(modules_.size()));
  if (fresh) modules_.push_back(std::move(made));
  return found->second;
}

std::uint32_t AddressSpaces::add_module(Module module) {
  modules_.push_back(std::move(module));
  return static_cast<std::uint32_t>(modules_.size() - 1);
}

// An address can belong to one program after the other. So the programs are laid out one behind the
// other in a module of their own.
void AddressSpaces::add_bpf(const perfdata::Mapping& mapping) {
  const auto [found, fresh] =
      known_.try_emplace("bpf", static_cast<std::uint32_t>(modules_.size()));
  if (fresh) modules_.push_back({ModuleKind::bpf, std::string(kBpfPath), {}, -1, {}, 0});
  std::vector<GeneratedFunction>& all = modules_[found->second].generated;
  const std::uint64_t offset = all.empty() ? 0 : all.back().offset + all.back().size;
  all.push_back({offset, mapping.length, mapping.path.substr(kBpfPath.size())});
  kernel_.put(mapping.start, mapping.start + mapping.length,
              {mapping.start - offset, found->second});
}

void AddressSpaces::add(const perfdata::Mapping& mapping) {
  if (mapping.length == 0) return;
  if (is_kernel(mapping) && mapping.path.starts_with(kBpfPath)) return add_bpf(mapping);
  const std::uint32_t module = module_of(mapping);
  const ModuleKind kind = modules_[module].kind;
  const bool by_offset = kind == ModuleKind::file || kind == ModuleKind::vdso;
  const std::uint64_t end = mapping.start + mapping.length;
  Space& space = kind == ModuleKind::kernel ? kernel_ : spaces_.own(mapping.pid);
  if (space.is_shared() && copied_ >= kMostCopied + 2 * mappings_) {
    space = {};
    ++cut_off_;
  }
  ++mappings_;
  copied_ += space.put(mapping.start, end < mapping.start ? ~std::uint64_t{0} : end,
                       {by_offset ? mapping.start - mapping.offset : 0, module});
}

std::string AddressSpaces::warning() const {
  if (cut_off_ == 0) return {};
  return fmt::format(
      "{} processes are shown without the mappings that they began with: too many forks changed "
      "theirs",
      cut_off_);
}

void AddressSpaces::add_build_ids(const std::vector<perfdata::Description::BuildIdOf>& build_ids) {
  for (; build_ids_seen_ < build_ids.size(); ++build_ids_seen_) {
    const auto& [pid, mode, id, path] = build_ids[build_ids_seen_];
    add_build_id(path, id.hex());
    if (mode == perfdata::Mode::kernel && path.starts_with(kKernelPath))
      add_build_id(std::string(kKernelPath), id.hex());
  }
  for (; modules_seen_ < modules_.size(); ++modules_seen_) {
    Module& module = modules_[modules_seen_];
    if (!module.build_id.empty()) continue;
    if (const auto known = build_ids_.find(module.path); known != build_ids_.end())
      module.build_id = known->second;
    else
      without_build_id_[module.path].push_back(static_cast<std::uint32_t>(modules_seen_));
  }
}

void AddressSpaces::add_build_id(const std::string& path, const std::string& id) {
  if (!build_ids_.try_emplace(path, id).second) return;  // the first one holds
  const auto waiting = without_build_id_.extract(path);
  if (waiting.empty()) return;
  for (const std::uint32_t module : waiting.mapped()) modules_[module].build_id = id;
}

CodeRange AddressSpaces::range_of(std::int32_t pid, perfdata::Mode mode,
                                  std::uint64_t address) const {
  CodeRange range{0, std::numeric_limits<std::uint64_t>::max(), 0, kUnknown};
  if (mode == perfdata::Mode::guest_kernel || mode == perfdata::Mode::guest_user ||
      mode == perfdata::Mode::hypervisor) {
    range.module = kGuest;
    return range;
  }
  const Space* space = &kernel_;
  if (mode == perfdata::Mode::kernel) {
    range.module = kHiddenKernel;
  } else {
    space = spaces_.find(pid);
    if (space == nullptr) return range;
  }
  const auto [before, after] = space->around(address);
  if (after != nullptr) range.last = after->start - 1;
  if (before == nullptr) return range;
  if (address < before->end)
    return {before->start, before->end - 1, before->value.bias, before->value.module};
  range.start = before->end;
  return range;
}

}  // namespace tacho
