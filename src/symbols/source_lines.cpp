// Reads DWARF with libdw of elfutils. libdw's own look-up of inlined functions walks the whole tree
// of a unit for every address. This one lists the functions of each unit once, and the inlined
// parts of each function once. libdw has no limits, so what it is asked for is checked first.
#include "symbols/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "symbols/debug_sections.hpp"
#include "symbols/demangle.hpp"
#include "symbols/dwarf_budget.hpp"
#include "symbols/line_table_cost.hpp"
#include "symbols/mapped_elf.hpp"
#include "symbols/nested_ranges.hpp"
#include "symbols/scope_tree.hpp"
#include "symbols/shared_debug_file.hpp"
#include "symbols/split_units.hpp"
#include "symbols/unit_bytes.hpp"

namespace tacho::symbols {
namespace {

// Bytes of a name. The names of real functions have up to some 10,000.
constexpr std::size_t kLongestName = 1 << 16;

// A range of code addresses of a unit.
struct Range {
  std::uint64_t low = 0, high = 0;  // high is one past the last address
  Dwarf_Die die{};
};

// The functions of a unit, and what was inlined into those that were looked up.
struct UnitScopes {
  const WalkedUnit* unit = nullptr;  // of the functions; nullptr if it is left out
  ScopeTree functions;
  std::unordered_map<const void*, ScopeTree> inlined;  // by the address of the function's DIE
};

struct Name {
  std::string function, symbol;
};

struct Inlined {
  const Name* name = nullptr;
  bool has_call = false;  // whether the place of the call was looked up
  std::string call_file;
  unsigned call_line = 0;
};

const char* text_at(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

std::string text_of(Dwarf_Die* die, unsigned name) {
  const char* text = text_at(die, name);
  return text == nullptr ? std::string() : std::string(text, ::strnlen(text, kLongestName));
}

std::optional<std::uint64_t> number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  if (dwarf_formudata(dwarf_attr(die, name, &attribute), &word) != 0) return std::nullopt;
  return word;
}

// The absolute path of a source file. DWARF may have it relative to the compiler's directory.
std::string absolute_path(Dwarf_Die& unit, const std::string& file) {
  if (file.starts_with('/')) return file;
  const std::string directory = text_of(&unit, DW_AT_comp_dir);
  return (std::filesystem::path(directory) / file).lexically_normal().string();
}

LineSections line_sections_of(Elf* elf) {
  const auto bytes = [&](const char* name, const char* packed) {
    const auto found = section_bytes(elf, name);
    return found.empty() ? section_bytes(elf, packed) : found;
  };
  std::size_t size = 0;
  const char* ident = elf_getident(elf, &size);
  return {bytes(".debug_line", ".zdebug_line"), bytes(".debug_line_str", ".zdebug_line_str"),
          bytes(".debug_str", ".zdebug_str"),
          ident != nullptr && size > EI_DATA && ident[EI_DATA] == ELFDATA2MSB};
}

class DwarfLines final : public SourceLines {
 public:
  ~DwarfLines() override {
    split_.reset();  // its files end after all that was taken from them
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
  }

  Result<void> read(const std::string& path, const std::vector<std::string>& packages) {
    path_ = path;
    packages_ = packages;
    auto file = map_elf(path);
    if (!file) return unreadable(path, file.error().what);
    file_ = std::move(*file);
    Elf* const whole = file_.elf.get();
    TACHO_TRY(check_size(path));
    if (has_zstd_sections(whole)) {
      const auto sections = unpacked_sections(whole, unpacked_);
      if (!sections)
        return failure(fmt::format("the debug information of '{}' is compressed with zstd, and "
                                   "cannot be unpacked: {}",
                                   path, sections.error().what),
                       "objcopy --decompress-debug-sections");
      in_memory_ = elf_of(*sections, whole, file_.fd.get());
    }
    dwarf_ = dwarf_begin_elf(in_memory_.elf ? in_memory_.elf.get() : whole, DWARF_C_READ, nullptr);
    if (dwarf_ != nullptr) {
      shared_.add_to(dwarf_, whole, file_.fd.get(), path);
      TACHO_TRY(list_units(path));
    }
    if (!units_.empty()) return {};
    return failure(fmt::format("cannot read the source lines of '{}': {}", path,
                               dwarf_ == nullptr ? dwarf_errmsg(-1) : "its code has none"),
                   "compile it with -g, or install its debug symbols");
  }

