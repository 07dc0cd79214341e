/* A C program's regions and counters. */
#include <stdio.h>
#include <stdlib.h>
#include <tacho/tacho.h>

/* Begins and ends what are no handles, and says how many bytes of the program's own memory changed.
 */
static int overwritten(void) {
  enum { kBlocks = 500, kSize = 1000 };
  static char* blocks[kBlocks];
  tacho_region none;
  int changed = 0;
  int i, k;
  for (i = 0; i < kBlocks; ++i) {
    blocks[i] = calloc(1, kSize);
    if (blocks[i] == NULL) return -1;
  }
  for (none = 20; none < 40000; none += 7) {
    tacho_region_begin(none);
    tacho_region_end(none);
  }
  for (i = 0; i < kBlocks; ++i)
    for (k = 0; k < kSize; ++k) changed += blocks[i][k] != 0;
  for (i = 0; i < kBlocks; ++i) free(blocks[i]);
  return changed;
}

int main(void) {
  char message[400] = "";
  const int refused = tacho_count_in_regions("page-faults,no-such-event", message, sizeof message);
  tacho_region work = tacho_region_named("work in C");
  tacho_counters* counters;
  tacho_count counts[2];
  uint64_t values[2] = {7, 7};
  int i;

  printf("refused %d: %s\n", refused, message);
  printf("on %d\n", tacho_regions_are_on());
  for (i = 0; i < 100; ++i) {
    tacho_region_begin(work);
    tacho_region_end(work);
  }
  tacho_region_begin(0);
  tacho_region_end(0);
  printf("overwritten %d\n", overwritten());
  printf("same %d\n", tacho_region_named("work in C") == work);

  counters = tacho_counters_open("page-faults,no-such-event");
  if (counters == NULL) return 1;
  i = tacho_counters_read(counters, values);
  printf("read %d, second %d\n", i, (int)values[1]);
  i = tacho_counters_counts(counters, counts);
  printf("counts %d, second %d\n", i, (int)counts[1].status);
  printf("%s: %s\n", tacho_counters_name(counters, 1), tacho_counters_error(counters, 1));
  printf("none %d\n", tacho_counters_name(counters, 2) == NULL);
  printf("%s\n", tacho_counters_explain(counters));
  tacho_counters_close(counters);
  tacho_counters_close(NULL);
  printf("ticks %d\n", tacho_ordered_ticks() > 0 && tacho_ticks_hz() > 1e6);
  printf("format %d\n", tacho_write_regions("xml", NULL) != 0);
  return 0;
}
