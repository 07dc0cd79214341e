// What stood where in the memory of each process, as the records of a recording tell it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "perfdata/record.hpp"

namespace tacho {

// What code belongs to.
enum class ModuleKind : std::uint8_t {
  file,           // offsets are those in the file
  vdso,           // likewise, of the image that the kernel maps
  kernel,         // the kernel or a module of it; its offsets are addresses
  hidden_kernel,  // kernel mode, but where the kernel stands was not recorded; addresses
  anonymous,      // no file: made by the process itself, as JIT compilers do; addresses
  guest,          // a virtual machine's, or the hypervisor's; addresses
  unknown,        // no mapping was recorded; addresses
};
struct Module {
  ModuleKind kind = ModuleKind::file;
  std::string path;       // or a name in brackets
  std::string build_id;   // in hex; empty when none is known
  std::int32_t pid = -1;  // of a file, the first that mapped it; of anonymous memory, its owner
  // The kernel's own mapping: the address of the symbol that its recorded name ends in.
  std::string reference;
  std::uint64_t reference_address = 0;
};

struct CodePlace {
  std::uint32_t module = 0;  // in modules()
  std::uint64_t offset = 0;
  bool operator==(const CodePlace&) const = default;
};

// The addresses around one that belong together: address - bias is an offset in the module.
struct CodeRange {
  std::uint64_t start = 0, last = 0;  // its first and its last address
  std::uint64_t bias = 0;
  std::uint32_t module = 0;  // in modules()
  bool holds(std::uint64_t address) const { return start <= address && address <= last; }
  CodePlace place(std::uint64_t address) const { return {module, address - bias}; }
};

class AddressSpaces {
 public:
  AddressSpaces();

  void add(const perfdata::Mapping&);
  void add(const perfdata::Command&);  // an exec begins with no mappings
  void add(const perfdata::Fork&);     // a child begins with its parent's
  // What the recording knows of build-ids besides, for modules that have none yet.
  void add_build_ids(const std::vector<perfdata::Description::BuildIdOf>&);

  // Where an address of a process belongs. Never fails: what was not mapped is of an unknown
  // module.
  CodePlace find(std::int32_t pid, perfdata::Mode mode, std::uint64_t address) const {
    return range_of(pid, mode, address).place(address);
  }
  // The same with all around it that is mapped alike, until a record is added.
  CodeRange range_of(std::int32_t pid, perfdata::Mode mode, std::uint64_t address) const;

  const std::vector<Module>& modules() const { return modules_; }

 private:
  struct Range {
    std::uint64_t end = 0;   // one past the last address
    std::uint64_t bias = 0;  // address - bias is the offset
    std::uint32_t module = 0;
  };
  // By start; shared between a parent and its child until one of them changes.
  using Space = std::map<std::uint64_t, Range>;

  std::uint32_t module_of(const perfdata::Mapping&);
  static void put(Space&, std::uint64_t start, const Range&);
  Space& own_space(std::int32_t pid);

  std::vector<Module> modules_;
  std::unordered_map<std::string, std::uint32_t> known_;  // by all that tells modules apart
  std::unordered_map<std::int32_t, std::shared_ptr<Space>> spaces_;
  Space kernel_;
};

}  // namespace tacho
