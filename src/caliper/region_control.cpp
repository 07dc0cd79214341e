#include "caliper/region_control.hpp"

#include <atomic>
#include <cstdint>
#include <string>

#include "caliper/report_file.hpp"
#include "tacho/tacho.h"

namespace tacho::caliper {
namespace {

// In a file's private mapping, where the other process searches, because its mark is no zero.
constinit RegionControl control{.mark = kControlMark};

constinit std::atomic_flag handing_over;
constinit std::string* handed_over = nullptr;

[[gnu::constructor(101)]] void set_addresses() {
  control.self = reinterpret_cast<std::uintptr_t>(&control);
  control.state = reinterpret_cast<std::uintptr_t>(&tacho_regions_state);
}

std::string* new_report() noexcept {
  try {
    return new std::string(to_json(process_report()));
  } catch (...) {  // std::bad_alloc
    return nullptr;
  }
}

}  // namespace

void hand_over_report() noexcept {
  if (handing_over.test_and_set(std::memory_order_acquire)) return;
  std::string* const report = new_report();
  const std::atomic_ref number(control.report_number);
  number.fetch_add(1, std::memory_order_acq_rel);
  delete handed_over;
  handed_over = report;
  control.report = report == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(report->data());
  control.report_size = report == nullptr ? 0 : report->size();
  number.fetch_add(1, std::memory_order_release);
  handing_over.clear(std::memory_order_release);
}

// The report of a thread that the fork left behind may be half made, so it is not freed.
void forget_handing_over() noexcept {
  if (handing_over.test(std::memory_order_relaxed)) handed_over = nullptr;
  handing_over.clear(std::memory_order_release);
}

}  // namespace tacho::caliper
