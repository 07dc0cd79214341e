/* The C interface of tacho: regions and counters of a program's own code. C99 or later. A program
 * that uses it needs no C++ compiler.
 *
 *   tacho_region insert = tacho_region_named("insert");
 *   tacho_region_begin(insert);
 *   ...
 *   tacho_region_end(insert);
 *
 * A function has the name of its C++ counterpart: tacho_counters_read() is Counters::read(). The
 * C++ headers caliper.hpp, control.hpp, counters.hpp, report.hpp and ticks.hpp describe meaning,
 * threads and forks. docs/reference/regions.md gives the cost of each call.
 *
 * Errors: a function reports an error by its result alone. None writes anything unless asked to.
 * Threads: all functions are thread-safe, except those of one tacho_counters object. It belongs to
 * the thread that opened it.
 * Regions are off until something turns them on: see caliper.hpp. While they are off, begin and end
 * cost one load and a branch each.
 * With -DTACHO_OFF, begin and end compile to nothing, and each region handle is 0.
 */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

/* The headers, names and typedefs of C. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming,readability-redundant-declaration) */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tacho/version.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The clock: as ticks(), ordered_ticks() and tick_clock().hz of ticks.hpp. */
uint64_t tacho_ticks(void);
uint64_t tacho_ordered_ticks(void);
double tacho_ticks_hz(void);

/* The handle of a region. 0 is no region: begin and end do nothing. If a number is no handle, begin
 * does nothing, and end counts as an end without a begin. */
typedef uint32_t tacho_region;

#ifdef TACHO_OFF
#define tacho_region_named(name) ((tacho_region)0)
#define tacho_region_begin(region) ((void)(region))
#define tacho_region_end(region) ((void)(region))
#define tacho_note(name, value) ((void)(name), (void)(value))
#else
/* The region with this name: the same handle each time. It copies the name and takes a lock, so
 * call it once for each region. Returns 0 if memory runs out. */
tacho_region tacho_region_named(const char* name);
void tacho_region_begin(tacho_region region);
void tacho_region_end(tacho_region region);

/* As note() of caliper.hpp: a value of the program's own for the execution that runs. Does nothing
 * if `name` is null. */
void tacho_note(const char* name, uint64_t value);

/* For the inline functions below: 0 until regions are turned on for the first time. */
extern uint32_t tacho_regions_state;

/* The calls above, left out while regions are off. Other languages call the functions themselves.
 */
static inline __attribute__((always_inline)) void tacho_region_begin_if_on(tacho_region region) {
  if ((__atomic_load_n(&tacho_regions_state, __ATOMIC_RELAXED) & 0xff01) != 0)
    tacho_region_begin(region);
}
static inline __attribute__((always_inline)) void tacho_region_end_if_on(tacho_region region) {
  if (__atomic_load_n(&tacho_regions_state, __ATOMIC_RELAXED) != 0) tacho_region_end(region);
}
static inline __attribute__((always_inline)) void tacho_note_if_on(const char* name,
                                                                   uint64_t value) {
  if ((__atomic_load_n(&tacho_regions_state, __ATOMIC_RELAXED) & 1) != 0) tacho_note(name, value);
}
#define tacho_note(name, value) tacho_note_if_on(name, value)
#define tacho_region_begin(region) tacho_region_begin_if_on(region)
#define tacho_region_end(region) tacho_region_end_if_on(region)
#endif

/* As regions_on(), regions_off() and regions_are_on() of caliper.hpp. */
void tacho_regions_on(void);
void tacho_regions_off(void);
bool tacho_regions_are_on(void);

/* As control() of control.hpp: turns the counting of the tacho that launched the program on or off.
 * Returns whether tacho has obeyed. */
bool tacho_control(bool on);

/* As CountScope of counters.hpp. */
typedef enum tacho_count_scope { TACHO_THIS_THREAD, TACHO_WITH_CHILDREN } tacho_count_scope;

/* Chooses the events that every region counts: names separated by commas. Call it before the first
 * region begins. Returns the number of events that cannot be counted, so 0 if all can. `message`,
 * unless it is null, then gets the reasons, cut to `size` bytes with the final 0. */
