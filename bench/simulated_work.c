/* Small programs whose time is known on this machine and in a simulation: simulated_work NAME
   ROUNDS

   Prepares its data, does one round of NAME, and then ROUNDS more. Prints the median of the
   nanoseconds that these took of CPU time, and the steps of a round. Without NAME it prints all
   names. simulated_pairs.py and simulated_kernels.py run it. All data are in pages of 4 KiB, as
   those of a simulated processor are. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ONE_WAY(x) \
  __asm__ volatile("" : "+r"(x)) /* the compiler knows nothing about x from here on */
#define IN_REGISTER(x) __asm__ volatile("" : "+x"(x))
#define BRANCHES \
  __asm__ volatile("") /* in an if: it becomes a branch, and not a conditional move */
enum { kLine = 64, kMiB = 1 << 20, kMatrix = 200, kCorner = 1024, kMostRounds = 10000 };

static volatile uint64_t result;
static char *memory, *next_free;

/* Memory is never returned: a process does one work. */
static void* obtain(size_t bytes) {
  void* made = next_free;
  next_free += (bytes + 4095) / 4096 * 4096;
  if (next_free > memory + 128 * kMiB) abort();
  return made;
}

static uint64_t drawn = 1;
static uint32_t draw(void) { /* D. Knuth's MMIX generator */
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(drawn >> 33);
}

static void shuffle(uint32_t* of, size_t count) {
  for (size_t i = count - 1; i > 0; i--) {
    const size_t other = draw() % (i + 1);
    const uint32_t kept = of[i];
    of[i] = of[other];
    of[other] = kept;
  }
}

static int smaller(const void* a, const void* b) {
  const uint32_t left = *(const uint32_t*)a, right = *(const uint32_t*)b;
  return (left > right) - (left < right);
}

/* Lists: one pointer in a line, in random order. */
struct node {
  struct node* next;
  uint64_t value;
  char rest[kLine - 16];
};
static struct node* list;

static void make_list(size_t bytes) {
  const size_t count = bytes / kLine;
  struct node* nodes = obtain(bytes);
  uint32_t* order = obtain(count * sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
  shuffle(order, count);
  for (size_t i = 0; i < count; i++) {
    nodes[order[i]].next = &nodes[order[(i + 1) % count]];
    nodes[order[i]].value = i;
  }
  list = &nodes[order[0]];
}

static void list_l1(void) {
  make_list(16 << 10);
}
static void list_l2(void) {
  make_list(256 << 10);
}
static void list_1m(void) {
  make_list(kMiB);
}
static void list_memory(void) {
  make_list(64 * kMiB);
}
static void chase(long steps) {
  const struct node* at = list;
  for (long i = 0; i < steps; i++) at = at->next;
  list = (struct node*)at;
}
static void sum_of_list(long steps) {
  const struct node* at = list;
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++, at = at->next) sum += at->value;
  result = sum;
}

/* Arrays. */
static double *a, *b, *c;
static uint32_t *numbers, *places;
static uint8_t* octets;

static void doubles(size_t bytes) {
  a = obtain(bytes);
  b = obtain(bytes);
  c = obtain(bytes);
  for (size_t i = 0; i < bytes / sizeof *a; i++) a[i] = b[i] = c[i] = 1 + (double)(i % 7);
}
static void doubles_l1(void) {
  doubles(8 << 10);
}
static void doubles_memory(void) {
  doubles(16 * kMiB);
}
static void triad(long steps) {
  for (long i = 0; i < steps; i++) a[i] = b[i] + 3 * c[i];
}
static void read_all(long steps) {
  uint64_t sum = 0;
  const uint64_t* from = (const uint64_t*)a;
  for (long i = 0; i < steps; i++) sum += from[i];
  result = sum;
}
static void read_far(
    long steps) { /* a word in each sixteenth line of a and b, which are neighbours */
  uint64_t sum = 0;
  const uint64_t* from = (const uint64_t*)a;
  for (long i = 0; i < steps; i++) sum += from[i * 128 & (4 * kMiB - 1)];
  result = sum;
}
static void one_sum(long steps) {
  double sum = 0;
  for (long i = 0; i < steps; i++) sum += a[i % 1024];
  result = (uint64_t)sum;
}
static void four_sums(long steps) {
  double sum = 0, second = 0, third = 0, fourth = 0;
  for (long i = 0; i < steps; i += 4) {
    sum += a[i % 1024];
    second += a[i % 1024 + 1];
    third += a[i % 1024 + 2];
    fourth += a[i % 1024 + 3];
  }
  result = (uint64_t)(sum + second + third + fourth);
}
static void horner(long steps) {
  for (long i = 0; i < steps; i++) {
    const double x = b[i % 1024];
    double y = 1;
    for (int k = 0; k < 8; k++) y = y * x + a[k];
    c[i % 1024] = y;
  }
}
static void powers_one_by_one(long steps) { /* the whole chain waits for the round before */
  double y = 1;
  for (long i = 0; i < steps; i++) {
    const double x = b[i % 1024];
    y = 1e-300 * y;
    for (int k = 0; k < 8; k++) y = y * x + a[k];
  }
  result = (uint64_t)y;
}
static void divided(long steps) {
  double by = b[3];
  IN_REGISTER(by);
  for (long i = 0; i < steps; i++) c[i % 1024] = a[i % 1024] / by;
}
static void times_reciprocal(long steps) {
  double by = 1 / b[3];
  IN_REGISTER(by);
  for (long i = 0; i < steps; i++) c[i % 1024] = a[i % 1024] * by;
}

