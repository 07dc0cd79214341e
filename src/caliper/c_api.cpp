// The C interface (tacho.h), implemented by the C++ interface: handles, output parameters and errno
// values.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>

#include "caliper/c_values.hpp"
#include "caliper/plan_counting.hpp"
#include "caliper/regions.hpp"
#include "caliper/registry.hpp"
#include "caliper/report_file.hpp"
#include "tacho/caliper.hpp"
#include "tacho/counters.hpp"
#include "tacho/report.hpp"
#include "tacho/tacho.h"

namespace {

using tacho::Error;
using tacho::caliper::with_remedy;

// Copies the text, cut to `size` bytes with the final 0.
void copy_cut(std::string_view text, char* message, std::size_t size) {
  if (message == nullptr || size == 0) return;
  message[text.copy(message, size - 1)] = '\0';
}

}  // namespace

struct tacho_counters {
  explicit tacho_counters(tacho::Counters opened)
      : counters(std::move(opened)), explanation(counters.explain()) {
    for (std::size_t event = 0; event < counters.size(); ++event) {
      auto& error = errors.emplace_back();
      if (const Error* const why = counters.error(event)) error = with_remedy(*why);
    }
  }

  tacho::Counters counters;
  std::string explanation;
  std::vector<std::optional<std::string>> errors;
};

uint64_t tacho_ticks() {
  return tacho::ticks();
}

uint64_t tacho_ordered_ticks() {
  return tacho::ordered_ticks();
}

double tacho_ticks_hz() {
  return tacho::tick_clock().hz;
}

tacho_region tacho_region_named(const char* name) {
  return tacho::caliper::Registry::get().number_of(name == nullptr ? "" : name);
}

// In parentheses, because they are macros too.
void(tacho_region_begin)(tacho_region region) {
  tacho::caliper::begin(region, {.stack = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()),
                                 .code = __builtin_return_address(0)});
}

void(tacho_region_end)(tacho_region region) {
  if (tacho::detail::regions_state() != 0) tacho::caliper::end(region);
}

void(tacho_note)(const char* name, uint64_t value) {
  if (name != nullptr) tacho::note(name, value);
}

void tacho_regions_on() {
  tacho::regions_on();
}

void tacho_regions_off() {
  tacho::regions_off();
}

bool tacho_regions_are_on() {
  return tacho::regions_are_on();
}

int tacho_count_in_regions(const char* events, char* message, size_t size) {
  return tacho_count_in_regions_of(TACHO_THIS_THREAD, events, message, size);
}

int tacho_count_in_regions_of(tacho_count_scope scope, const char* events, char* message,
                              size_t size) {
  try {
    const auto names = tacho::caliper::names_in(events == nullptr ? "" : events);
    const std::vector<Error> errors = tacho::count_in_regions(
        names, scope == TACHO_WITH_CHILDREN ? tacho::CountScope::with_children
                                            : tacho::CountScope::this_thread);
    std::string text;
    for (const Error& error : errors) text += (text.empty() ? "" : "\n") + with_remedy(error);
    copy_cut(text, message, size);
    return static_cast<int>(errors.size());
  } catch (const std::bad_alloc&) {
    copy_cut("out of memory", message, size);
    return 1;
  }
}

int tacho_write_regions(const char* format, const char* path) {
  try {
    const auto written = tacho::caliper::write_report(tacho::caliper::process_report(),
                                                      format == nullptr ? "" : format, path);
    return written ? 0 : written.error().code;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

tacho_counters* tacho_counters_open(const char* events) {
  try {
    const auto names = tacho::caliper::names_in(events == nullptr ? "" : events);
    return new tacho_counters(tacho::Counters::open(names));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void tacho_counters_close(tacho_counters* counters) {
  delete counters;
}

size_t tacho_counters_size(const tacho_counters* counters) {
  return counters->counters.size();
}

const char* tacho_counters_name(const tacho_counters* counters, size_t event) {
  return event < counters->counters.size() ? counters->counters.name(event).c_str() : nullptr;
}

const char* tacho_counters_error(const tacho_counters* counters, size_t event) {
  if (event >= counters->errors.size() || !counters->errors[event]) return nullptr;
  return counters->errors[event]->c_str();
}

const char* tacho_counters_explain(const tacho_counters* counters) {
  return counters->explanation.c_str();
}

int tacho_counters_read(tacho_counters* counters, uint64_t* values) {
  return counters->counters.read(values) ? 0 : EPERM;
}

int tacho_counters_counts(tacho_counters* counters, tacho_count* counts) {
  try {
    const std::vector<tacho::Count> all = counters->counters.counts();
    int result = 0;
    for (std::size_t event = 0; event < all.size(); ++event) {
      const tacho::Count& count = all[event];
      counts[event] = {tacho::caliper::status_in_c(count.status), count.value, count.half_width95,
                       count.has_interval, count.share};
      if (count.error.code == EPERM && counters->counters.error(event) == nullptr) result = EPERM;
    }
    return result;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}
