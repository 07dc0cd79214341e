// Names the addresses of samples while a recording is read: the module, the function and the offset
// in it. Remembers the names of threads, too. Memory does not grow with the recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "dump/dumped_name.hpp"
#include "locate/address_spaces.hpp"
#include "locate/numbered_values.hpp"
#include "locate/recorded_code.hpp"
#include "locate/resolver.hpp"
#include "locate/stack_unwinding.hpp"
#include "perfdata/record.hpp"

namespace tacho {

// What is known of an address. The names live as long as the locator.
struct NamedAddress {
  const DumpedName* function = nullptr;  // nullptr if it is not known
  std::uint64_t offset = 0;              // from the start of the function
  const DumpedName* module = nullptr;
};

// The source of an address.
struct SourcePlace {
  DumpedName line;                  // FILE:NUMBER; empty if it is not known
  std::vector<DumpedName> inlined;  // functions that were inlined there, innermost first
};

class Locator {
 public:
  // `recording` must outlive the locator.
  Locator(const perfdata::Description& recording, const SymbolSources& sources);

  // Drops what is remembered, if it has become too much. Invalidates what source_of() returned.
  void make_room();

  // Takes mappings, forks and names of threads; ignores other records.
  void add(const perfdata::Record& record);

  // An address in the process of a sample, at the sample's time.
  NamedAddress of(const perfdata::Sample&, perfdata::Mode mode, std::uint64_t address);
  const SourcePlace& source_of(const perfdata::Sample&, perfdata::Mode mode, std::uint64_t address);
  // The call chain of a sample: see StackUnwinding::chain_of.
  std::span<const std::uint64_t> chain_of(const perfdata::Sample& sample);
  // The name of a thread, as perf says it: ":TID" if it is not known.
  const DumpedName& name_of(std::int32_t tid);

  // What could not be named, and why.
  std::vector<std::string> warnings() const;

 private:
  // Most samples are at few addresses. A place has one slot only, so that the slots stay in the
  // processor's cache (384 KiB).
  struct KnownPlace {
    CodePlace place;
    NamedAddress name;
    bool used = false;
  };
  static constexpr std::size_t kSlots = 1 << 13;
  static constexpr std::size_t kMostSources = 1 << 17;  // with names of inlined functions
  static constexpr std::size_t kMostThreads = 1 << 20;  // names of threads

  void see_new_modules();
  CodePlace place_of(const perfdata::Sample&, perfdata::Mode mode, std::uint64_t address);
  NamedAddress named(const CodePlace& place);
  const DumpedName& function_name(FunctionId id);
  const DumpedName& module_name(std::uint32_t module);
  void name_thread(std::int32_t tid, const DumpedName& name);

  const perfdata::Description& recording_;
  RecordedCode code_;
  Resolver resolver_;
  StackUnwinding stacks_;
  std::size_t known_modules_ = 0, known_build_ids_ = 0;
  CodeRange range_;  // of the last address
  std::int32_t range_pid_ = -1;
  perfdata::Mode range_mode_ = perfdata::Mode::unknown;
  bool range_is_valid_ = false;
  std::vector<KnownPlace> known_places_{kSlots};
  std::map<std::pair<std::uint32_t, std::uint64_t>, SourcePlace> sources_;  // by module, offset
  std::deque<DumpedName> functions_, modules_;  // an element never moves
  std::unordered_map<std::int32_t, DumpedName, NumberHash> threads_;
};

}  // namespace tacho
