/* A C99 program of a user: regions by handles, counters, and a report in a file. */
#include <stdio.h>
#include <string.h>
#include <tacho/tacho.h>

static void work(tacho_region outer, tacho_region inner, int times) {
  int i, j;
  for (i = 0; i < times; ++i) {
    tacho_region_begin(outer);
    for (j = 0; j < 3; ++j) {
      uint64_t begin;
      tacho_region_begin(inner);
      begin = tacho_ordered_ticks();
      while (tacho_ordered_ticks() - begin < 1000) {
      }
      tacho_region_end(inner);
    }
    tacho_region_end(outer);
  }
}

int main(void) {
  tacho_counters* counters = tacho_counters_open("task-clock,no-such-event");
  uint64_t values[2] = {0, 0};
  tacho_count counts[2];
  if (counters == NULL || tacho_counters_size(counters) != 2) return 1;
  tacho_regions_on();
  if (tacho_counters_error(counters, 1) == NULL) return 2; /* there is no such event */
  work(tacho_region_named("outer"), tacho_region_named("inner"), 14);
  if (tacho_counters_error(counters, 0) == NULL &&
      (tacho_counters_read(counters, values) != 0 || values[0] == 0))
    return 3;
  if (values[1] != 0) return 4;
  if (tacho_counters_counts(counters, counts) != 0) return 6;
  if (counts[0].status == TACHO_COUNTED && !counts[0].has_interval) return 7;
  if (counts[1].status != TACHO_UNAVAILABLE || counts[1].has_interval) return 8;
  tacho_counters_close(counters);
  if (tacho_write_regions("no such format", NULL) == 0) return 5;
  return tacho_write_regions("json", "/dev/stdout");
}
