// Resolves a place in a module to its function and source line. Does not use files of another build
// than the recorded one, and warns about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locate/address_spaces.hpp"
#include "locate/module_file.hpp"
#include "perfdata/record.hpp"
#include "symbols/binary.hpp"
#include "symbols/jit_dump.hpp"
#include "symbols/kallsyms_and_perf_map.hpp"

namespace tacho {

using FunctionId = std::uint32_t;
struct FunctionInfo {
  std::uint32_t module = 0;
  std::uint64_t start = 0, end = 0;  // addresses in the module's tables; both 0 if not known
  std::string name;                  // demangled, with parameters; empty if not known
  std::string brief;                 // without parameters, unless several functions share that name
  std::string plain;                 // always without parameters
  bool has_namesake = false;         // another function of the module has the same name
  bool known() const { return !name.empty(); }
};

class Resolver {
 public:
  // `modules` and `recording` must outlive the resolver.
  Resolver(std::span<const Module> modules, const perfdata::Description& recording,
           SymbolSources sources);

  // For a recording that is still read: the modules as they are now. They may have moved, and there
  // may be more of them than before.
  void extend(std::span<const Module> modules);

  // Each module has one function that stands for all its unknown functions. The level of a place
  // counts after show_inlined() only.
  FunctionId function_of(const CodePlace&);
  // From now on, functions that were inlined are functions of their own: function_of() and
  // line_of() return those of the place's level. A function has one ID, inlined or not.
  void show_inlined() { shows_inlined_ = true; }
  // The number of functions at the place: 1 if none was inlined there.
  std::uint32_t levels_of(const CodePlace&);
  const FunctionInfo& function(FunctionId id) const { return functions_[id]; }
  std::size_t function_count() const { return functions_.size(); }

  // The address of the place in the tables of its module; the offset if the module has no tables.
  std::uint64_t address_of(const CodePlace&);
  symbols::Frame line_of(const CodePlace&);
  std::vector<symbols::Frame> frames_of(const CodePlace&);  // innermost first; may be empty

  // The file of the module; nullptr if it is not available.
  symbols::Binary* binary_of(std::uint32_t module);
  const symbols::FunctionTable* table_of(std::uint32_t module);
  // The file in which a JIT compiler describes the module's code; nullptr if there is none.
  const symbols::JitDump* dump_of(std::uint32_t module) const {
    return modules_[module].dump.get();
  }
  // Whether the module is code that a program made while it ran.
  bool is_compiled(std::uint32_t module) const {
    const ModuleKind kind = modules_[module].kind;
    return kind == ModuleKind::jitdump || kind == ModuleKind::anonymous;
  }
  // Why no names of the module's code were found although it may have some: a JIT compiler's map is
  // missing (ENOENT) or was not used. Nothing if names were found.
  std::optional<Error> why_no_map(std::uint32_t module);
  // The last part of the module's path, or its name in brackets.
  std::string module_name(std::uint32_t module) const;

  // One line for each file that was not found or not used, with the reason.
  std::vector<std::string> warnings() const;

 private:
  struct Loaded {
    std::shared_ptr<symbols::Binary> binary;
    std::optional<Result<symbols::OwnedTable>> map;  // of generated code
    const symbols::FunctionTable* functions = nullptr;
    std::uint64_t shift = 0;  // of the kernel: recorded address minus address in `functions`
    bool lines_tried = false;
    symbols::SourceLines* lines = nullptr;
    std::optional<Error> no_lines;
  };

  void add_warnings_of(std::uint32_t module, std::vector<std::string>& to) const;
  Loaded& loaded(std::uint32_t module);
  std::shared_ptr<symbols::Binary> only_once(std::unique_ptr<symbols::Binary> opened);
  void load_file(const Module&, Loaded&);
  static void load_generated(const Module&, Loaded&);
  void load_kernel(const Module&, Loaded&);
  void load_vmlinux(const Module&, Loaded&);
  bool read_kallsyms();
  bool is_own_kernel();
  symbols::SourceLines* lines_of(std::uint32_t module);
  // The same, and warns if there are none.
  symbols::SourceLines* wanted_lines_of(std::uint32_t module);
  FunctionId symbol_of(const CodePlace&);
  const std::vector<FunctionId>& functions_at(const CodePlace&);
  FunctionId intern(std::uint32_t module, const symbols::Function* function);
  FunctionId intern_inlined(std::uint32_t module, const symbols::Frame&);
  FunctionId add_function(FunctionInfo);
  // The name that the resolver keeps for a symbol.
  std::string name_of(std::string_view symbol);

  std::span<const Module> modules_;
  const perfdata::Description& recording_;
  SymbolSources sources_;
  std::vector<std::optional<Loaded>> loaded_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<symbols::Binary>>
      opened_;  // by device and inode
  bool kernel_tried_ = false;
  std::uint64_t kernel_shift_ = 0;  // recorded address minus address in kernel_
  std::optional<symbols::KernelFunctions> kernel_;
  std::vector<FunctionInfo> functions_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, FunctionId> ids_;  // by module and start
  std::map<std::pair<std::uint32_t, std::string>, FunctionId> brief_, by_name_;
  std::map<std::pair<std::uint32_t, std::string>, FunctionId> by_symbol_;  // of inlined functions
  std::uint64_t name_bytes_ = 0;                                           // of all kept names
  std::size_t too_long_ = 0;  // names that stay mangled because their text would be too long
  std::size_t cut_ = 0;       // names that are cut because all are too long together
  bool shows_inlined_ = false;
  // By module and offset: the functions at the place, innermost first.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<FunctionId>> functions_at_;
  std::vector<std::string> warnings_;
  std::vector<std::string> lineless_;  // warnings of files without source lines
  std::vector<std::string> nameless_;  // warnings of files that were not found or not used
};

}  // namespace tacho