int tacho_count_in_regions(const char* events, char* message, size_t size);
/* The same, with a scope. */
int tacho_count_in_regions_of(tacho_count_scope scope, const char* events, char* message,
                              size_t size);

/* Writes a report of the regions in the format "text", "json" or "csv". It appends to the file at
 * `path`, or writes to standard error if `path` is null. Returns 0 or an errno value (EINVAL: no
 * such format). */
int tacho_write_regions(const char* format, const char* path);

/* As CountStatus. */
typedef enum tacho_count_status {
  TACHO_COUNTED,
  TACHO_ESTIMATED,
  TACHO_UNAVAILABLE
} tacho_count_status;

/* The figures of all regions up to now: see report.hpp. A report does not change, and its texts are
 * valid until it is freed. */
typedef struct tacho_report tacho_report;
tacho_report* tacho_report_make(void);        /* null if memory runs out */
void tacho_report_free(tacho_report* report); /* null is allowed */
double tacho_report_ticks_hz(const tacho_report* report);
size_t tacho_report_size(const tacho_report* report); /* the number of regions */

/* As RegionFigures and Quantity. Set `size` to the size of your struct before a call. The library
 * writes no more than that, and sets `size` to what it has written. Later versions may have more
 * fields at the end. */
typedef struct tacho_region_figures {
  size_t size;
  const char* name; /* it ends with a 0, and may contain others */
  size_t name_length;
  uint64_t executions;
  uint64_t recursions;
  uint64_t threads;
  uint64_t unfinished;
  size_t quantities; /* the ticks, then the events, then the notes */
  bool too_short;
} tacho_region_figures;

typedef struct tacho_quantity {
  size_t size;
  const char* name;
  const char* unit;
  const char* error; /* why it is not counted, with the remedy; null if it is counted */
  uint64_t executions;
  double total;
  double half_width95;
  double share;
  double minimum;
  double mean;
  double median;
  double p99;
  double maximum;
  double cost;
  tacho_count_status status;
  bool has_interval;
} tacho_quantity;

/* Return 0; or EINVAL, if there is no such region or quantity, or if `size` is not set. */
int tacho_report_region(const tacho_report* report, size_t region, tacho_region_figures* figures);
int tacho_report_quantity(const tacho_report* report, size_t region, size_t quantity,
                          tacho_quantity* figures);

typedef struct tacho_counters tacho_counters;

/* Opens events: names separated by commas. Returns null if memory runs out. An event that cannot be
 * counted has an error: see tacho_counters_error. */
tacho_counters* tacho_counters_open(const char* events);
void tacho_counters_close(tacho_counters* counters); /* null is allowed */
size_t tacho_counters_size(const tacho_counters* counters);
/* These texts are valid until tacho_counters_close(). They are null if `event` is not below the
 * size. */
const char* tacho_counters_name(const tacho_counters* counters, size_t event);
/* Why the event is not counted, with the remedy; null if it is counted. */
const char* tacho_counters_error(const tacho_counters* counters, size_t event);
const char* tacho_counters_explain(const tacho_counters* counters);

/* The fast path, as Counters::read(). Returns 0, or EPERM if this thread may not read the counters
 * or if another user disturbed them. */
int tacho_counters_read(tacho_counters* counters, uint64_t* values);

/* As Count: `status` says whether `value` holds, and `has_interval` says whether `half_width95`
 * holds. A field that does not hold is 0 and means nothing. */
typedef struct tacho_count {
  tacho_count_status status;
  double value;        /* in the event's unit: ns for clocks */
  double half_width95; /* of the 95 % interval of `value`; 0 if counted */
  bool has_interval;
  double share; /* 0 to 1: the part of the time during which the event was counted */
} tacho_count;

/* The counts since the opening, in `counts`, an array of tacho_counters_size() elements. Returns 0;
 * EPERM, if another thread than the opener calls it; or ENOMEM, and then `counts` is unchanged. */
int tacho_counters_counts(tacho_counters* counters, tacho_count* counts);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming,readability-redundant-declaration) */
#endif
