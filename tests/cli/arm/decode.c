/* Decodes instructions as the simulator does, for test_arm_decoder.py. Its argument is a64, a32 or
 * t32. Each line of input has an instruction's address and code in hexadecimal, and 1 if it has 32
 * bits. Each line of output has its kinds of branch, access and operation, and its target. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arm_instruction.h"

int main(int argc, char** argv) {
  struct it_block it = {0};
  uint64_t address;
  uint32_t code;
  int wide;
  if (argc != 2) return 1;
  while (scanf("%" SCNx64 " %" SCNx32 " %d", &address, &code, &wide) == 3) {
    struct arm_instruction i;
    memset(&i, 0, sizeof i);
    if (strcmp(argv[1], "a64") == 0)
      decode_a64(address, code, &i);
    else if (strcmp(argv[1], "a32") == 0)
      decode_a32(address, code, &i);
    else
      decode_t32(address, code, wide, &it, &i);
    printf("%d %d %d %" PRIx64 "\n", i.leave, i.memory, i.class, i.target);
  }
  return 0;
}
