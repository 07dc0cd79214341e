// Finds source lines and inlined functions by address, from DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

// One level of inlining at an address.
struct Frame {
  std::string function;  // without parameters; empty if not known
  std::string symbol;    // as in a symbol table: mangled; empty if not known
  std::string file;      // empty if not known
  unsigned line = 0;     // 0 if not known
};

class SourceLines {
 public:
  // Opens the DWARF of an ELF file. A unit is parsed when one of its addresses is looked up. If
  // parts of it are in other files (-gsplit-dwarf), looks for them where the compiler left them,
  // and in `packages`, which are paths of .dwp files. Fails if the file has no DWARF or can't be
  // read, or if tacho was built without elfutils.
  static Result<std::unique_ptr<SourceLines>> open(const std::string& path,
                                                   const std::vector<std::string>& packages = {});

  virtual ~SourceLines() = default;
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // The innermost source line of the address.
  virtual std::optional<Frame> line_at(std::uint64_t address) = 0;
  // All levels of inlining at the address, innermost first. Empty if nothing is known. Without
  // places, only functions are looked up: line tables are not read, which takes half the time.
  enum class Places : bool { left_out, looked_up };
  virtual std::vector<Frame> frames_at(std::uint64_t address,
                                       Places places = Places::looked_up) = 0;
  // Says which debug information was looked for in vain, so that lines are known, but functions
  // that were inlined are not. Empty if nothing was.
  virtual std::string what_is_missing() const = 0;
  // Says why the file with names that this one shares with others (dwz) is not used. Empty if it is
  // used or not needed.
  virtual std::string why_no_shared_names() const { return {}; }
  // The number of parts that are left out because they are damaged, or would take more memory than
  // the size of the file explains (dwarf_budget.hpp).
  virtual std::uint64_t left_out() const { return 0; }

 protected:
  SourceLines() = default;
};

}  // namespace tacho::symbols
