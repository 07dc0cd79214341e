// stores COUNT: calls a function COUNT times that stores a word, and reads it every second time.
// Prints the address of the word and of the function, which are the same in each run.
#include <cstdio>
#include <cstdlib>

namespace {

volatile long word = 0;

[[gnu::noinline]] void store(long value) {
  word = value;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 0;
  long read = 0;
  for (long i = 0; i < count; ++i) {
    store(i);
    if (i % 2 == 1) read += word;
  }
  std::printf("%p %p\n", const_cast<void*>(static_cast<volatile void*>(&word)),
              reinterpret_cast<void*>(store));
  return read < 0 ? 1 : 0;
}
