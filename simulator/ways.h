/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eight ways of a set, in one cache line of the host. All tags are compared at once: a loop that
 * stops at the matching way would be mispredicted by the host too often. */
#ifndef TACHO_WAYS_H
#define TACHO_WAYS_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Times of use are integers whose bits, read as a float, have the same order: SSE2 has a minimum of
 * floats, but none of 32-bit integers. The bounds are those of normal positive floats. An empty way
 * has the time 0. */
#define FIRST_TIME 0x00800000u   /* the smallest normal float */
#define LAST_TIME 0x7f000000u    /* leaves room for one trace before the largest float */
#define PADDING_TIME 0x7f7fffffu /* the largest float, for ways that only fill up a group */

struct ways8 {
  uint32_t tags[8];
  uint32_t stamps[8]; /* time of the last use */
};

/* The tag that belongs to a stamp. */
static inline const uint32_t* tag_of(const uint32_t* stamp) {
  return stamp - 8;
}

/* The ways with a tag, as a mask of two bits each. */
static inline unsigned ways_match(const struct ways8* w, uint32_t tag) {
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32((int)tag), *const tags = (const __m128i*)w->tags;
  const __m128i low = _mm_cmpeq_epi32(_mm_load_si128(tags), wanted);
  const __m128i high = _mm_cmpeq_epi32(_mm_load_si128(tags + 1), wanted);
  return (unsigned)_mm_movemask_epi8(_mm_packs_epi32(low, high));
#else
  unsigned mask = 0, i;
  for (i = 0; i < 8; ++i) mask |= (w->tags[i] == tag ? 3u : 0) << 2 * i;
  return mask;
#endif
}

/* The first way of such a mask. */
static inline unsigned ways_first(unsigned mask) {
  return (unsigned)__builtin_ctz(mask) / 2;
}

/* The least recently used way; the first one, if several are. */
static inline unsigned ways_oldest(const struct ways8* w) {
#if defined(__SSE2__)
  const __m128 low = _mm_load_ps((const float*)w->stamps),
               high = _mm_load_ps((const float*)w->stamps + 4);
  const __m128 four = _mm_min_ps(low, high);
  const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
  const __m128 one = _mm_min_ss(two, _mm_shuffle_ps(two, two, 1));
  const __m128i least = _mm_castps_si128(_mm_shuffle_ps(one, one, 0));
  const __m128i is_low = _mm_cmpeq_epi32(_mm_castps_si128(low), least);
  const __m128i is_high = _mm_cmpeq_epi32(_mm_castps_si128(high), least);
  return ways_first((unsigned)_mm_movemask_epi8(_mm_packs_epi32(is_low, is_high)));
#else
  unsigned way = 0, i;
  for (i = 1; i < 8; ++i) way = w->stamps[i] < w->stamps[way] ? i : way;
  return way;
#endif
}

#endif
