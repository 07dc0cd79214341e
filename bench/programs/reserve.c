// reserve ADDRESS BYTES: maps memory there (hexadecimal), without room for it, and uses one page of
// each GiB.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int count, char** args) {
  void* const wanted = (void*)(count > 1 ? strtoull(args[1], NULL, 16) : 0);
  const unsigned long bytes = count > 2 ? strtoull(args[2], NULL, 16) : 4096;
  char* const area = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  long sum = 0;
  if (area == MAP_FAILED) return 1;
  for (unsigned long at = 0; at < bytes; at += 1ul << 30) area[at] = 1;
  for (unsigned long at = 0; at < bytes; at += 1ul << 30) sum += area[at];
  printf("%ld\n", sum);
  return 0;
}
