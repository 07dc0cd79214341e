// Call chains of samples that carry copies of stacks.
#pragma once

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
#include "symbols/unwinder.hpp"

namespace tacho {

class StackUnwinding {
 public:
  StackUnwinding() = default;
  explicit StackUnwinding(SymbolSources sources) : sources_(std::move(sources)) {}

  // The sample's chain as the kernel would have it, with the callers in user mode that its copy of
  // the stack tells. Without a copy, or where it can't be unwound, the chain as it is. Valid until
  // the next call.
  std::span<const std::uint64_t> chain_of(const perfdata::Sample&, const AddressSpaces&,
                                          const perfdata::Description&);

  // Samples whose stack could not be unwound at all, and why.
  std::uint64_t failed() const { return failed_; }
  const Error& why() const { return why_; }

 private:
  symbols::Unwinder* unwinder_of(std::int32_t pid, const std::string& machine);
  symbols::Binary* binary_of(std::uint32_t module, const AddressSpaces&,
                             const perfdata::Description&);

  SymbolSources sources_;
  std::map<std::int32_t, std::unique_ptr<symbols::Unwinder>> unwinders_;
  std::unordered_map<std::uint32_t, std::unique_ptr<symbols::Binary>> binaries_;  // by module
  std::vector<std::uint64_t> chain_;
  std::uint64_t failed_ = 0;
  Error why_;
};

}  // namespace tacho
