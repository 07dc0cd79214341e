#include "locate/stack_unwinding.hpp"

#include <algorithm>

namespace tacho {
namespace {

constexpr std::uint64_t kUserMark = static_cast<std::uint64_t>(-512);  // PERF_CONTEXT_USER
// Most unwinders at one time. Each has the tables of all files that its process has mapped.
constexpr std::size_t kMostProcesses = 64;

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

std::span<const std::uint64_t> StackUnwinding::chain_of(const perfdata::Sample& sample,
                                                        const AddressSpaces& spaces,
                                                        const perfdata::Description& recording) {
  if (sample.user_abi == 0 || sample.user_stack.empty()) return sample.chain;
  const std::int32_t pid = sample.pid.value_or(-1);
  symbols::Unwinder* unwinder = unwinder_of(pid, recording.architecture);
  if (unwinder == nullptr) {
    ++failed_;
    return sample.chain;
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
  const std::vector<std::uint64_t> frames = unwinder->frames({.is_64bit = sample.user_abi == 2,
                                                              .mask = sample.user_mask,
                                                              .registers = sample.user_registers,
                                                              .stack = sample.user_stack},
                                                             find);
  // The part of the chain in kernel mode ends where the part in user mode begins.
  const auto kernel_end = std::ranges::find(sample.chain, kUserMark);
  chain_.assign(sample.chain.begin(), kernel_end);
  chain_.push_back(kUserMark);
  chain_.insert(chain_.end(), frames.begin(), frames.end());
  return chain_;
}

}  // namespace tacho
