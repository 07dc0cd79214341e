/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eight ways of a set, in one line of the host's cache, and compared all at once: a loop that stopped
 * at the right one would be mispredicted too often. */
#ifndef TACHO_WAYS_H
#define TACHO_WAYS_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Times are whole numbers that are as large as their bits taken for floating point, of which SSE2 has
 * the minimum. 0 is before all: never used. AFTER_ALL is that of what pads a set. */
#define FIRST_TIME 0x00800000u
#define LAST_TIME 0x7f000000u
#define AFTER_ALL 0x7f7fffffu

struct ways8 {
  uint32_t tags[8];
  uint32_t stamps[8]; /* when each was last used */
};

/* The tag of what has a stamp. */
static inline const uint32_t* tag_of(const uint32_t* stamp) { return stamp - 8; }

/* Which have a tag, as two bits each. */
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

/* The first of these. */
static inline unsigned ways_first(unsigned mask) { return (unsigned)__builtin_ctz(mask) / 2; }

/* The first of those that were used longest ago. */
static inline unsigned ways_oldest(const struct ways8* w) {
#if defined(__SSE2__)
  const __m128 low = _mm_load_ps((const float*)w->stamps), high = _mm_load_ps((const float*)w->stamps + 4);
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
