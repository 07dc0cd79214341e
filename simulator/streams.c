/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows streams of lines within their pages. */
#include "streams.h"

#define NO_LINE (~0ull >> 1) /* no request's line: it is in no page of theirs */

void streams_init(struct streams* s, uint64_t count, uint64_t distance, uint64_t page,
                  uint64_t line) {
  const struct stream none = {NO_LINE, NO_LINE, 0};
  uint32_t i;
  s->count = (uint32_t)count;
  s->distance = (int64_t)distance;
  s->page_bits = (uint32_t)__builtin_ctzll(page / line);
  for (i = 0; i < s->count; ++i) s->stream[i] = none;
}

/* Whether a request continues the stream: in its direction, no farther than the lines that it may
 * have asked for. The second line of a stream is next to the first one. */
static int continues(const struct streams* s, const struct stream* t, uint64_t line) {
  const int64_t moved = (int64_t)(line - t->last);
  if ((line ^ t->last) >> s->page_bits) return 0;
  if (t->step == 0) return moved >= -1 && moved <= 1;
  return moved * t->step >= 0 && moved * t->step <= s->distance;
}

unsigned streams_request(struct streams* s, uint64_t line, uint64_t asked[2]) {
  struct stream found = {line, line, 0};
  unsigned count = 0;
  uint32_t i = 0;
  while (i < s->count - 1 && !continues(s, &s->stream[i], line)) ++i;
  if (continues(s, &s->stream[i], line)) {
    found = s->stream[i];
    if (found.step == 0) found.step = (int64_t)(line - found.last);
    if ((int64_t)(line - found.asked) * found.step > 0) found.asked = line;
    found.last = line;
  }
  for (; i > 0; --i) s->stream[i] = s->stream[i - 1];
  while (count < 2 && found.step != 0) {
    const uint64_t next = found.asked + (uint64_t)found.step;
    if ((next ^ line) >> s->page_bits || (int64_t)(next - line) * found.step > s->distance) break;
    asked[count++] = found.asked = next;
  }
  s->stream[0] = found;
  return count;
}
