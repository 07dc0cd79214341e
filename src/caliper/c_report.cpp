// The figures of regions for C (tacho.h): a report that lives until it is freed, and structs that a
// program of an older header reads as far as it knows them.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "caliper/c_values.hpp"
#include "tacho/report.hpp"
#include "tacho/tacho.h"

struct tacho_report {
  explicit tacho_report(tacho::RegionReport made) : report(std::move(made)) {
    for (const tacho::RegionFigures& region : report.regions) {
      auto& reasons = errors.emplace_back();
      for (const tacho::Quantity& quantity : region.quantities)
        reasons.push_back(tacho::caliper::with_remedy(quantity.error));
    }
  }

  tacho::RegionReport report;
  std::vector<std::vector<std::string>> errors;  // by region and quantity
};

namespace {

// Writes as much as the caller's struct has room for. Both begin with their size.
template <class Struct>
int copy_sized(Struct whole, Struct* to) {
  const std::size_t size = std::min(to->size, sizeof whole);
  if (size < sizeof to->size) return EINVAL;
  whole.size = size;
  std::memcpy(static_cast<void*>(to), &whole, size);
  return 0;
}

}  // namespace

tacho_report* tacho_report_make() {
  try {
    return new tacho_report(tacho::region_report());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void tacho_report_free(tacho_report* report) {
  delete report;
}

double tacho_report_ticks_hz(const tacho_report* report) {
  return report->report.clock.hz;
}

size_t tacho_report_size(const tacho_report* report) {
  return report->report.regions.size();
}

int tacho_report_region(const tacho_report* report, size_t region, tacho_region_figures* figures) {
  if (region >= report->report.regions.size()) return EINVAL;
  const tacho::RegionFigures& of = report->report.regions[region];
  tacho_region_figures whole{};
  whole.name = of.name.c_str();
  whole.name_length = of.name.size();
  whole.executions = of.executions;
  whole.recursions = of.recursions;
  whole.threads = of.threads;
  whole.unfinished = of.unfinished;
  whole.quantities = of.quantities.size();
  whole.too_short = of.too_short;
  return copy_sized(whole, figures);
}

int tacho_report_quantity(const tacho_report* report, size_t region, size_t quantity,
                          tacho_quantity* figures) {
  if (region >= report->report.regions.size() ||
      quantity >= report->report.regions[region].quantities.size())
    return EINVAL;
  const tacho::Quantity& of = report->report.regions[region].quantities[quantity];
  const std::string& error = report->errors[region][quantity];
  tacho_quantity whole{};
  whole.name = of.name.c_str();
  whole.unit = of.unit.c_str();
  whole.error = error.empty() ? nullptr : error.c_str();
  whole.status = tacho::caliper::status_in_c(of.status);
  whole.has_interval = of.has_interval;
  whole.executions = of.executions;
  whole.total = of.total;
  whole.half_width95 = of.half_width95;
  whole.share = of.share;
  whole.minimum = of.minimum;
  whole.mean = of.mean;
  whole.median = of.median;
  whole.p99 = of.p99;
  whole.maximum = of.maximum;
  whole.cost = of.cost;
  return copy_sized(whole, figures);
}
