// Four threads that count under one mutex.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void* add(void* unused) {
  for (int i = 0; i < 5000; ++i) {
    pthread_mutex_lock(&mutex);
    ++count;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("%ld\n", count);
  return 0;
}
