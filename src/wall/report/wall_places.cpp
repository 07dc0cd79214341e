#include "wall/report/wall_places.hpp"

#include <algorithm>

namespace tacho {
namespace {

bool is_of_kernel(const Module& module) {
  return module.kind == ModuleKind::kernel || module.kind == ModuleKind::hidden_kernel ||
         module.kind == ModuleKind::bpf;
}

}  // namespace

WallPlaces::WallPlaces(const RecordedProfile& recorded, Resolver& resolver,
                       const WaitReasons& reasons)
    : profile_(recorded.profile),
      resolver_(resolver),
      known_reasons_(reasons),
      first_(wall_reader(*recorded.reader).own_events()) {
  const std::vector<perfdata::RecordedEvent>& events = recorded.description().events;
  for (std::size_t i = 0; i < first_; ++i) {
    const perfdata::RecordedEvent& event = events[i];
    if (perfdata::is_clock(event) && !running_) running_ = i;
  }
  for (const CodePlace& cell : profile_.cells()) function_of_.push_back(resolver.function_of(cell));
  for (FunctionId id = 0; id < resolver.function_count(); ++id) {
    const Module& module = profile_.modules()[resolver.function(id).module];
    of_kernel_.push_back(is_of_kernel(module));
    known_.push_back(module.kind != ModuleKind::unknown);
  }
  for (const TimedSample& sample : profile_.samples())
    if (const auto event = wall_event(sample.event))
      nodes_.try_emplace({*event, sample.time_ns, sample.tid}, sample.node);
}

std::optional<WallEvent> WallPlaces::wall_event(std::size_t event) const {
  if (event < first_) return std::nullopt;
  return static_cast<WallEvent>(event - first_);
}

std::vector<FunctionId> WallPlaces::functions(std::size_t node, bool of_kernel) const {
  std::vector<FunctionId> found;
  for (std::size_t at = node; at != kNoParent; at = profile_.nodes()[at].parent) {
    const auto id = static_cast<FunctionId>(function_of_[profile_.nodes()[at].cell]);
    if (of_kernel_[id] == of_kernel && known_[id]) found.push_back(id);
  }
  return found;
}

std::vector<FunctionId> WallPlaces::functions(std::size_t node) const {
  std::vector<FunctionId> ids = functions(node, false);
  return ids.empty() ? functions(node, true) : ids;
}

// Without the version of the symbol: pthread_mutex_lock of pthread_mutex_lock@@GLIBC_2.2.5.
std::string WallPlaces::name_of(FunctionId id) const {
  const FunctionInfo& info = resolver_.function(id);
  if (info.known()) return info.brief.substr(0, info.brief.find('@'));
  const std::string module = resolver_.module_name(info.module);
  return module.starts_with('[') ? module : '[' + module + ']';
}

std::vector<std::string> WallPlaces::names(const std::vector<FunctionId>& ids) const {
  std::vector<std::string> names;
  for (const FunctionId id : ids) names.push_back(name_of(id));
  return names;
}

std::size_t WallPlaces::reason_of(std::size_t node, Off off) {
  std::vector<std::string> kernel;
  for (const FunctionId id : functions(node, true)) kernel.push_back(resolver_.function(id).plain);
  std::ranges::reverse(kernel);
  const WaitReason& reason = off == Off::waiting
                                 ? known_reasons_.of_waiting(kernel, names(functions(node, false)))
                             : off == Off::ready ? known_reasons_.of_ready(kernel)
                                                 : known_reasons_.of_woken();
  const bool ready = off != Off::waiting;
  const auto [found, is_new] = reason_numbers_.try_emplace({ready, reason.name}, reasons_.size());
  if (is_new) reasons_.push_back({reason, ready, {}});
  return found->second;
}

std::size_t WallPlaces::place_of(std::size_t node, Off off) {
  const auto [known, is_new_node] = place_of_node_.try_emplace({node, off}, 0);
  if (!is_new_node) return known->second;
  const std::size_t reason = reason_of(node, off);
  return known->second = numbered(reason, functions(node), is_cut(node));
}

// A sample of a wait or of ready time was cut here.
bool WallPlaces::is_cut(std::size_t node) const {
  const auto of = [&](WallEvent event) {
    return profile_.cut_at_node(first_ + static_cast<std::size_t>(event), node).samples > 0;
  };
  return of(WallEvent::waiting) || of(WallEvent::ready);
}

std::size_t WallPlaces::numbered(std::size_t reason, const std::vector<FunctionId>& functions,
                                 bool cut) {
  const auto [found, is_new] = place_numbers_.try_emplace({reason, functions, cut}, places_.size());
  if (is_new) places_.push_back({reason, {}, names(functions), cut});
  return found->second;
}

std::size_t WallPlaces::unknown_place(bool ready) {
  const WaitReason& reason =
      ready ? known_reasons_.of_ready({}) : known_reasons_.of_waiting({}, {});
  const auto [found, is_new] = reason_numbers_.try_emplace({ready, reason.name}, reasons_.size());
  if (is_new) reasons_.push_back({reason, ready, {}});
  return numbered(found->second, {}, false);
}

std::optional<std::uint32_t> WallPlaces::waker_of(const TimeOff& off) const {
  if (!off.woken_ns) return std::nullopt;
  return node_of(WallEvent::waker, *off.woken_ns, off.waker);
}

std::optional<std::size_t> WallPlaces::place_of(const TimeOff& off, bool woken) {
  const auto node = node_of(off);
  if (!node) return std::nullopt;
  return place_of(*node, woken                             ? Off::woken
                         : off.state == ThreadState::ready ? Off::ready
                                                           : Off::waiting);
}

std::optional<std::uint32_t> WallPlaces::node_of(WallEvent event, std::uint64_t time_ns,
                                                 std::int32_t tid) const {
  const auto found = nodes_.find({event, time_ns, tid});
  if (found == nodes_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> WallPlaces::node_of(const TimeOff& off) const {
  const bool is_ready = off.state == ThreadState::ready;
  return node_of(is_ready ? WallEvent::ready : WallEvent::waiting, off.begin_ns, off.tid);
}

}  // namespace tacho