static void matrices(void) {
  doubles(sizeof(double) * kMatrix * kMatrix);
}
static void naive(long steps) {
  for (long i = 0; i < steps / kMatrix / kMatrix; i++)
    for (long j = 0; j < kMatrix; j++) {
      double sum = 0;
      for (long k = 0; k < kMatrix; k++) sum += b[i * kMatrix + k] * c[k * kMatrix + j];
      a[i * kMatrix + j] = sum;
    }
}
static void interchange(long steps) {
  for (long i = 0; i < steps / kMatrix / kMatrix; i++)
    for (long k = 0; k < kMatrix; k++)
      for (long j = 0; j < kMatrix; j++)
        a[i * kMatrix + j] += b[i * kMatrix + k] * c[k * kMatrix + j];
}
static void corner_matrices(void) {
  doubles(sizeof(double) * kCorner * kCorner);
}
static void transpose(long steps) {
  for (long i = 0; i < steps / kCorner; i++)
    for (long j = 0; j < kCorner; j++) a[j * kCorner + i] = b[i * kCorner + j];
}
static void transpose_tiles(long steps) {
  for (long i = 0; i < steps / kCorner; i += 8)
    for (long j = 0; j < kCorner; j += 8)
      for (long k = 0; k < 8; k++)
        for (long m = 0; m < 8; m++) a[(j + k) * kCorner + i + m] = b[(i + m) * kCorner + j + k];
}

