// Reads DWARF with libdw of elfutils. libdw's own look-up of inlined functions walks the whole tree
// of a unit for every address. This one lists the functions of each unit once, and the inlined
// parts of each function once.
#include "symbols/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <unordered_map>

#include "symbols/debug_sections.hpp"
#include "symbols/demangle.hpp"
#include "symbols/mapped_elf.hpp"
#include "symbols/nested_ranges.hpp"
#include "symbols/shared_debug_file.hpp"
#include "symbols/split_units.hpp"

namespace tacho::symbols {
namespace {

constexpr int kDeepest = 64;  // levels of nested scopes; deeper ones are ignored

// A range of code addresses: of a unit, of a function, or of a function that was inlined.
struct Range {
  std::uint64_t low = 0, high = 0;  // high is one past the last address
  Dwarf_Die die{};
  int depth = 0;  // level of inlining; 0 for units and functions
};

// The functions of a unit, by address.
struct Functions {
  std::vector<Range> ranges;
  NestedRanges nested;
};

struct Inlined {
  std::string function, symbol;
  bool has_call = false;  // whether the place of the call was looked up
  std::string call_file;
  unsigned call_line = 0;
};

template <class Visit>
void for_children(Dwarf_Die* parent, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do visit(&child);
  while (dwarf_siblingof(&child, &child) == 0);
}

std::string text_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  const char* text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
  return text == nullptr ? std::string() : text;
}

std::string symbol_of(Dwarf_Die* die) {
  const std::string linkage = text_of(die, DW_AT_linkage_name);
  return linkage.empty() ? text_of(die, DW_AT_name) : linkage;
}

unsigned number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  if (dwarf_formudata(dwarf_attr(die, name, &attribute), &word) != 0) return 0;
  return static_cast<unsigned>(word);
}

