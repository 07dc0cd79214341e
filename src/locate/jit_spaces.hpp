// Tracks the code of JIT compilers that describe it in jitdump files: which function was at an
// address of a process at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/latest_ranges.hpp"
#include "locate/address_spaces.hpp"
#include "locate/module_file.hpp"
#include "locate/process_spaces.hpp"
#include "perfdata/record.hpp"
#include "symbols/jit_dump.hpp"

namespace tacho {

class JitSpaces {
 public:
  // Reads the jitdump if a process has mapped one, which is how a compiler announces it. Its code
  // becomes a module of `spaces`. Warns if the file cannot be read.
  void add(const perfdata::Mapping&, const perfdata::Description&, const SymbolSources&,
           AddressSpaces& spaces);
  void add(const perfdata::Command& command) { spaces_.add(command); }
  void add(const perfdata::Fork& fork) { spaces_.add(fork); }

  bool empty() const { return spaces_.empty(); }
  // The code at an address of a process at a time; nothing if no compiler described any. Times must
  // not decrease. Code that is described only later counts if there is no earlier one: some
  // compilers describe it when it runs already.
  std::optional<CodePlace> find(std::int32_t pid, perfdata::OptionalU64 time,
                                std::uint64_t address);

  // One line for each jitdump that was not read, or only in part, with the reason.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // A jitdump, and how many of its placements are in the ranges of a process.
  struct Source {
    std::shared_ptr<const symbols::JitDump> dump;
    std::uint32_t module = 0;
    std::size_t done = 0;
  };
  // Code of one placement: address - bias is its offset in the file. No module: there is no code.
  struct Code {
    std::optional<std::uint32_t> module;
    std::uint64_t bias = 0;
  };
  struct Space {
    std::vector<Source> sources;
    LatestRanges<Code> ranges;
  };

  // Reads each file once, whatever it is called.
  Result<std::shared_ptr<symbols::JitDump>> read_dump(const std::string& path,
                                                      const std::string& root,
                                                      std::uint32_t number);
  Result<std::shared_ptr<symbols::JitDump>> find_dump(const perfdata::Mapping&,
                                                      std::uint32_t number,
                                                      const perfdata::Description&,
                                                      const SymbolSources&);
  void put(Space&, const Source&, const symbols::JitPlacement&);
  // Makes the ranges as they are before the first placement, or after the last one.
  void begin(Space&, Source&, bool has_times);
  static bool is_behind(const Space&, std::uint64_t time);
  void advance(Space&, std::uint64_t time);

  ProcessSpaces<Space> spaces_;
  std::set<std::pair<std::int32_t, std::string>> known_;  // jitdumps: process and path
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<symbols::JitDump>>
      read_;  // by device and inode
  // Each placement takes 64 bytes in each process that has the jitdump, and a copied node as many.
  std::size_t placed_ = 0, most_placed_ = std::size_t{1} << 21;
  std::vector<std::string> warnings_;
};

}  // namespace tacho