/* Numbers at random places. `numbers` has `bytes`; `places` has 64 Ki places in them. */
static uint32_t how_many;
static void random_numbers(size_t bytes) {
  how_many = (uint32_t)(bytes / sizeof *numbers);
  numbers = obtain(bytes);
  for (uint32_t i = 0; i < how_many; i++) numbers[i] = draw();
  places = obtain(65536 * sizeof *places);
  for (uint32_t i = 0; i < 65536; i++) places[i] = draw() % how_many;
}
static void numbers_l1(void) {
  random_numbers(16 << 10);
}
static void numbers_64k(void) {
  random_numbers(256 << 10);
}
static void numbers_memory(void) {
  random_numbers(64 * kMiB);
}
static void sorted_numbers(size_t bytes) {
  random_numbers(bytes);
  qsort(numbers, how_many, sizeof *numbers, smaller);
}
static void sorted_64k(void) {
  sorted_numbers(256 << 10);
}
static void sorted_memory(void) {
  sorted_numbers(8 * kMiB);
}
static void independent_loads(
    long steps) { /* addresses by arithmetic, so no load waits for another */
  uint64_t sum = 0, x = drawn;
  for (long i = 0; i < steps; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    sum += numbers[x >> 40];
  }
  drawn = x;
  result = sum;
}
static void by_places(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) sum += numbers[places[i & 65535]];
  result = sum;
}
static void in_order(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) sum += numbers[i] + places[i & 65535];
  result = sum;
}
static void search(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) {
    const uint32_t key = numbers[places[i & 65535]];
    uint32_t from = 0, to = how_many;
    while (to - from > 1) {
      const uint32_t middle = from + (to - from) / 2;
      if (numbers[middle] <= key) {
        BRANCHES;
        from = middle;
      } else {
        to = middle;
      }
    }
    sum += from;
  }
  result = sum;
}
static uint32_t* hashed;
static void hash_64k(void) {
  sorted_64k();
  hashed = obtain((1u << 18) * sizeof *hashed);
  for (uint32_t i = 0; i < how_many; i++) {
    uint32_t at = numbers[i] * 2654435769u >> 14;
    while (hashed[at]) at = (at + 1) & ((1u << 18) - 1);
    hashed[at] = numbers[i];
  }
}
static void find_hashed(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) {
    const uint32_t key = numbers[places[i & 65535]];
    uint32_t at = key * 2654435769u >> 14;
    while (hashed[at] != key) at = (at + 1) & ((1u << 18) - 1);
    sum += at;
  }
  result = sum;
}
static uint32_t* copy;
static void unsorted_copy(void) {
  numbers_64k();
  copy = obtain(how_many * sizeof *copy);
}
static void quicksort(uint32_t* from, uint32_t* to) {
  while (to - from > 1) {
    const uint32_t pivot = from[(to - from) / 2];
    uint32_t *low = from, *high = to - 1;
    while (low <= high) {
      while (*low < pivot) low++;
      while (*high > pivot) high--;
      if (low > high) break;
      const uint32_t kept = *low;
      *low++ = *high;
      *high-- = kept;
    }
    quicksort(from, high + 1);
    from = low;
  }
}
static void sort(long steps) { /* a step is a number */
  memcpy(copy, numbers, (size_t)steps * sizeof *copy);
  quicksort(copy, copy + steps);
}
static void add_large(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++)
    if (numbers[i & 65535] >= 0x40000000u) {
      BRANCHES;
      sum += numbers[i & 65535];
    }
  result = sum;
}
static void random_branch(long steps) {
  uint64_t sum = 0, x = drawn;
  for (long i = 0; i < steps; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    if (x >> 63) {
      BRANCHES;
      sum++;
    }
  }
  drawn = x;
  result = sum;
}

/* Structures of 64 bytes, of which one number is needed. */
static void sum_of_structures(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) sum += ((const uint64_t*)a)[i * 8];
  result = sum;
}

/* Arithmetic. */
static void nothing(void) {}
static void additions(long steps) { /* the clock: each takes a cycle */
  uint64_t x = 1;
  for (long i = 0; i < steps; i += 16) __asm__ volatile(".rept 16\nadd %0, %0\n.endr" : "+r"(x));
  result = x;
}
static void float_chain(long steps) {
  double sum = 0, more = 1;
  for (long i = 0; i < steps; i++) {
    sum += more;
    IN_REGISTER(sum);
  }
  result = (uint64_t)sum;
}
static void divide_loop(
    long steps) { /* each quotient is the next dividend's part, as in Euclid's algorithm */
  uint64_t x = 123456789;
  for (long i = 0; i < steps; i++) {
    ONE_WAY(x);
    x = (uint64_t)i * 1000003u % (x | 1) + 7919;
  }
  result = x;
}
static void multiply_loop(long steps) {
  uint64_t x = 123456789;
  for (long i = 0; i < steps; i++) {
    ONE_WAY(x);
    x = (uint64_t)i * 1000003u * (x | 1) + 7919;
  }
  result = x;
}
static void multiply_chain(long steps) {
  uint64_t x = 3;
  for (long i = 0; i < steps; i += 4) __asm__ volatile(".rept 4\nimul %0, %0\n.endr" : "+r"(x));
  result = x;
}
static void multiply_four(long steps) {
  uint64_t x = 3, y = 5, z = 7, w = 9;
  for (long i = 0; i < steps; i += 4)
    __asm__ volatile("imul %0, %0\nimul %1, %1\nimul %2, %2\nimul %3, %3"
                     : "+r"(x), "+r"(y), "+r"(z), "+r"(w));
  result = x + y + z + w;
}

/* A place in memory. */
static void octets_random(void) {
  octets = obtain(65536);
  for (int i = 0; i < 65536; i++) octets[i] = (uint8_t)draw();
}
static uint64_t place;
static void stored_in_halves(long steps) { /* a load can't get its octets from two stores */
  uint64_t x = 1;
  for (long i = 0; i < steps; i++)
    __asm__ volatile("mov %k0, (%1)\nmov %k0, 4(%1)\nmov (%1), %0"
                     : "+r"(x)
                     : "r"(&place)
                     : "memory");
  result = x;
}
static void stored_whole(long steps) {
  uint64_t x = 1;
  for (long i = 0; i < steps; i++)
    __asm__ volatile("mov %0, (%1)\nmov (%1), %0" : "+r"(x) : "r"(&place) : "memory");
  result = x;
}