  std::optional<Frame> line_at(std::uint64_t address) override {
    Dwarf_Die unit;
    if (!unit_at(address, unit)) return std::nullopt;
    return line_in(unit, address);
  }

  std::vector<Frame> frames_at(std::uint64_t address, Places places) override {
    std::vector<Frame> frames;
    Dwarf_Die unit;
    if (!unit_at(address, unit)) return frames;
    const bool with_places = places == Places::looked_up;
    Frame here;
    if (with_places) here = line_in(unit, address).value_or(Frame());
    UnitScopes& scopes = scopes_of(unit);
    const std::size_t function = scopes.functions.at(address);
    if (function == NestedRanges::kNone) {
      if (!here.file.empty()) frames.push_back(here);
      return frames;
    }
    const Dwarf_Die outermost = scopes.functions.scope(function).die;
    const auto add = [&](const Dwarf_Die& die) {
      const Inlined& of = inlined(die, unit, with_places);
      here.function = of.name->function;
      here.symbol = of.name->symbol;
      frames.push_back(here);
      here = {{}, {}, of.call_file, of.call_line};
    };
    const ScopeTree& tree = inlined_into(outermost, scopes);
    for (std::size_t at = tree.at(address); at != NestedRanges::kNone; at = tree.scope(at).parent)
      add(tree.scope(at).die);
    add(outermost);
    return frames;
  }

  std::string what_is_missing() const override {
    if (missing_ == 0) return {};
    return fmt::format("{} of its units {} debug information in another file (-gsplit-dwarf), {}",
                       missing_, missing_ == 1 ? "has" : "have", first_missing_);
  }
  std::string why_no_shared_names() const override { return shared_.why_missing(); }

  std::uint64_t left_out() const override { return budget_->left_out(); }

 private:
  // Gives the file a budget that its size explains.
  Result<void> check_size(const std::string& path) {
    const auto unpacked = size_of_debug_sections(file_.elf.get(), file_.data);
    if (!unpacked) return unreadable(path, unpacked.error().what);
    budget_.emplace(std::max(file_.data, *unpacked));
    return {};
  }

  static std::unexpected<Error> unreadable(const std::string& path, const std::string& why) {
    return failure(fmt::format("cannot read the source lines of '{}': {}", path, why),
                   "compile it with -g, or install its debug symbols");
  }

  Result<void> list_units(const std::string& path) {
    if (const auto good = check_units(dwarf_, *budget_); !good)
      return unreadable(path, good.error().what);
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    std::uint8_t kind = 0;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, &kind, &die, nullptr) == 0)
      if (kind == DW_UT_compile || kind == DW_UT_skeleton)
        for_ranges(die, [&](std::uint64_t low, std::uint64_t high) {
          const bool good = budget_->take_range();
          if (!good) budget_->leave_out();
          if (good && low < high) units_.push_back({low, high, die});
          return good;
        });
    std::ranges::stable_sort(units_, {}, &Range::low);
    return {};
  }

