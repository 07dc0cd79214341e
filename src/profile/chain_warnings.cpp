#include "profile/chain_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/number.hpp"
#include "locate/recorded_target.hpp"
#include "perfdata/format_constants.hpp"

namespace tacho {
namespace {

// Rules of the warning of broken chains.
struct Broken {
  static constexpr std::size_t kFewPlaces = 2;         // in user mode
  static constexpr std::uint64_t kFewestSamples = 20;  // with a chain in user mode
  static constexpr double kMost = 0.5;                 // of them
};

// Functions in which processes and threads begin. Of glibc, musl and Go; kernels return to a new
// thread in clone.
constexpr std::array<std::string_view, 15> kFirstFunctions{"main",
                                                           "_start",
                                                           "__libc_start_main",
                                                           "__libc_start_call_main",
                                                           "_dl_start",
                                                           "clone",
                                                           "__clone",
                                                           "clone3",
                                                           "__clone3",
                                                           "start_thread",
                                                           "__libc_start_main_impl",
                                                           "_start_c",
                                                           "thread_start",
                                                           "runtime.goexit",
                                                           "runtime.mstart"};

bool is_first(std::string_view function) {
  // Symbols can have versions and parts: "clone3@@GLIBC_2.34", "runtime.goexit.abi0".
  function = function.substr(0, function.find('@'));
  constexpr std::string_view kAbi = ".abi0";
  if (function.ends_with(kAbi)) function.remove_suffix(kAbi.size());
  return std::ranges::find(kFirstFunctions, function) != kFirstFunctions.end();
}

bool is_kernel(ModuleKind kind) {
  return kind == ModuleKind::kernel || kind == ModuleKind::hidden_kernel;
}

// The part in user mode of a node's chain.
struct UserPart {
  std::uint32_t places = 0;
  std::uint32_t outermost = 0;  // the cell
  bool begins = false;          // has a function in which a thread begins
};

class BrokenChainFinder {
 public:
  BrokenChainFinder(const Profile& profile, Resolver& resolver)
      : profile_(profile), resolver_(resolver) {
    std::vector<bool> first(profile.cells().size());
    for (std::size_t cell = 0; cell < first.size(); ++cell)
      first[cell] = is_first(function_of(cell).name);
    for (const CallNode& node : profile.nodes()) {  // a parent comes before its children
      UserPart part = node.parent == kNoParent ? UserPart() : parts_[node.parent];
      if (!is_kernel(module_of(node.cell).kind)) {
        if (part.places++ == 0) part.outermost = node.cell;
        part.begins = part.begins || first[node.cell];
      }
      parts_.push_back(part);
    }
  }

  // Whether the chain has a part in user mode, and the file of its outermost function could be
  // read: without it, nothing is known about the chain.
  bool is_judged(std::size_t node) {
    const UserPart& part = parts_[node];
    return part.places > 0 && (part.begins || !lacks_file(part.outermost));
  }
  bool is_broken(std::size_t node) {
    const UserPart& part = parts_[node];
    return !part.begins && (part.places <= Broken::kFewPlaces || leads_astray(part.outermost));
  }

 private:
  const Module& module_of(std::size_t cell) const {
    return profile_.modules()[profile_.cells()[cell].module];
  }
  const FunctionInfo& function_of(std::size_t cell) {
    return resolver_.function(resolver_.function_of(profile_.cells()[cell]));
  }
  bool has_no_file(std::size_t cell) const {
    const ModuleKind kind = module_of(cell).kind;
    return kind == ModuleKind::unknown || kind == ModuleKind::anonymous;
  }
  bool lacks_file(std::size_t cell) { return !has_no_file(cell) && table_of(cell) == nullptr; }
  // No code is at the place. Where a file has no names at all, nothing is known about it.
  bool leads_astray(std::size_t cell) {
    if (function_of(cell).known()) return false;
    const symbols::FunctionTable* table = table_of(cell);
    return has_no_file(cell) || (table != nullptr && !table->empty());
  }
  const symbols::FunctionTable* table_of(std::size_t cell) {
    return resolver_.table_of(profile_.cells()[cell].module);
  }

