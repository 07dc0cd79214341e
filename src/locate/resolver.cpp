#include "locate/resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "locate/perf_map_file.hpp"
#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kNoFunction = std::numeric_limits<std::uint64_t>::max();

// Whether a file is a part of Valgrind that the simulator loads into each process. Users have no
// sources of it, and miss none.
bool is_of_simulator(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with("vgpreload_");
}

}  // namespace

Resolver::Resolver(std::span<const Module> modules, const perfdata::Description& recording,
                   SymbolSources sources)
    : modules_(modules),
      recording_(recording),
      sources_(std::move(sources)),
      loaded_(modules.size()) {}

void Resolver::extend(std::span<const Module> modules) {
  modules_ = modules;
  loaded_.resize(std::max(loaded_.size(), modules.size()));
}

void Resolver::load_file(const Module& module, Loaded& to) {
  auto binary = open_module_file(module, recording_, sources_);
  if (binary) {
    to.binary = std::move(*binary);
    to.functions = &to.binary->functions();
  } else if (binary.error().code == ENOENT) {
    missing_.push_back(module.path);
  } else {
    warnings_.push_back(fmt::format("no names of {}: {}", module.path, binary.error().what));
  }
}

std::vector<std::string> Resolver::warnings() const {
  std::vector<std::string> warnings = warnings_;
  if (!missing_.empty())
    warnings.push_back(
        fmt::format("no names of {}: {} here", fmt::join(missing_, ", "),
                    missing_.size() == 1 ? "there is no such file" : "there are no such files"));
  return warnings;
}

bool Resolver::is_own_kernel() {
  const auto kernel = std::ranges::find_if(modules_, [](const Module& each) {
    return each.kind == ModuleKind::kernel && !each.reference.empty() && !each.build_id.empty();
  });
  const std::string_view build_id =
      kernel == modules_.end() ? std::string_view() : std::string_view(kernel->build_id);
  const std::string difference = kernel_difference(build_id, recording_);
  if (!difference.empty())
    warnings_.push_back("no names of the kernel: the recorded one " + difference);
  return difference.empty();
}

void Resolver::load_kernel(Loaded& to) {
  if (!kernel_tried_) {
    kernel_tried_ = true;
    if (!is_own_kernel()) return;
    auto kernel = symbols::read_kernel_functions(sources_.kallsyms);
    if (kernel)
      kernel_ = std::move(*kernel);
    else
      warnings_.push_back("no names of the kernel: " + kernel.error().what +
                          (kernel.error().remedy.empty() ? "" : "; " + kernel.error().remedy));
  }
  if (!kernel_) return;
  // The kernel has other addresses after each boot (KASLR), and so has each of its modules.
  for (const Module& each : modules_) {
    if (each.kind != ModuleKind::kernel || each.reference_address == 0) continue;
    std::uint64_t now = 0;
    if (each.reference == "_text") now = kernel_->text_start;
    if (each.reference == "_stext") now = kernel_->stext;
    if (now == each.reference_address) break;
    warnings_.emplace_back(
        "no names of the kernel: it was booted again since then, and has other addresses now");
    kernel_.reset();
    return;
  }
  to.functions = &kernel_->functions;
}

Resolver::Loaded& Resolver::loaded(std::uint32_t index) {
  std::optional<Loaded>& slot = loaded_[index];
  if (slot) return *slot;
  slot.emplace();
  const Module& module = modules_[index];
  switch (module.kind) {
    case ModuleKind::file:
    case ModuleKind::vdso:
      load_file(module, *slot);
      break;
    case ModuleKind::kernel:
      load_kernel(*slot);
      break;
    case ModuleKind::anonymous:
      slot->map = read_perf_map_of(module, recording_, sources_);
      if (*slot->map) slot->functions = &(*slot->map)->functions;
      break;
    case ModuleKind::jitdump:
      slot->functions = &module.dump->table();
      slot->lines = &module.dump->lines();
      slot->lines_tried = true;
      break;
    case ModuleKind::hidden_kernel:
    case ModuleKind::guest:
    case ModuleKind::unknown:
      break;
  }
  return *slot;
}

symbols::Binary* Resolver::binary_of(std::uint32_t module) {
  return loaded(module).binary.get();
}

const symbols::FunctionTable* Resolver::table_of(std::uint32_t module) {
  return loaded(module).functions;
}

std::string Resolver::module_name(std::uint32_t module) const {
  const std::string& path = modules_[module].path;
  if (!path.starts_with('/')) return path;
  return path.substr(path.rfind('/') + 1);
}

std::optional<Error> Resolver::why_no_map(std::uint32_t module) {
  const auto& map = loaded(module).map;
  return map && !*map ? std::optional(map->error()) : std::nullopt;
}

std::uint64_t Resolver::address_of(const CodePlace& place) {
  const symbols::Binary* binary = binary_of(place.module);
  return binary == nullptr ? place.offset : binary->address_of(place.offset).value_or(place.offset);
}

FunctionId Resolver::intern(std::uint32_t module, const symbols::Function* function) {
  const std::uint64_t start = function == nullptr ? kNoFunction : function->start;
  const auto [found, fresh] =
      ids_.try_emplace({module, start}, static_cast<FunctionId>(functions_.size()));
  if (!fresh) return found->second;
  FunctionInfo info{module, 0, 0, {}, {}, {}};
  if (function != nullptr) {
    info = {module, function->start, function->end, symbols::demangled(function->name), {}, {}};
    info.brief = info.plain = symbols::brief_name(function->name);
    // Functions that share a brief name (overloads and others) keep their parameters.
    const auto [other, first] = brief_.try_emplace({module, info.brief}, found->second);
    if (!first) {
      functions_[other->second].brief = functions_[other->second].name;
      info.brief = info.name;
    }
  }
  functions_.push_back(std::move(info));
  return found->second;
}

FunctionId Resolver::function_of(const CodePlace& place) {
  const symbols::FunctionTable* table = table_of(place.module);
  return intern(place.module, table == nullptr ? nullptr : table->at(address_of(place)));
}

symbols::SourceLines* Resolver::lines_of(std::uint32_t module) {
  Loaded& of = loaded(module);
  if (!of.lines_tried && of.binary) {
    if (auto lines = of.binary->lines())
      of.lines = *lines;
    else if (!is_of_simulator(modules_[module].path))
      warnings_.push_back(
          fmt::format("no source lines of {}: {}", module_name(module), lines.error().what));
  }
  of.lines_tried = true;
  return of.lines;
}

symbols::Frame Resolver::line_of(const CodePlace& place) {
  symbols::SourceLines* lines = lines_of(place.module);
  if (lines == nullptr) return {};
  return lines->line_at(address_of(place)).value_or(symbols::Frame());
}

std::vector<symbols::Frame> Resolver::frames_of(const CodePlace& place) {
  symbols::SourceLines* lines = lines_of(place.module);
  return lines == nullptr ? std::vector<symbols::Frame>() : lines->frames_at(address_of(place));
}

}  // namespace tacho
