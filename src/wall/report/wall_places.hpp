// The places of a recording that was read with WallView::apart: which functions its samples were
// in, and where and for what threads waited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "locate/resolver.hpp"
#include "profile/recorded_profile.hpp"
#include "wall/report/wait_reasons.hpp"
#include "wall/report/wall_summary.hpp"
#include "wall/wall_reader.hpp"

namespace tacho {

// What a thread did off the CPU, as places tell it apart.
enum class Off : std::uint8_t { waiting, ready, woken };

class WallPlaces {
 public:
  WallPlaces(const RecordedProfile& recorded, Resolver& resolver, const WaitReasons& reasons);

  // The event of a sample; nothing if it is one of the recording's own.
  std::optional<WallEvent> wall_event(std::size_t event) const;
  // The event that sampled running time, if one did.
  std::optional<std::size_t> running() const { return running_; }

  // The known functions of a node of the call tree, innermost first: of the kernel or of user mode;
  // or those that a place is named by, of user mode, or of the kernel if there are none.
  std::vector<FunctionId> functions(std::size_t node, bool of_kernel) const;
  std::vector<FunctionId> functions(std::size_t node) const;
  std::string name_of(FunctionId) const;
  std::vector<std::string> names(const std::vector<FunctionId>&) const;
  const std::vector<std::size_t>& function_of() const { return function_of_; }  // by cell

  // The number of the place, in places().
  std::size_t place_of(std::size_t node, Off off);
  // What a thread waited for there, in reasons().
  std::size_t reason_of(std::size_t node) { return places_[place_of(node, Off::waiting)].reason; }
  // Where it is not known.
  std::size_t unknown_place(bool ready);
  // Nothing if this switch has no sample. `woken`: of the time after its wake-up.
  std::optional<std::size_t> place_of(const TimeOff&, bool woken);
  // The node where it was woken, if that was sampled.
  std::optional<std::uint32_t> waker_of(const TimeOff&) const;
  // The node of a sample.
  std::optional<std::uint32_t> node_of(WallEvent, std::uint64_t time_ns, std::int32_t tid) const;
  std::optional<std::uint32_t> node_of(const TimeOff&) const;

  // Without their sums.
  const std::vector<WaitByReason>& reasons() const { return reasons_; }
  const std::vector<WaitPlace>& places() const { return places_; }

 private:
  std::size_t reason_of(std::size_t node, Off off);
  bool is_cut(std::size_t node) const;
  std::size_t numbered(std::size_t reason, const std::vector<FunctionId>& functions, bool cut);

  const Profile& profile_;
  Resolver& resolver_;
  const WaitReasons& known_reasons_;
  std::size_t first_;  // of WallReader's events, which are the last
  std::optional<std::size_t> running_;
  std::vector<std::size_t> function_of_;
  std::vector<bool> of_kernel_, known_;  // by function
  std::vector<WaitByReason> reasons_;
  std::vector<WaitPlace> places_;
  std::map<std::pair<bool, std::string>, std::size_t> reason_numbers_;
  std::map<std::pair<std::size_t, Off>, std::size_t> place_of_node_;
  std::map<std::tuple<std::size_t, std::vector<FunctionId>, bool>, std::size_t> place_numbers_;
  std::map<std::tuple<WallEvent, std::uint64_t, std::int32_t>, std::uint32_t> nodes_;
};

}  // namespace tacho
