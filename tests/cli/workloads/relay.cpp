// Stages hand a token on: each computes, or sleeps, and then wakes the next. A thread beside them
// computes all the time, and no stage waits for it. Prints what was on the way of the token, in
// seconds: the CPU time that the stages computed, the time that this took, and the time that one of
// them slept.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 20;
constexpr std::size_t kStages = 3;
std::array<sem_t, kStages + 1> turns;           // of each stage; and the end of a round
volatile bool over = false;                     // never: a compiler must not know
double computed = 0, computing = 0, slept = 0;  // in seconds; the token protects them

double seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

[[gnu::noinline]] void computes() {
  constexpr double kTime = 0.004;
  const double begun_by_clock = seconds(CLOCK_MONOTONIC);
  const double begun = seconds(CLOCK_THREAD_CPUTIME_ID);
  double now = begun;
  while (now < begun + kTime) now = seconds(CLOCK_THREAD_CPUTIME_ID);
  computed += now - begun;
  computing += seconds(CLOCK_MONOTONIC) - begun_by_clock;
}

[[gnu::noinline]] void sleeps() {
  const double begun = seconds(CLOCK_MONOTONIC);
  const timespec time{.tv_sec = 0, .tv_nsec = 3'000'000};
  ::nanosleep(&time, nullptr);
  slept += seconds(CLOCK_MONOTONIC) - begun;
}

[[gnu::noinline]] void spins_aside() {
  while (!over) {
  }
}

void stage(std::size_t number) {
  ::pthread_setname_np(::pthread_self(), "stage");
  for (int round = 0; round < kRounds; ++round) {
    while (::sem_wait(&turns.at(number)) != 0) {
    }
    if (number == 1)
      sleeps();
    else
      computes();
    ::sem_post(&turns.at(number + 1));
  }
}

}  // namespace

int main() {
  for (sem_t& turn : turns) ::sem_init(&turn, 0, 0);
  std::thread([] {
    ::pthread_setname_np(::pthread_self(), "aside");
    spins_aside();
  }).detach();
  std::vector<std::thread> stages;
  for (std::size_t i = 0; i < kStages; ++i) stages.emplace_back(stage, i);
  for (int round = 0; round < kRounds; ++round) {
    ::sem_post(&turns.front());
    while (::sem_wait(&turns.back()) != 0) {
    }
  }
  for (std::thread& each : stages) each.join();
  std::printf("computed %.6f\ncomputing %.6f\nslept %.6f\n", computed, computing, slept);
}
