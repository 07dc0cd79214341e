#include "locate/resolver.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "locate/perf_map_file.hpp"
#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kNoFunction = std::numeric_limits<std::uint64_t>::max();

// Bytes of the names of functions that are kept whole, each of which is kept up to five times. The
// names of 100,000 functions of C++ have some 20 MB.
constexpr std::uint64_t kMostNameBytes = 24 << 20;
constexpr std::size_t kShortName = 256;  // bytes; longer ones are cut then

// Whether a file is a part of Valgrind that the simulator loads into each process. Users have no
// sources of it, and miss none.
bool is_of_simulator(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with("vgpreload_");
}

// Adds the first few of some warnings. `rest` says how many more there are.
void add_few(const std::vector<std::string>& all, fmt::format_string<std::size_t> rest,
             std::vector<std::string>& to) {
  constexpr std::size_t kFew = 5;
  const std::size_t shown = all.size() <= kFew + 1 ? all.size() : kFew;
  to.insert(to.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < all.size()) to.push_back(fmt::format(rest, all.size() - shown));
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

// A recording can name one file by many paths. Its symbols are read and kept once.
std::shared_ptr<symbols::Binary> Resolver::only_once(std::unique_ptr<symbols::Binary> opened) {
  struct stat status{};
  if (::stat(opened->file().path().c_str(), &status) != 0) return opened;
  const auto [found, fresh] = opened_.try_emplace({status.st_dev, status.st_ino});
  if (fresh) found->second = std::move(opened);
  return found->second;
}

void Resolver::load_file(const Module& module, Loaded& to) {
  auto binary = open_module_file(module, recording_, sources_);
  if (binary) {
    to.binary = only_once(std::move(*binary));
    to.functions = &to.binary->functions();
  } else {
    nameless_.push_back(fmt::format(
        "no names of {}: {}", module.path,
        binary.error().code == ENOENT ? "there is no such file here" : binary.error().what));
  }
}

std::vector<std::string> Resolver::warnings() const {
  std::vector<std::string> warnings = warnings_;
  add_few(nameless_,
          "no names of {} more files, for such reasons; --symfs DIR looks for files below DIR",
          warnings);
  add_few(lineless_,
          "no source lines of {} more files, for such reasons; packages with debug information "
          "(Debian: -dbgsym) have them",
          warnings);
  for (std::size_t i = 0; i < loaded_.size(); ++i)
    if (loaded_[i]) add_warnings_of(static_cast<std::uint32_t>(i), warnings);
  if (too_long_ > 0)
    warnings.push_back(fmt::format(
        "{} {} mangled: demangled, {} be longer than 64 KB or than 64 times the symbol", too_long_,
        too_long_ == 1 ? "name stays" : "names stay", too_long_ == 1 ? "it would" : "they would"));
  if (cut_ > 0)
    warnings.push_back(
        fmt::format("{} {} cut after {} bytes: the names of the functions have more "
                    "than 24 MB together",
                    cut_, cut_ == 1 ? "name is" : "names are", kShortName));
  return warnings;
}

// About other files with debug information of the module.
void Resolver::add_warnings_of(std::uint32_t module, std::vector<std::string>& to) const {
  const Loaded& of = *loaded_[module];
  const std::string name = module_name(module);
  if (of.binary && !of.binary->refused_debug_file().empty())
    to.push_back(
        fmt::format("no debug information of {}: {}", name, of.binary->refused_debug_file()));
  if (of.lines == nullptr) return;
  if (const std::string missing = of.lines->what_is_missing(); !missing.empty())
    to.push_back(
        fmt::format("inlined functions of {0} are missing: {1}; keep the .dwo files, or put "
                    "{0}.dwp beside it",
                    name, missing));
  if (const std::uint64_t parts = of.lines->left_out(); parts > 0)
    to.push_back(
        fmt::format("the debug information of {} is damaged or too large for its file: {} {} of it "
                    "{} left out, so that lines or inlined functions are missing",
                    name, parts, parts == 1 ? "part" : "parts", parts == 1 ? "is" : "are"));
  if (const std::string why = of.lines->why_no_shared_names(); !why.empty())
    to.push_back(fmt::format(
        "some names in the debug information of {} are missing, which dwz moved away: {}", name,
        why));
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

// Reads the kernel's functions at the first call. Returns whether they can be used.
bool Resolver::read_kallsyms() {
  if (kernel_tried_) return kernel_.has_value();
  kernel_tried_ = true;
  if (!sources_.trusts_kallsyms && !is_own_kernel()) return false;
  auto kernel = symbols::read_kernel_functions(sources_.kallsyms);
  if (!kernel) {
    warnings_.push_back("no names of the kernel: " + kernel.error().what +
                        (kernel.error().remedy.empty() ? "" : "; " + kernel.error().remedy));
    return false;
  }
  kernel_ = std::move(*kernel);
  // The kernel has other addresses after each boot (KASLR), and so has each of its modules.
  for (const Module& each : modules_) {
    if (each.kind != ModuleKind::kernel || each.reference_address == 0) continue;
    std::uint64_t now = 0;
    if (each.reference == "_text") now = kernel_->text_start;
    if (each.reference == "_stext") now = kernel_->stext;
    if (now != 0 || !sources_.trusts_kallsyms) kernel_shift_ = each.reference_address - now;
    break;
  }
  if (kernel_shift_ == 0 || sources_.trusts_kallsyms) return true;
  warnings_.emplace_back(
      "no names of the kernel: it was booted again since then, and has other addresses now");
  kernel_.reset();
  return false;
}

// The kernel itself moves as a whole, so that the functions of another boot or of System.map can be
// shifted. Its modules do not move with it.
void Resolver::load_kernel(const Module& module, Loaded& to) {
  const bool itself = !module.reference.empty();
  if (itself && !sources_.vmlinux.empty()) return load_vmlinux(module, to);
  if (!read_kallsyms()) return;
  if (!itself && kernel_shift_ != 0) {
    nameless_.push_back(
        fmt::format("no names of {}: {} is of another boot", module.path, sources_.kallsyms));
    return;
  }
  to.functions = &kernel_->functions;
  if (itself) to.shift = kernel_shift_;
}

void Resolver::load_vmlinux(const Module& module, Loaded& to) {
  auto binary = symbols::Binary::open(sources_.vmlinux, module.build_id, sources_.debug);
  if (!binary) {
    warnings_.push_back("no names of the kernel: " + binary.error().what);
    return;
  }
  to.binary = std::move(*binary);
  to.functions = &to.binary->functions();
  for (const symbols::Symbol& symbol : to.binary->file().functions())
    if (symbol.name == module.reference && module.reference_address != 0)
      to.shift = module.reference_address - symbol.address;
}

void Resolver::load_generated(const Module& module, Loaded& to) {
  std::vector<symbols::Symbol> symbols;
  for (const GeneratedFunction& each : module.generated) {
    symbols::Symbol& symbol = symbols.emplace_back();
    symbol.address = each.offset;
    symbol.size = each.size;
    symbol.name = each.name;
  }
  to.map.emplace(symbols::OwnedTable{nullptr, symbols::FunctionTable(std::move(symbols))});
  to.functions = &(*to.map)->functions;
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
      load_kernel(module, *slot);
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
    case ModuleKind::bpf:
      load_generated(module, *slot);
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
  const Loaded& of = loaded(place.module);
  if (of.binary == nullptr || modules_[place.module].kind == ModuleKind::kernel)
    return place.offset - of.shift;  // the kernel is recorded by address, not by offset
  return of.binary->address_of(place.offset).value_or(place.offset);
}

FunctionId Resolver::intern(std::uint32_t module, const symbols::Function* function) {
  const std::uint64_t start = function == nullptr ? kNoFunction : function->start;
  const auto [found, fresh] =
      ids_.try_emplace({module, start}, static_cast<FunctionId>(functions_.size()));
  if (!fresh) return found->second;
  if (function == nullptr) return add_function({module, 0, 0, {}, {}, {}});
  FunctionInfo info{module, function->start, function->end, name_of(function->name), {}, {}};
  // It may be known already, because it was inlined elsewhere.
  if (const auto inlined = by_name_.find({module, info.name}); inlined != by_name_.end())
    if (FunctionInfo& known = functions_[inlined->second]; known.end == 0) {
      known.start = info.start;
      known.end = info.end;
      return found->second = inlined->second;
    }
  info.brief = info.plain =
      info.name == function->name ? info.name : symbols::without_parameters(info.name);
  return found->second = add_function(std::move(info));
}

std::string Resolver::name_of(std::string_view symbol) {
  std::string name = symbols::demangled(symbol);
  if (name == symbol && symbols::is_too_long_to_demangle(symbol)) ++too_long_;
  if (name_bytes_ + name.size() > kMostNameBytes && name.size() > kShortName) {
    name.resize(kShortName);
    name += "…";
    ++cut_;
  }
  name_bytes_ += name.size();
  return name;
}

FunctionId Resolver::add_function(FunctionInfo info) {
  const auto id = static_cast<FunctionId>(functions_.size());
  if (info.known()) {
    // Functions that share a brief name (overloads and others) keep their parameters.
    const auto [other, first] = brief_.try_emplace({info.module, info.brief}, id);
    if (!first) {
      FunctionInfo& namesake = functions_[other->second];
      namesake.brief = namesake.name;
      info.brief = info.name;
      info.has_namesake = namesake.name == info.name;
      namesake.has_namesake = namesake.has_namesake || info.has_namesake;
    }
    if (shows_inlined_) by_name_.try_emplace({info.module, info.name}, id);
  }
  functions_.push_back(std::move(info));
  return id;
}

FunctionId Resolver::intern_inlined(std::uint32_t module, const symbols::Frame& frame) {
  if (frame.symbol.empty()) return intern(module, nullptr);
  const auto [known, fresh] = by_symbol_.try_emplace({module, frame.symbol});
  if (!fresh) return known->second;
  const std::string name = name_of(frame.symbol);
  name_bytes_ += frame.symbol.size();
  const auto found = by_name_.find({module, name});
  if (found != by_name_.end()) return known->second = found->second;
  const std::string brief = name == frame.symbol ? name : symbols::without_parameters(name);
  return known->second = add_function({module, 0, 0, name, brief, brief});
}

FunctionId Resolver::symbol_of(const CodePlace& place) {
  const symbols::FunctionTable* table = table_of(place.module);
  return intern(place.module, table == nullptr ? nullptr : table->at(address_of(place)));
}

const std::vector<FunctionId>& Resolver::functions_at(const CodePlace& place) {
  const auto [found, fresh] = functions_at_.try_emplace({place.module, place.offset});
  if (!fresh) return found->second;
  using symbols::SourceLines;
  std::vector<symbols::Frame> frames;
  if (SourceLines* lines = lines_of(place.module))
    frames = lines->frames_at(address_of(place), SourceLines::Places::left_out);
  // The outermost function is the one in the symbol table, as without inlined functions.
  for (std::size_t i = 0; i + 1 < frames.size(); ++i)
    found->second.push_back(intern_inlined(place.module, frames[i]));
  found->second.push_back(symbol_of(place));
  return found->second;
}

std::uint32_t Resolver::levels_of(const CodePlace& place) {
  return static_cast<std::uint32_t>(functions_at(place).size());
}

FunctionId Resolver::function_of(const CodePlace& place) {
  if (!shows_inlined_) return symbol_of(place);
  const std::vector<FunctionId>& functions = functions_at(place);
  return functions[std::min<std::size_t>(place.level, functions.size() - 1)];
}

symbols::SourceLines* Resolver::lines_of(std::uint32_t module) {
  Loaded& of = loaded(module);
  if (!of.lines_tried && of.binary) {
    if (auto lines = of.binary->lines())
      of.lines = *lines;
    else
      of.no_lines = lines.error();
  }
  of.lines_tried = true;
  return of.lines;
}

symbols::SourceLines* Resolver::wanted_lines_of(std::uint32_t module) {
  symbols::SourceLines* lines = lines_of(module);
  std::optional<Error>& why = loaded(module).no_lines;
  if (why && !is_of_simulator(modules_[module].path))
    lineless_.push_back(fmt::format("no source lines of {}: {}", module_name(module), why->what));
  why.reset();
  return lines;
}

symbols::Frame Resolver::line_of(const CodePlace& place) {
  symbols::SourceLines* lines = wanted_lines_of(place.module);
  if (lines == nullptr) return {};
  if (place.level == 0) return lines->line_at(address_of(place)).value_or(symbols::Frame());
  const std::vector<symbols::Frame> frames = lines->frames_at(address_of(place));
  return place.level < frames.size() ? frames[place.level] : symbols::Frame();
}

std::vector<symbols::Frame> Resolver::frames_of(const CodePlace& place) {
  symbols::SourceLines* lines = wanted_lines_of(place.module);
  return lines == nullptr ? std::vector<symbols::Frame>() : lines->frames_at(address_of(place));
}

}  // namespace tacho
