// Builds the call chain of a sample from the copy of the stack in it.
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

  // Returns the sample's call chain in the kernel's form, with the callers in user mode from the
  // copy of the stack. If there is no copy, or it can't be unwound, returns the recorded chain.
  // Valid until the next call.
  std::span<const std::uint64_t> chain_of(const perfdata::Sample&, const AddressSpaces&,
                                          const perfdata::Description&);

  // The number of samples whose stack could not be unwound, and the last reason.
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