// The absolute path of a source file. DWARF may have it relative to the compiler's directory.
std::string absolute_path(Dwarf_Die& unit, const std::string& file) {
  if (file.starts_with('/')) return file;
  const std::string directory = text_of(&unit, DW_AT_comp_dir);
  return (std::filesystem::path(directory) / file).lexically_normal().string();
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
    if (!file)
      return failure(
          fmt::format("cannot read the source lines of '{}': {}", path, file.error().what));
    file_ = std::move(*file);
    Elf* const whole = file_.elf.get();
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
      list_units();
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
    const Functions& functions = functions_of(unit);
    const std::size_t function = functions.nested.at(address);
    if (function == NestedRanges::kNone) {
      if (!here.file.empty()) frames.push_back(here);
      return frames;
    }
    // The chain of functions at the address, from the outermost to the innermost inlined one.
    const Range& outermost = functions.ranges[function];
    const std::vector<Range>& inlines = inlines_of(outermost.die);
    std::vector<const Range*> chain{&outermost};
    for (const Range& each : inlines)
      if (each.low <= address && address < each.high) chain.push_back(&each);
    std::ranges::stable_sort(chain, {}, [](const Range* each) { return each->depth; });
    for (std::size_t i = chain.size(); i-- > 0;) {
      const Inlined& of = inlined(chain[i]->die, unit, with_places);
      here.function = of.function;
      here.symbol = of.symbol;
      frames.push_back(here);
      here = {{}, {}, of.call_file, of.call_line};
    }
    return frames;
  }

  std::string what_is_missing() const override {
    if (missing_ == 0) return {};
    return fmt::format("{} of its units {} debug information in another file (-gsplit-dwarf), {}",
                       missing_, missing_ == 1 ? "has" : "have", first_missing_);
  }
  std::string why_no_shared_names() const override { return shared_.why_missing(); }

 private:
  void list_units() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    std::uint8_t kind = 0;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, &kind, &die, nullptr) == 0)
      if (kind == DW_UT_compile || kind == DW_UT_skeleton) add_ranges(&die, 0, units_);
    std::ranges::stable_sort(units_, {}, &Range::low);
  }

  void add_ranges(Dwarf_Die* die, int depth, std::vector<Range>& to) const {
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    std::ptrdiff_t at = 0;
    if (split_)
      if (const auto list = split_->range_list(die)) {
        at = list->offset;
        base = list->base;
      }
    while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
      if (low < high) to.push_back({low, high, *die, depth});
  }

  // Returns the unit that has the functions. With -gsplit-dwarf it is in a separate file or in a
  // package, and the unit in the program is its skeleton. If that is missing, the skeleton has
  // lines but no functions.
  Dwarf_Die with_functions(const Dwarf_Die& unit) {
    std::uint8_t kind = 0;
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

  static std::optional<Frame> line_in(Dwarf_Die& unit, std::uint64_t address) {
    Dwarf_Line* line = dwarf_getsrc_die(&unit, address);
    if (line == nullptr) return std::nullopt;
    Frame frame;
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr))
      frame.file = absolute_path(unit, file);
    int number = 0;
    if (dwarf_lineno(line, &number) == 0 && number > 0) frame.line = static_cast<unsigned>(number);
    return frame;
  }

  const Functions& functions_of(Dwarf_Die& unit) {
    const auto [found, fresh] = functions_.try_emplace(unit.addr);
    Functions& functions = found->second;
    if (fresh) {
      Dwarf_Die parent = with_functions(unit);
      add_functions(&parent, functions.ranges, 0);
      std::ranges::stable_sort(functions.ranges, {}, &Range::low);
      functions.nested = NestedRanges(functions.ranges, &Range::low, &Range::high);
    }
    return functions;
  }

  void add_functions(Dwarf_Die* parent, std::vector<Range>& to, int depth) const {
    for_children(parent, [&](Dwarf_Die* child) {
      const int tag = dwarf_tag(child);
      if (tag == DW_TAG_subprogram) add_ranges(child, 0, to);
      if ((tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
           tag == DW_TAG_class_type) &&
          depth < kDeepest)
        add_functions(child, to, depth + 1);
    });
  }

  const std::vector<Range>& inlines_of(Dwarf_Die function) {
    const auto [found, fresh] = inlines_.try_emplace(function.addr);
    if (fresh) add_inlines(&function, found->second, 0, 1);
    return found->second;
  }

  void add_inlines(Dwarf_Die* parent, std::vector<Range>& to, int depth, int inlining) const {
    for_children(parent, [&](Dwarf_Die* child) {
      const int tag = dwarf_tag(child);
      const bool is_inlined = tag == DW_TAG_inlined_subroutine;
      if (is_inlined) add_ranges(child, inlining, to);
      if ((is_inlined || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block) &&
          depth < kDeepest)
        add_inlines(child, to, depth + 1, inlining + (is_inlined ? 1 : 0));
    });
  }

  const Inlined& inlined(Dwarf_Die die, Dwarf_Die& unit, bool with_call) {
    const auto [found, fresh] = names_.try_emplace(die.addr);
    if (fresh) {
      found->second.symbol = symbol_of(&die);
      found->second.function = brief_name(found->second.symbol);
    }
    if (!with_call || found->second.has_call) return found->second;
    found->second.has_call = true;
    found->second.call_line = number_of(&die, DW_AT_call_line);
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const unsigned file = number_of(&die, DW_AT_call_file);
    if (dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count)
      if (const char* name = dwarf_filesrc(files, file, nullptr, nullptr))
        found->second.call_file = absolute_path(unit, name);
    return found->second;
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
  std::vector<Range> units_;
  // By the address of the DIE of a unit, function or scope. Offsets are not unique: there may be
  // several files.
  std::unordered_map<const void*, Functions> functions_;
  std::unordered_map<const void*, std::vector<Range>> inlines_;
  std::unordered_map<const void*, Inlined> names_;
};

}  // namespace

Result<std::unique_ptr<SourceLines>> SourceLines::open(const std::string& path,
                                                       const std::vector<std::string>& packages) {
  auto made = std::make_unique<DwarfLines>();
  TACHO_TRY(made->read(path, packages));
  return made;
}

}  // namespace tacho::symbols
