// Writes a function, calls it, overwrites it and calls it again, as a JIT compiler does.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
  unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3};  // mov $n, %eax; ret
  unsigned char* const page =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int sum = 0;
  if (page == MAP_FAILED) return 1;
  for (int i = 0; i < 200; ++i) {
    code[1] = (unsigned char)i;
    memcpy(page, code, sizeof code);
    sum += ((int (*)(void))(void*)page)();
  }
  printf("%d\n", sum);
  return 0;
}
