/* tacho for C: regions and counters of one's own program. C99 or later; needs libc alone.
 * What the functions mean, and their cost, threads and forks, is told in caliper.hpp, counters.hpp
 * and report.hpp, of which they are the C side. All are thread-safe but for those of one
 * tacho_counters, which belongs to the thread that opened it. None fails otherwise than by its
 * result, and none writes anything unless asked to.
 *
 *   tacho_region insert = tacho_region_named("insert");
 *   tacho_region_begin(insert);
 *   ...
 *   tacho_region_end(insert);
 *
 * With -DTACHO_OFF, begin and end compile to nothing, and handles are 0.
 */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include <stddef.h>
#include <stdint.h>

/* C, with the names and the typedefs of C. */
/* NOLINTBEGIN(modernize-*,readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The clock (ticks.hpp): as it comes, and ordered; and how many of its ticks a second has. */
uint64_t tacho_ticks(void);
uint64_t tacho_ordered_ticks(void);
double tacho_ticks_hz(void);

/* A region's handle; 0 is none, and may be begun and ended without effect. A number that is nobody's
 * handle is begun without effect too, and its end is one of a region that had not begun. */
typedef uint32_t tacho_region;

#ifdef TACHO_OFF
#define tacho_region_named(name) ((tacho_region)0)
#define tacho_region_begin(region) ((void)(region))
#define tacho_region_end(region) ((void)(region))
#else
/* The region of that name, which is copied: the same handle each time. Locks; to be asked for once.
 * 0 when memory is out. */
tacho_region tacho_region_named(const char* name);
void tacho_region_begin(tacho_region region);
void tacho_region_end(tacho_region region);
#endif

/* What every region is to count, separated by commas; before the first region begins. 0 when all
 * can be counted, else the number of those that can't; `message`, unless null, then has why, cut to
 * `size` bytes with the final 0. */
int tacho_count_in_regions(const char* events, char* message, size_t size);

/* Writes a report of the regions: "text", "json" or "csv", appended to the file, or to standard
 * error when `path` is null. 0, or an errno (EINVAL: no such format). */
int tacho_write_regions(const char* format, const char* path);

typedef struct tacho_counters tacho_counters;

/* Opens events, separated by commas. Null when memory is out; what can't be counted is told for
 * each event by tacho_counters_error. */
tacho_counters* tacho_counters_open(const char* events);
void tacho_counters_close(tacho_counters* counters); /* null is allowed */
size_t tacho_counters_size(const tacho_counters* counters);
/* Texts live as long as the counters; null when there is no such event. */
const char* tacho_counters_name(const tacho_counters* counters, size_t event);
/* Why it is not counted, with the remedy; null when it is. */
const char* tacho_counters_error(const tacho_counters* counters, size_t event);
const char* tacho_counters_explain(const tacho_counters* counters);

/* The fast path: as Counters::read. 0, or EPERM when this thread may not read them. */
int tacho_counters_read(tacho_counters* counters, uint64_t* values);

enum tacho_status { TACHO_COUNTED, TACHO_ESTIMATED, TACHO_UNAVAILABLE };
typedef struct tacho_count {
  enum tacho_status status;
  double value;        /* means nothing when unavailable */
  double half_width95; /* of the 95 % interval; negative when there were too few turns for one */
  double share;        /* of the time during which it was counted */
} tacho_count;
/* All since the opening, in `counts`, which has size places. 0, EPERM, or ENOMEM. */
int tacho_counters_counts(tacho_counters* counters, tacho_count* counts);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */
#endif
