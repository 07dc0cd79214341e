// Uses of fmt that need each part of the archive: StaticProgram.cmake tries whether they link.
#include <fmt/format.h>

int main(int argc, char** argv) {
  return fmt::format("{} {:.3f} {:>{}}", argv[0], 1.5 * argc, 1.5F, 9).size() > 1 ? 0 : 1;
}