  const Profile& profile_;
  Resolver& resolver_;
  std::vector<UserPart> parts_;  // by node
};

// Share of the samples.
constexpr double kHiddenWorthAWarning = 0.01;
constexpr std::uint32_t kLargestCopy = 65'528;  // bytes: the size of a record is a 16-bit number

// `attached`: programs ran when the recording began.
std::string cut_warning(const Profile& profile, const perfdata::RecordedEvent& event,
                        std::size_t index, bool attached) {
  std::string where = fmt::format("after {} addresses (kernel.perf_event_max_stack)",
                                  event.max_stack > 0 ? event.max_stack : perfdata::kUsualMaxStack);
  std::string remedy = "record again after 'sudo sysctl kernel.perf_event_max_stack=1024'";
  if (perfdata::has_stack_copies(event)) {
    where = fmt::format("where the copy of the stack ended ({} bytes), {}after 256 functions",
                        whole(event.stack_bytes, {}),
                        event.lengths && attached
                            ? "at a frame pointer that is not known (of waits that began before "
                              "the recording), or "
                            : "or ");
    remedy = event.stack_bytes < kLargestCopy
                 ? fmt::format("record more of it: --call-graph dwarf,{}", kLargestCopy)
                 : "record by frame pointers: -g, with a larger kernel.perf_event_max_stack";
  } else if (perfdata::has_call_stacks(event)) {
    where = "where the processor's stack of calls was full";
    remedy = "record with --call-graph dwarf";
  }
  return fmt::format(
      "{} of {} call chains were cut {}: functions further out are missing, or their totals are "
      "too small; {}",
      whole(profile.cut(index).samples, {}), whole(profile.total(index).samples, {}), where,
      remedy);
}

// tacho's own recordings have the top of each stack, which shows most of these callers.
std::string hidden_warning(const Profile& profile, const perfdata::RecordedEvent& recorded,
                           std::size_t event) {
  return fmt::format(
      "{} of {} call chains lack a function ([unknown]): the one that called the innermost "
      "function, which has no frame of its own; totals may be too small; record with {}",
      whole(profile.hidden(event).samples, {}), whole(profile.total(event).samples, {}),
      recorded.stack_bytes > 0 ? "--call-graph dwarf"
                               : "tacho record -g, or with --call-graph dwarf");
}

// The event itself, or the first part of a sum that has call chains: those of the others are alike.
const perfdata::RecordedEvent& event_of_chains(const Profile& profile,
                                               const perfdata::Description& recording,
                                               std::size_t event) {
  const perfdata::EventSum* const sum = profile.sum(event);
  if (sum == nullptr) return recording.events[event];
  const auto has_chain = [&](std::size_t part) {
    return (recording.events[part].sample_type & perfdata::format::kCallchain) != 0;
  };
  const auto found = std::ranges::find_if(sum->parts, has_chain);
  return recording.events[found == sum->parts.end() ? sum->parts.front() : *found];
}

}  // namespace

BrokenChains broken_chains(const Profile& profile, Resolver& resolver, std::size_t event) {
  BrokenChains chains;
  BrokenChainFinder finder(profile, resolver);
  for (std::size_t node = 0; node < profile.nodes().size(); ++node) {
    const SampleCount count = profile.count_at_node(event, node);
    if (count.samples == 0 || !finder.is_judged(node)) continue;
    chains.samples += count.samples;
    if (finder.is_broken(node)) chains.broken += count.samples;
  }
  return chains;
}

std::vector<std::string> chain_warnings(const Profile& profile,
                                        const perfdata::Description& recording, Resolver& resolver,
                                        std::size_t event) {
  if (!profile.has_chains()) return {};
  const perfdata::RecordedEvent& recorded = event_of_chains(profile, recording, event);
  std::vector<std::string> warnings;
  if (profile.without_callers() > 0)
    warnings.push_back(
        fmt::format("the callers of {} are left out: the recording has too many different call "
                    "chains",
                    plural(profile.without_callers(), "sample", {})));
  if (profile.cut(event).samples > profile.without_callers())
    warnings.push_back(cut_warning(profile, recorded, event,
                                   !recorded_target(recording.command).attached.empty()));
  const bool by_pointers =
      !perfdata::has_stack_copies(recorded) && !perfdata::has_call_stacks(recorded);
  const auto all = static_cast<double>(profile.total(event).samples);
  if (static_cast<double>(profile.hidden(event).samples) > kHiddenWorthAWarning * all)
    warnings.push_back(hidden_warning(profile, recorded, event));
  if (!by_pointers || (recorded.sample_type & perfdata::format::kCallchain) == 0) return warnings;
  const BrokenChains chains = broken_chains(profile, resolver, event);
  if (chains.samples < Broken::kFewestSamples ||
      static_cast<double>(chains.broken) <= Broken::kMost * static_cast<double>(chains.samples))
    return warnings;
  warnings.push_back(fmt::format(
      "most call chains are broken: {} of {} do not lead to the start of a thread, because the "
      "code "
      "keeps no frame pointers. Callers and totals are wrong; record with --call-graph dwarf, or "
      "build with -fno-omit-frame-pointer",
      whole(chains.broken, {}), whole(chains.samples, {})));
  return warnings;
}

}  // namespace tacho
