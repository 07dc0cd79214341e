// Tracks which module is mapped at which addresses of each process, from the records of a
// recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/latest_ranges.hpp"
#include "locate/process_spaces.hpp"
#include "perfdata/record.hpp"

namespace tacho {

namespace symbols {
class JitDump;
}

// The kind of a module. It decides what an offset in the module means: an offset in the file for
// `file` and `vdso`, a place that is never used again for `bpf`, the address itself for all others.
enum class ModuleKind : std::uint8_t {
  file,           // a program or library
  vdso,           // the image that the kernel maps into processes
  kernel,         // the kernel or one of its modules
  bpf,            // BPF programs that the kernel compiled
  hidden_kernel,  // kernel mode, but the addresses of the kernel were not recorded
  anonymous,      // memory without a file, for instance code of a JIT compiler
  jitdump,        // code of a JIT compiler that describes it in a file; offsets are of that file
  guest,          // code of a virtual machine or of the hypervisor
  unknown,        // no mapping was recorded
};
// A function that the kernel compiled while the recording was made.
struct GeneratedFunction {
  std::uint64_t offset = 0, size = 0;  // bytes; the place in the module, where each has its own
  std::string name;
};
struct Module {
  ModuleKind kind = ModuleKind::file;
  std::string path;       // or a name in brackets
  std::string build_id;   // in hex; empty if none is known
  std::int32_t pid = -1;  // the first process that mapped it; the owner of anonymous memory
  // For the kernel's own mapping: the symbol at the end of its recorded name, and its address.
  std::string reference;
  std::uint64_t reference_address = 0;
  std::shared_ptr<symbols::JitDump> dump = nullptr;  // of ModuleKind::jitdump
  std::vector<GeneratedFunction> generated{};        // of bpf, by offset
};

struct CodePlace {
  std::uint32_t module = 0;  // in modules()
  // Which of the functions at the place: 0 is the innermost, 1 the one that it was inlined into,
  // and so on. Recordings have places of level 0 only (Profile::add_inlined).
  std::uint32_t level = 0;
  std::uint64_t offset = 0;
  bool operator==(const CodePlace&) const = default;
};

// A range of addresses in one module.
struct CodeRange {
  std::uint64_t start = 0, last = 0;  // the first and the last address
  std::uint64_t bias = 0;             // address - bias is the offset in the module
  std::uint32_t module = 0;           // in modules()
  bool holds(std::uint64_t address) const { return start <= address && address <= last; }
  CodePlace place(std::uint64_t address) const {
    return {.module = module, .level = 0, .offset = address - bias};
  }
};

class AddressSpaces {
 public:
  AddressSpaces();

  void add(const perfdata::Mapping&);
  void add(const perfdata::Command& command) { spaces_.add(command); }
  void add(const perfdata::Fork& fork) { spaces_.add(fork); }
  // Adds a module that no mapping has, and returns its number.
  std::uint32_t add_module(Module module);
  // Adds the build IDs in the header of the recording to modules that have none yet. Each call has
  // those of the last one, and may have more.
  void add_build_ids(const std::vector<perfdata::Description::BuildIdOf>&);

  // The module and offset of an address of a process. An address that was not mapped belongs to the
  // unknown module.
  CodePlace find(std::int32_t pid, perfdata::Mode mode, std::uint64_t address) const {
    return range_of(pid, mode, address).place(address);
  }
  // The whole range of addresses around it with the same mapping. Valid until a record is added.
  CodeRange range_of(std::int32_t pid, perfdata::Mode mode, std::uint64_t address) const;

  const std::vector<Module>& modules() const { return modules_; }

  // What was left out because it would take too much memory; empty if nothing was.
  std::string warning() const;

 private:
  struct Mapped {
    std::uint64_t bias = 0;  // address - bias is the offset
    std::uint32_t module = 0;
  };
  using Space = LatestRanges<Mapped>;

  std::uint32_t module_of(const perfdata::Mapping&);
  void add_bpf(const perfdata::Mapping&);
  void add_build_id(const std::string& path, const std::string& id);

  std::vector<Module> modules_;
  std::map<std::string, std::uint32_t> known_;  // by kind, owner, build ID and path
  ProcessSpaces<Space> spaces_;
  Space kernel_;
  std::size_t mappings_ = 0, copied_ = 0;  // records, and nodes of ranges
  std::size_t cut_off_ = 0;                // processes that lost their first mappings
  // By path: the first build ID in the header, and the modules that have none so far.
  std::map<std::string, std::string> build_ids_;
  std::map<std::string, std::vector<std::uint32_t>> without_build_id_;
  std::size_t build_ids_seen_ = 0, modules_seen_ = 0;
};

}  // namespace tacho