  // Ends when `take` returns false.
  void for_ranges(Dwarf_Die& die,
                  const std::function<bool(std::uint64_t, std::uint64_t)>& take) const {
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    std::ptrdiff_t at = 0;
    if (split_)
      if (const auto list = split_->range_list(&die)) {
        at = list->offset;
        base = list->base;
      }
    while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0)
      if (!take(low, high)) return;
  }

  // Returns the unit that has the functions. With -gsplit-dwarf it is in a separate file or in a
  // package, and the unit in the program is its skeleton. If that is missing, the skeleton has
  // lines but no functions.
  Dwarf_Die with_functions(const Dwarf_Die& unit) {
    std::uint8_t kind = 0;
    std::uint64_t id = 0;
    // Skeletons with the same ID would read the same split unit again and again.
    if (dwarf_cu_info(unit.cu, nullptr, &kind, nullptr, nullptr, &id, nullptr, nullptr) == 0 &&
        kind == DW_UT_skeleton && !split_ids_.insert(id).second) {
      budget_->leave_out();
      return unit;
    }
    const bool known =
        dwarf_cu_info(unit.cu, nullptr, &kind, nullptr, nullptr, nullptr, nullptr, nullptr) == 0;
    if (!known || kind != DW_UT_skeleton) return unit;
    if (!split_) split_ = std::make_unique<SplitUnits>(dwarf_getelf(dwarf_), file_.fd.get());
    std::string why_not;
    if (const auto found = in_own_file(unit, why_not)) return *found;
    if (const auto packed = in_package(unit, why_not)) return *packed;
    if (missing_++ == 0) first_missing_ = why_not;
    return unit;
  }

  // The unit in the file that the compiler named (.dwo): beside the program, or where it was
  // compiled.
  std::optional<Dwarf_Die> in_own_file(Dwarf_Die skeleton, std::string& why_not) {
    std::string name = text_of(&skeleton, DW_AT_dwo_name);
    if (name.empty()) name = text_of(&skeleton, DW_AT_GNU_dwo_name);
    std::error_code unknown;
    const auto folder = std::filesystem::weakly_canonical(path_, unknown).parent_path();
    const std::string compiled =
        (folder / std::filesystem::path(absolute_path(skeleton, name))).string();
    why_not = "which is not there: " + compiled;
    if (name.empty()) return std::nullopt;
    for (const std::string& each : {(folder / name).string(), compiled}) {
      const auto found = split_->unit_in_file(skeleton, each);
      if (found) return *found;
      if (found.error().code != ENOENT) why_not = "which can't be used: " + found.error().what;
    }
    return std::nullopt;
  }

  // The unit in the first of the packages that is there.
  std::optional<Dwarf_Die> in_package(const Dwarf_Die& skeleton, std::string& why_not) {
    while (!has_package_ && !packages_.empty()) {
      const auto added = split_->add_package(packages_.front());
      has_package_ = added.has_value();
      if (!added && added.error().code != ENOENT) no_package_ = added.error().what;
      packages_.erase(packages_.begin());
    }
    if (!no_package_.empty()) why_not = "which can't be used: " + no_package_;
    return split_->packed_unit_of(skeleton);
  }

  bool unit_at(std::uint64_t address, Dwarf_Die& unit) {
    auto after = std::ranges::upper_bound(units_, address, {}, &Range::low);
    if (after == units_.begin() || (--after)->high <= address) return false;
    unit = after->die;
    return true;
  }

  // Whether libdw may read the line table of the unit.
  bool may_read_lines(Dwarf_Die& unit) {
    const auto table = number_of(&unit, DW_AT_stmt_list);
    if (!table) return true;  // it has none
    const auto [found, fresh] = line_tables_.try_emplace(*table);
    if (!fresh) return found->second;
    if (line_sections_.lines.empty()) line_sections_ = line_sections_of(dwarf_getelf(dwarf_));
    std::uint8_t address_size = 0;
    dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, nullptr, nullptr, &address_size, nullptr);
    const char* directory = text_at(&unit, DW_AT_comp_dir);
    const auto cost = line_table_cost(
        line_sections_,
        {*table, address_size, directory == nullptr ? 0 : ::strnlen(directory, kLongestName)});
    found->second = cost && budget_->take_lines(*cost);
    if (!found->second) budget_->leave_out();
    return found->second;
  }

  std::optional<Frame> line_in(Dwarf_Die& unit, std::uint64_t address) {
    Dwarf_Line* line = may_read_lines(unit) ? dwarf_getsrc_die(&unit, address) : nullptr;
    if (line == nullptr) return std::nullopt;
    Frame frame;
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr))
      frame.file = absolute_path(unit, file);
    int number = 0;
    if (dwarf_lineno(line, &number) == 0 && number > 0) frame.line = static_cast<unsigned>(number);
    return frame;
  }

  UnitScopes& scopes_of(const Dwarf_Die& unit) {
    const auto [found, fresh] = scopes_.try_emplace(unit.addr);
    UnitScopes& scopes = found->second;
    if (!fresh) return scopes;
    scopes.unit = walked_units_.unit_of(with_functions(unit), *budget_);
    if (scopes.unit == nullptr) return scopes;
    if (scopes.unit->die.cu != unit.cu) budget_->add_data(scopes.unit->bytes.bytes.size());
    scopes.functions = ScopeTree::functions_of(*scopes.unit, ranges_of(), *budget_);
    return scopes;
  }

  const ScopeTree& inlined_into(const Dwarf_Die& function, UnitScopes& scopes) {
    const auto [found, fresh] = scopes.inlined.try_emplace(function.addr);
    if (fresh)
      found->second = ScopeTree::inlined_into(function, *scopes.unit, ranges_of(), *budget_);
    return found->second;
  }

  RangesOf ranges_of() const {
    return [this](Dwarf_Die& die, const auto& take) { for_ranges(die, take); };
  }

  // Many places have the same name, which is kept once.
  const Name* name_of(Dwarf_Die& die) {
    const char* text = text_at(&die, DW_AT_linkage_name);
    if (text == nullptr || *text == '\0') text = text_at(&die, DW_AT_name);
    const auto [found, fresh] = names_.try_emplace(text);
    if (!fresh || text == nullptr) return &found->second;
    std::string symbol(text, ::strnlen(text, kLongestName));
    std::string function = brief_name(symbol);
    if (budget_->take_name(symbol.size() + function.size()))
      found->second = {std::move(function), std::move(symbol)};
    else
      budget_->leave_out();
    return &found->second;
  }

  const Inlined& inlined(Dwarf_Die die, Dwarf_Die& unit, bool with_call) {
    const auto [found, fresh] = inlined_.try_emplace(die.addr);
    Inlined& of = found->second;
    if (fresh) of.name = name_of(die);
    if (!with_call || of.has_call) return of;
    of.has_call = true;
    of.call_line = static_cast<unsigned>(number_of(&die, DW_AT_call_line).value_or(0));
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const std::uint64_t file = number_of(&die, DW_AT_call_file).value_or(0);
    if (may_read_lines(unit) && dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count)
      if (const char* name =
              dwarf_filesrc(files, static_cast<std::size_t>(file), nullptr, nullptr)) {
        std::string path = absolute_path(unit, name);
        if (budget_->take_name(path.size())) of.call_file = std::move(path);
      }
    return of;
  }

  std::string path_;
  MappedElf file_;
  SharedDebugFile shared_;
  std::list<std::vector<std::byte>> unpacked_;  // sections that were compressed with zstd
  ElfInMemory in_memory_;                       // instead of the file then
  Dwarf* dwarf_ = nullptr;
  std::vector<std::string> packages_;  // paths that were not tried yet
  bool has_package_ = false;
  std::string no_package_;  // why a package that is there is not used
  std::unique_ptr<SplitUnits> split_;
  std::size_t missing_ = 0;    // units whose split part was looked for in vain
  std::string first_missing_;  // where it would be, or why it is not used
  std::optional<DwarfBudget> budget_;
  std::vector<Range> units_;
  WalkedUnits walked_units_;
  std::unordered_set<std::uint64_t> split_ids_;  // of the skeletons whose split unit was looked for
  LineSections line_sections_;
  std::unordered_map<std::uint64_t, bool> line_tables_;  // by offset: whether libdw may read it
  // By the address of the DIE of a unit or scope. Offsets are not unique: there may be several
  // files.
  std::unordered_map<const void*, UnitScopes> scopes_;
  std::unordered_map<const void*, Inlined> inlined_;
  std::unordered_map<const char*, Name> names_;  // by where libdw has the text
};

}  // namespace

Result<std::unique_ptr<SourceLines>> SourceLines::open(const std::string& path,
                                                       const std::vector<std::string>& packages) {
  auto made = std::make_unique<DwarfLines>();
  TACHO_TRY(made->read(path, packages));
  return made;
}

}  // namespace tacho::symbols
