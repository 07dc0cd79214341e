// What the kernel of a made-up machine answers to a call: a pure function of the table and the
// call.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "call.hpp"
#include "machine.hpp"

namespace made_up {

// Where the counters of an event that was handed out are.
enum class Place {
  as_asked,  // the kernel's own event, on every CPU that was asked for
  of_pmu,    // on the CPUs of the PMU
  nowhere,   // the group never gets its counters: enabled time passes, running time does not
};

struct Decision {
  Answer answer;
  const MadeUpPmu* pmu = nullptr;  // null: an event of this machine's own kernel
  Place place = Place::as_asked;
};

// The events of a group that is already open, the leader first.
struct Member {
  const MadeUpPmu* pmu = nullptr;  // null: an event of this machine's own kernel
  Call call;
};

Decision decide(const Machine& machine, const Call& call, std::span<const Member> group);

}  // namespace made_up
