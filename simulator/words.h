/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the text files from tacho: lines of words and decimal numbers, separated by one space. */
#ifndef TACHO_WORDS_H
#define TACHO_WORDS_H

#include <stdint.h>

/* Each function moves `at` past what it finds and returns 1, or returns 0. The first finds these
 * words. */
static inline int take_word(const char** at, const char* end, const char* words) {
  const char* p = *at;
  for (; *words; ++words, ++p)
    if (p == end || *p != *words) return 0;
  *at = p;
  return 1;
}

/* Finds a space and a number of at most `most`. */
static inline int take_number(const char** at, const char* end, uint64_t* value, uint64_t most) {
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
