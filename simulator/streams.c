/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows streams of lines within their pages. */
#include "streams.h"

#define NO_LINE (~0ull >> 1) /* no request's line: it is in no page of theirs */

void streams_init(struct streams* s, uint64_t count, uint64_t distance, uint64_t page,
                  uint64_t line) {
  uint32_t i;
  s->count = (uint32_t)count;
  s->distance = (int64_t)distance;
  s->page_bits = (uint32_t)__builtin_ctzll(page / line);
  s->requests = 0;
  s->newest = 0;
  for (i = 0; i < 64; ++i) s->in_page[i] = 0;
  for (i = 0; i < s->count; ++i) {
    const struct stream none = {
        NO_LINE, NO_LINE, 0, 0, (uint8_t)((i + 1) % count), (uint8_t)((i + count - 1) % count)};
    s->stream[i] = none;
  }
}

/* The streams in a line's page, and in others with the same low bits of their numbers. */
static uint64_t* in_page_of(struct streams* s, uint64_t line) {
  return &s->in_page[line >> s->page_bits & 63];
}

/* Whether a request continues the stream: in its direction, no farther than the lines that it may
 * have asked for. The second line of a stream is next to the first one. */
static int continues(const struct streams* s, const struct stream* t, uint64_t line) {
  const int64_t moved = (int64_t)(line - t->last);
  if ((line ^ t->last) >> s->page_bits) return 0;
  if (t->step == 0) return moved >= -1 && moved <= 1;
  return moved * t->step >= 0 && moved * t->step <= s->distance;
}

/* The most recently used stream that the request continues, or `count`. */
static unsigned find_stream(struct streams* s, uint64_t line) {
  uint64_t left = *in_page_of(s, line), used = 0;
  unsigned found = s->count;
  for (; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    if (s->stream[i].used < used || !continues(s, &s->stream[i], line)) continue;
    found = i;
    used = s->stream[i].used;
  }
  return found;
}

/* Takes the stream out of the ring, and puts it in again as the newest one. */
static void make_newest(struct streams* s, unsigned i) {
  struct stream* const all = s->stream;
  const uint8_t oldest = all[s->newest].newer;
  if (i == s->newest) return;
  if (i != oldest) {
    all[all[i].newer].older = all[i].older;
    all[all[i].older].newer = all[i].newer;
    all[i].older = s->newest;
    all[i].newer = oldest;
    all[s->newest].newer = all[oldest].older = (uint8_t)i;
  }
  s->newest = (uint8_t)i;
}

/* Replaces the oldest stream by one that begins with this line. */
static void begin_stream(struct streams* s, uint64_t line) {
  const uint8_t i = s->stream[s->newest].newer;
  struct stream* const t = &s->stream[i];
  *in_page_of(s, t->last) &= ~(1ull << i);
  *in_page_of(s, line) |= 1ull << i;
  t->last = t->asked = line;
  t->step = 0;
  t->used = ++s->requests;
  s->newest = i;
}

unsigned streams_request(struct streams* s, uint64_t line, uint64_t asked[2]) {
  const unsigned i = find_stream(s, line);
  struct stream* const t = &s->stream[i];
  unsigned count = 0;
  if (i == s->count) {
    begin_stream(s, line);
    return 0;
  }
  make_newest(s, i);
  t->used = ++s->requests;
  if (t->step == 0) t->step = (int64_t)(line - t->last);
  if ((int64_t)(line - t->asked) * t->step > 0) t->asked = line;
  t->last = line;
  while (count < 2 && t->step != 0) {
    const uint64_t next = t->asked + (uint64_t)t->step;
    if ((next ^ line) >> s->page_bits || (int64_t)(next - line) * t->step > s->distance) break;
    asked[count++] = t->asked = next;
  }
  return count;
}
