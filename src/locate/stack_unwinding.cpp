#include "locate/stack_unwinding.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "locate/calls_that_remain.hpp"

namespace tacho {
namespace {

// Most unwinders at one time. Each has the tables of all files that its process has mapped.
constexpr std::size_t kMostProcesses = 64;

// Whether the kernel kept as many addresses as it may. It does not count the marks.
bool is_cut(std::span<const std::uint64_t> chain, const perfdata::RecordedEvent& event) {
  const auto most =
      std::ptrdiff_t{event.max_stack > 0 ? event.max_stack : perfdata::kUsualMaxStack};
  if (std::ssize(chain) < most) return false;
  return std::ranges::count_if(chain, [](std::uint64_t address) {
           return address < perfdata::kContextMarks;
         }) == most;
}

}  // namespace

symbols::Unwinder* StackUnwinding::unwinder_of(std::int32_t pid, const std::string& machine) {
  const auto found = unwinders_.find(pid);
  if (found != unwinders_.end()) return found->second.get();
  auto made = symbols::Unwinder::create(machine);
  if (!made) {
    why_ = made.error();
    return nullptr;
  }
  if (unwinders_.size() == kMostProcesses) unwinders_.clear();
  return (unwinders_[pid] = std::move(*made)).get();
}

symbols::Binary* StackUnwinding::binary_of(std::uint32_t module, const AddressSpaces& spaces,
                                           const perfdata::Description& recording) {
  const auto [found, fresh] = binaries_.try_emplace(module);
  const ModuleKind kind = spaces.modules()[module].kind;
  if (fresh && (kind == ModuleKind::file || kind == ModuleKind::vdso))
    if (auto opened = open_module_file(spaces.modules()[module], recording, sources_))
      found->second = std::move(*opened);
  return found->second.get();
}

CallChain StackUnwinding::chain_of(const perfdata::Sample& sample, const AddressSpaces& spaces,
                                   const perfdata::Description& recording) {
  if (sample.user_abi != 0 && !sample.user_stack.empty()) return unwound(sample, spaces, recording);
  const bool described = sample.event < recording.events.size();
  if (described && perfdata::has_call_stacks(recording.events[sample.event])) {
    deepest_calls_ = std::max(deepest_calls_, sample.branches.size());
    RemainingCalls calls = remaining_calls(sample, deepest_calls_);
    if (!calls.chain.empty()) {
      chain_ = std::move(calls.chain);
      return {chain_, calls.cut};
    }
  }
  return {sample.chain, described && is_cut(sample.chain, recording.events[sample.event])};
}

CallChain StackUnwinding::unwound(const perfdata::Sample& sample, const AddressSpaces& spaces,
                                  const perfdata::Description& recording) {
  const std::int32_t pid = sample.pid.value_or(-1);
  symbols::Unwinder* unwinder = unwinder_of(pid, recording.architecture);
  if (unwinder == nullptr) {
    ++failed_;
    return {sample.chain, false};
  }
  const auto find = [&](std::uint64_t address) -> std::optional<symbols::LoadedFile> {
    const CodePlace place = spaces.find(pid, perfdata::Mode::user, address);
    const symbols::Binary* binary = binary_of(place.module, spaces, recording);
    if (binary == nullptr) return std::nullopt;
    const auto in_file = binary->address_of(place.offset);
    if (!in_file) return std::nullopt;
    return symbols::LoadedFile{binary->file().path(), address - *in_file,
                               binary->file().image_in_memory()};
  };
  const symbols::UnwoundStack stack = unwinder->unwind({.is_64bit = sample.user_abi == 2,
                                                        .mask = sample.user_mask,
                                                        .registers = sample.user_registers,
                                                        .stack = sample.user_stack},
                                                       find);
  // The part of the chain in kernel mode ends where the part in user mode begins.
  const auto kernel_end = std::ranges::find(sample.chain, perfdata::kUserMark);
  chain_.assign(sample.chain.begin(), kernel_end);
  chain_.push_back(perfdata::kUserMark);
  chain_.insert(chain_.end(), stack.frames.begin(), stack.frames.end());
  return {chain_, stack.cut};
}

}  // namespace tacho
