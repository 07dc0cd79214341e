// Which events are sampled each time that they occur, unless the user says otherwise.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/pmu.hpp"

namespace tacho {

// Gives a sampling period of 1 to the events that have no period or frequency of their own, and
// that are rare or single out what the user looks for: tracepoints, breakpoints, context switches,
// CPU migrations, and faults that a disk or an emulation serves. A frequency would take few samples
// of them, with periods that the kernel adapts by guesswork.
//
// Page faults and minor faults are sampled by frequency: a program that fills memory has a million
// of them a second, and each sample costs as much as the fault itself.
void sample_rare_events_each_time(std::span<EventGroup>);

// The events that tell where threads wait. One records when threads leave their CPU and get one
// again, and another takes a sample each time that a thread leaves its CPU. Where tracefs has the
// tracepoint, two more sample each wake-up of a thread, with its call chain and without. Users that
// may not sample the kernel get the first one only.
Result<std::vector<EventGroup>> switches(const Pmu& pmu);

// Call chains for recordings of waits, unless the user chose some, and the frequency of the samples
// of running time, unless the user did.
void choose_for_waits(SampleSpec& spec, bool has_frequency);

}  // namespace tacho
