// A static array of 3 GiB.
#include <stdio.h>

static char array[3ul << 30];

int main(void) {
  array[2ul << 30] = 1;
  printf("%d\n", array[2ul << 30]);
  return 0;
}
