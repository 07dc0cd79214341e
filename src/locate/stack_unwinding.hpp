// Builds the call chain of a sample: from the copy of the stack in it, from the calls that its core
// kept, or as the kernel recorded it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "locate/address_spaces.hpp"
#include "locate/module_file.hpp"
#include "perfdata/record.hpp"
#include "symbols/frame_table.hpp"
#include "symbols/unwinder.hpp"

namespace tacho {

struct CallChain {
  // In the kernel's form. Valid until the next chain is built.
  std::span<const std::uint64_t> addresses;
  bool cut = false;  // there were more callers than the kernel, the core or the copy has
  // The caller of the innermost function in user mode is not known: it has address 0 here.
  bool hides_caller = false;
};

class StackUnwinding {
 public:
  StackUnwinding() = default;
  explicit StackUnwinding(SymbolSources sources) : sources_(std::move(sources)) {}

  // The callers in user mode are from the copy of the stack, or from the calls that the core kept
  // (calls_that_remain.hpp). If there is neither, or the copy can't be unwound, returns the
  // recorded chain. There the caller of a function without a frame of its own is missing; it is
  // added from the top of the stack or from the link register.
  CallChain chain_of(const perfdata::Sample&, const AddressSpaces&, const perfdata::Description&);

  // The number of samples whose stack could not be unwound, and the last reason.
  std::uint64_t failed() const { return failed_; }
  const Error& why() const { return why_; }

 private:
  CallChain unwound(const perfdata::Sample&, const AddressSpaces&, const perfdata::Description&);
  CallChain with_hidden_caller(const perfdata::Sample&, const AddressSpaces&,
                               const perfdata::Description&);
  symbols::ReturnAddress return_address_at(const CodePlace&, const AddressSpaces&,
                                           const perfdata::Description&);
  symbols::Unwinder* unwinder_of(std::int32_t pid, const std::string& machine);
  symbols::Binary* binary_of(std::uint32_t module, const AddressSpaces&,
                             const perfdata::Description&);

  SymbolSources sources_;
  std::map<std::int32_t, std::unique_ptr<symbols::Unwinder>> unwinders_;
  std::unordered_map<std::uint32_t, std::unique_ptr<symbols::Binary>> binaries_;    // by module
  std::unordered_map<std::uint32_t, std::unique_ptr<symbols::FrameTable>> frames_;  // by module
  // By module and offset.
  std::map<std::pair<std::uint32_t, std::uint64_t>, symbols::ReturnAddress> return_addresses_;
  std::vector<std::uint64_t> chain_;
  std::size_t deepest_calls_ = 0;  // most entries of a branch stack with calls
  std::uint64_t failed_ = 0;
  Error why_;
};

}  // namespace tacho