/* Calls and choices by a random octet. */
typedef uint64_t Function(uint64_t);
static __attribute__((noinline)) uint64_t plus(uint64_t x) {
  return x + 11;
}
static __attribute__((noinline)) uint64_t xored(uint64_t x) {
  return x ^ 12;
}
static __attribute__((noinline)) uint64_t rotated(uint64_t x) {
  return x << 5 | x >> 59;
}
static __attribute__((noinline)) uint64_t tripled(uint64_t x) {
  return x * 3;
}
static Function* const kFunctions[4] = {plus, xored, rotated, tripled};
static void virtual_calls(long steps) {
  uint64_t x = 1;
  for (long i = 0; i < steps; i++) x = kFunctions[octets[i & 65535] & 3](x);
  result = x;
}
static void direct_calls(long steps) {
  uint64_t x = 1;
  for (long i = 0; i < steps; i++) x = tripled(x) + octets[i & 65535];
  result = x;
}
static void by_switch(long steps) {
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) {
    switch (octets[i & 65535] & 7) {
      case 0:
        BRANCHES;
        sum += 3;
        break;
      case 1:
        BRANCHES;
        sum ^= 1;
        break;
      case 2:
        BRANCHES;
        sum += 4;
        break;
      case 3:
        BRANCHES;
        sum ^= 9;
        break;
      case 4:
        BRANCHES;
        sum += 5;
        break;
      case 5:
        BRANCHES;
        sum ^= 2;
        break;
      case 6:
        BRANCHES;
        sum += 6;
        break;
      default:
        BRANCHES;
        sum ^= 8;
        break;
    }
  }
  result = sum;
}
static void by_table(long steps) {
  static const uint8_t kAdded[8] = {3, 0, 4, 0, 5, 0, 6, 0}, kXored[8] = {0, 1, 0, 9, 0, 2, 0, 8};
  uint64_t sum = 0;
  for (long i = 0; i < steps; i++) {
    const unsigned kind = octets[i & 65535] & 7;
    sum = (sum + kAdded[kind]) ^ kXored[kind];
  }
  result = sum;
}
static uint32_t remainders[256];
static void octets_and_remainders(void) {
  octets_random();
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t x = i;
    for (int bit = 0; bit < 8; bit++) x = x >> 1 ^ (0xedb88320u & -(x & 1));
    remainders[i] = x;
  }
}
static void crc_by_bits(long steps) {
  uint32_t crc = ~0u;
  for (long i = 0; i < steps; i++) {
    crc ^= octets[i & 65535];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
      ONE_WAY(crc);
    }
  }
  result = crc;
}
static void crc_by_table(long steps) {
  uint32_t crc = ~0u;
  for (long i = 0; i < steps; i++) crc = crc >> 8 ^ remainders[(crc ^ octets[i & 65535]) & 255];
  result = crc;
}
static uint8_t* octets_to;
static void two_buffers(void) {
  octets_random();
  octets_to = obtain(65536);
}
static void copy_octets(long steps) { /* a step is eight octets */
  for (long i = 0; i < steps * 8; i++) {
    uint64_t x = octets[i & 65535];
    ONE_WAY(x);
    octets_to[i & 65535] = (uint8_t)x;
  }
}
static void copy_words(long steps) {
  for (long i = 0; i < steps; i++) {
    uint64_t x = ((const uint64_t*)octets)[i & 8191];
    ONE_WAY(x);
    ((uint64_t*)octets_to)[i & 8191] = x;
  }
}

