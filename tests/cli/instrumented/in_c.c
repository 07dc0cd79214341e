/* A C program's regions and counters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Prints the figures of a region; and what a program with older and smaller structs gets. */
static void print_figures(const char* name) {
  tacho_report* report = tacho_report_make();
  tacho_region_figures figures;
  tacho_quantity quantity;
  size_t region, i;
  if (report == NULL) return;
  printf("clock %d\n", tacho_report_ticks_hz(report) == tacho_ticks_hz());
  for (region = 0; region < tacho_report_size(report); ++region) {
    figures.size = sizeof figures;
    if (tacho_report_region(report, region, &figures) != 0) continue;
    if (strcmp(figures.name, name) != 0 || figures.name_length != strlen(name)) continue;
    printf("figures: %d executions, %d threads, size %d\n", (int)figures.executions,
           (int)figures.threads, figures.size == sizeof figures);
    for (i = 0; i < figures.quantities; ++i) {
      quantity.size = sizeof quantity;
      if (tacho_report_quantity(report, region, i, &quantity) != 0) continue;
      printf("quantity %s: status %d, ordered %d, mean %d, error %s\n", quantity.name,
             (int)quantity.status,
             quantity.minimum <= quantity.median && quantity.median <= quantity.p99 * 1.01,
             quantity.executions == 0 ||
                 fabs(quantity.mean * 100 - quantity.total) <= 1e-9 * fabs(quantity.total),
             quantity.error == NULL ? "none" : quantity.error);
    }
    figures.size = offsetof(tacho_region_figures, recursions);
    figures.recursions = 77;
    figures.executions = 0;
    i = (size_t)tacho_report_region(report, region, &figures);
    printf("older %d: %d executions, untouched %d\n", (int)i, (int)figures.executions,
           figures.recursions == 77 && figures.size == offsetof(tacho_region_figures, recursions));
  }
  figures.size = 0;
  printf("no size %d, no region %d, no quantity %d\n",
         tacho_report_region(report, 0, &figures) != 0,
         tacho_report_region(report, region, &figures) != 0,
         tacho_report_quantity(report, 0, 99, &quantity) != 0);
  tacho_report_free(report);
  tacho_report_free(NULL);
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
  print_figures("work in C");
  printf("format %d\n", tacho_write_regions("xml", NULL) != 0);
  return 0;
}
