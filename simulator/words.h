/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts that tacho gives the simulator: lines of words and decimal numbers, one space between. */
#ifndef TACHO_WORDS_H
#define TACHO_WORDS_H

#include <stdint.h>

/* Both take what they look for and go behind it, or return 0. */
static inline int is_word(const char** at, const char* end, const char* words) {
  const char* p = *at;
  for (; *words; ++words, ++p)
    if (p == end || *p != *words) return 0;
  *at = p;
  return 1;
}

/* A space and a number. */
static inline int is_number(const char** at, const char* end, uint64_t* value, uint64_t most) {
  const char* p = *at;
  uint64_t read = 0;
  if (p == end || *p != ' ') return 0;
  for (++p; p != end && *p >= '0' && *p <= '9'; ++p) {
    if (read > most / 10) return 0;
    read = read * 10 + (uint64_t)(*p - '0');
    if (read > most) return 0;
  }
  if (p[-1] == ' ') return 0;
  *value = read;
  *at = p;
  return 1;
}

#endif
