// What stands at a place of a profile: module, function, source line. Files of another build than
// the recorded one are not used, and warnings say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "locate/address_spaces.hpp"
#include "locate/module_file.hpp"
#include "perfdata/record.hpp"
#include "symbols/binary.hpp"

namespace tacho {

using FunctionId = std::uint32_t;
struct FunctionInfo {
  std::uint32_t module = 0;
  std::uint64_t start = 0, end = 0;  // addresses as the module's tables use them; 0, 0: not known
  std::string name;                  // demangled, whole; empty when it is not known
  std::string brief;                 // without parameters, where that names one function only
  bool known() const { return !name.empty(); }
};

class Resolver {
 public:
  // Both outlive it.
  Resolver(std::span<const Module> modules, const perfdata::Description& recording,
           SymbolSources sources);

  FunctionId function_of(const CodePlace&);  // of an unknown one, its module's
  const FunctionInfo& function(FunctionId id) const { return functions_[id]; }
  std::size_t function_count() const { return functions_.size(); }

  // The address in the tables of the place's module; the offset itself where there are none.
  std::uint64_t address_of(const CodePlace&);
  symbols::Frame line_of(const CodePlace&);
  std::vector<symbols::Frame> frames_of(const CodePlace&);  // innermost first; may be empty

  // The module's file; nullptr when it is not to be had.
  symbols::Binary* binary_of(std::uint32_t module);
  const symbols::FunctionTable* table_of(std::uint32_t module);
  // The last part of its path, or what stands for it.
  std::string module_name(std::uint32_t module) const;

  // What was not used or not found, and why: a line each.
  std::vector<std::string> warnings() const;

 private:
  struct Loaded {
    std::unique_ptr<symbols::Binary> binary;
    std::optional<symbols::OwnedTable> jit;
    const symbols::FunctionTable* functions = nullptr;
    bool lines_tried = false;
    symbols::SourceLines* lines = nullptr;
  };

  Loaded& loaded(std::uint32_t module);
  void load_file(const Module&, Loaded&);
  void load_kernel(Loaded&);
  bool is_own_kernel();
  symbols::SourceLines* lines_of(std::uint32_t module);
  FunctionId intern(std::uint32_t module, const symbols::Function* function);

  std::span<const Module> modules_;
  const perfdata::Description& recording_;
  SymbolSources sources_;
  std::vector<std::optional<Loaded>> loaded_;
  bool kernel_tried_ = false;
  std::optional<symbols::KernelFunctions> kernel_;
  std::vector<FunctionInfo> functions_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, FunctionId> ids_;  // by module and start
  std::map<std::pair<std::uint32_t, std::string>, FunctionId> brief_;
  std::vector<std::string> warnings_, missing_;
};

}  // namespace tacho