static const struct work {
  const char* name;
  void (*prepare)(void);
  void (*round)(long steps);
  long steps;
} kWorks[] = {
    {"additions", nothing, additions, 1 << 20},
    {"triad of 48 MiB", doubles_memory, triad, 2 * kMiB},
    {"read 16 MiB", doubles_memory, read_all, 2 * kMiB},
    {"read each 16th line", doubles_memory, read_far, 1 << 18},
    {"read as many words in a row", doubles_memory, read_all, 1 << 18},
    {"independent loads, 64 MiB", numbers_memory, independent_loads, 1 << 16},
    {"addsd chain", nothing, float_chain, 1 << 19},
    {"chase in L1", list_l1, chase, 1 << 19},
    {"chase in L2", list_l2, chase, 1 << 18},
    {"chase of 64 MiB", list_memory, chase, 1 << 15},
    {"binary search in 8 MiB", sorted_memory, search, 1 << 12},
    {"quicksort", unsorted_copy, sort, 65536},
    {"random branch", nothing, random_branch, 1 << 18},
    {"division loop", nothing, divide_loop, 1 << 17},
    {"chase in L2, 2 Mi steps", list_l2, chase, 2 * kMiB},
    {"naive product", matrices, naive, kMatrix* kMatrix* kMatrix},
    {"interchanged product", matrices, interchange, kMatrix* kMatrix* kMatrix},
    {"branch on unsorted", numbers_64k, add_large, 1 << 19},
    {"branch on sorted", sorted_64k, add_large, 1 << 19},
    {"structures", doubles_memory, sum_of_structures, 1 << 17},
    {"field in an array", doubles_memory, read_all, 1 << 17},
    {"multiplication loop", nothing, multiply_loop, 1 << 17},
    {"dependent imul", nothing, multiply_chain, 1 << 19},
    {"independent imul", nothing, multiply_four, 1 << 19},
    {"one sum", doubles_l1, one_sum, 1 << 19},
    {"four sums", doubles_l1, four_sums, 1 << 19},
    {"polynomials, each after the other", doubles_l1, powers_one_by_one, 1 << 16},
    {"polynomials, independent", doubles_l1, horner, 1 << 16},
    {"stored in halves, loaded whole", nothing, stored_in_halves, 1 << 18},
    {"stored and loaded whole", nothing, stored_whole, 1 << 18},
    {"random places, 64 MiB", numbers_memory, by_places, 65536},
    {"places in order, 64 MiB", numbers_memory, in_order, 65536},
    {"table of 16 KiB, random", numbers_l1, by_places, 1 << 18},
    {"table of 256 KiB, random", numbers_64k, by_places, 1 << 18},
    {"virtual calls", octets_random, virtual_calls, 1 << 18},
    {"direct calls", octets_random, direct_calls, 1 << 18},
    {"switch", octets_random, by_switch, 1 << 18},
    {"table in place of a switch", octets_random, by_table, 1 << 18},
    {"copy by octets", two_buffers, copy_octets, 1 << 17},
    {"copy by words", two_buffers, copy_words, 1 << 17},
    {"list of 1 MiB", list_1m, sum_of_list, 1 << 16},
    {"array in place of the list", doubles_memory, read_all, 1 << 16},
    {"binary search, 64 Ki numbers", sorted_64k, search, 1 << 14},
    {"hash table, 64 Ki numbers", hash_64k, find_hashed, 1 << 14},
    {"transpose", corner_matrices, transpose, kCorner* kCorner},
    {"transpose in tiles", corner_matrices, transpose_tiles, kCorner* kCorner},
    {"floating-point division", doubles_l1, divided, 1 << 19},
    {"times the reciprocal", doubles_l1, times_reciprocal, 1 << 19},
    {"CRC by bits", octets_and_remainders, crc_by_bits, 1 << 16},
    {"CRC by a table", octets_and_remainders, crc_by_table, 1 << 16},
};

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int shorter(const void* left, const void* right) {
  return (*(const double*)left > *(const double*)right) -
         (*(const double*)left < *(const double*)right);
}

int main(int argc, char** argv) {
  const size_t count = sizeof kWorks / sizeof *kWorks;
  const long rounds = argc == 3 ? atol(argv[2]) : 0;
  static double taken[kMostRounds];
  if (argc == 1)
    for (size_t i = 0; i < count; i++) puts(kWorks[i].name);
  if (argc == 1) return 0;
  if (rounds < 1 || rounds > kMostRounds) return 2;
  memory = next_free =
      mmap(NULL, 128 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 3;
  madvise(memory, 128 * kMiB, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < count; i++) {
    const struct work* work = &kWorks[i];
    if (strcmp(work->name, argv[1]) != 0) continue;
    work->prepare();
    work->round(work->steps);
    for (long k = 0; k < rounds; k++) {
      const double begin = now_ns();
      work->round(work->steps);
      taken[k] = now_ns() - begin;
    }
    qsort(taken, (size_t)rounds, sizeof *taken, shorter);
    printf("%.0f %ld\n", taken[rounds / 2], work->steps);
    return 0;
  }
  return 2;
}
