#include "locate/stack_unwinding.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
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

// The return address of the innermost function in user mode, if the sample has it.
std::optional<std::uint64_t> recorded_return_address(const perfdata::Sample& sample,
                                                     const symbols::ReturnAddress& where) {
  constexpr std::uint64_t kLinkRegister = std::uint64_t{1} << 30;  // of 64-bit ARM
  std::uint64_t address = 0;
  if (where.place == symbols::ReturnAddress::Place::stack) {
    if (sample.user_stack.size() < sizeof address ||
        sample.user_stack.size() - sizeof address < where.offset)
      return std::nullopt;
    std::memcpy(&address, sample.user_stack.data() + where.offset, sizeof address);
    return address;
  }
  if (sample.user_mask != kLinkRegister || sample.user_registers.empty()) return std::nullopt;
  return sample.user_registers.front();
}

// Of waits that began before the recording, the stack pointer and the instruction pointer are
// known.
bool lacks_registers(const perfdata::Sample& sample) {
  return std::ranges::count_if(sample.user_registers,
                               [](std::uint64_t each) { return each != 0; }) == 2;
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
      return {.addresses = chain_, .cut = calls.cut};
    }
  }
  CallChain chain = with_hidden_caller(sample, spaces, recording);
  chain.cut = described && is_cut(sample.chain, recording.events[sample.event]);
  return chain;
}

symbols::ReturnAddress StackUnwinding::return_address_at(const CodePlace& place,
                                                         const AddressSpaces& spaces,
                                                         const perfdata::Description& recording) {
  const auto [found, fresh] = return_addresses_.try_emplace({place.module, place.offset});
  if (!fresh) return found->second;
  const symbols::Binary* binary = binary_of(place.module, spaces, recording);
  if (binary == nullptr) return {};
  const auto [table, opened] = frames_.try_emplace(place.module);
  if (opened) table->second = symbols::FrameTable::of(binary->file());
  const auto address = binary->address_of(place.offset);
  if (table->second && address) found->second = table->second->at(*address);
  return found->second;
}

CallChain StackUnwinding::with_hidden_caller(const perfdata::Sample& sample,
                                             const AddressSpaces& spaces,
                                             const perfdata::Description& recording) {
  using symbols::ReturnAddress;
  const CallChain as_recorded{.addresses = sample.chain};
  const auto mark = std::ranges::find(sample.chain, perfdata::kUserMark);
  const auto behind = sample.chain.end() - mark;
  // A simulator knows each call and return.
  if (behind < 2 || perfdata::is_simulated(recording)) return as_recorded;
  const std::int32_t pid = sample.pid.value_or(-1);
  const auto mapped = [&](std::uint64_t address) {
    return spaces.find(pid, perfdata::Mode::user, address);
  };
  const ReturnAddress where = return_address_at(mapped(mark[1]), spaces, recording);
  if (where.place != ReturnAddress::Place::stack &&
      where.place != ReturnAddress::Place::link_register)
    return as_recorded;
  auto address = recording.swapped ? std::nullopt : recorded_return_address(sample, where);
  // A caller's code is in a mapping.
  if (address && spaces.modules()[mapped(*address).module].kind == ModuleKind::unknown)
    address.reset();
  if (address && behind > 2 && mark[2] == *address) return as_recorded;  // it has a frame
  chain_.assign(sample.chain.begin(), mark + 2);
  chain_.push_back(address.value_or(0));
  chain_.insert(chain_.end(), mark + 2, sample.chain.end());
  return {.addresses = chain_, .cut = false, .hides_caller = !address};
}

CallChain StackUnwinding::unwound(const perfdata::Sample& sample, const AddressSpaces& spaces,
                                  const perfdata::Description& recording) {
  const std::int32_t pid = sample.pid.value_or(-1);
  symbols::Unwinder* unwinder = unwinder_of(pid, recording.architecture);
  if (unwinder == nullptr) {
    ++failed_;
    return {.addresses = sample.chain};
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
                                                        .stack = sample.user_stack,
                                                        .lacks_registers = lacks_registers(sample)},
                                                       find);
  // The part of the chain in kernel mode ends where the part in user mode begins.
  const auto kernel_end = std::ranges::find(sample.chain, perfdata::kUserMark);
  chain_.assign(sample.chain.begin(), kernel_end);
  chain_.push_back(perfdata::kUserMark);
  chain_.insert(chain_.end(), stack.frames.begin(), stack.frames.end());
  return {.addresses = chain_, .cut = stack.cut};
}

}  // namespace tacho
