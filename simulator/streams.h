/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hardware prefetching. It follows streams: lines that are requested one after the other. It only
 * knows lines; lookup.h brings in what it asks for. */
#ifndef TACHO_STREAMS_H
#define TACHO_STREAMS_H

#include <stdint.h>

#define MAX_STREAMS 64

/* Lines of one page, by their numbers. */
struct stream {
  uint64_t last;  /* the line that was requested last */
  uint64_t asked; /* the line that was asked for last */
  int64_t step;   /* to the next line: 1 or -1; 0: there was only one line */
  uint64_t used;  /* when it was used last */
  uint8_t older;  /* the stream that was used before it, in a ring */
  uint8_t newer;
};

struct streams {
  struct stream stream[MAX_STREAMS];
  /* By the low bits of a page's number: a bit for each stream in such a page. So most requests that
   * belong to no stream compare nothing. */
  uint64_t in_page[64];
  uint64_t requests;  /* so far: the time for `used` */
  uint8_t newest;     /* the most recently used stream; the oldest is `newer` than it in the ring */
  uint32_t count;     /* 0: there is no prefetcher */
  uint32_t page_bits; /* a page has 2^page_bits lines, at most 2^32 */
  int64_t distance;   /* in lines: how far it asks ahead of a request */
};

/* `page` and `line` are in bytes. */
void streams_init(struct streams* s, uint64_t count, uint64_t distance, uint64_t page,
                  uint64_t line);

/* A line is requested. Stores the lines to ask for, at most two, and returns their number. */
unsigned streams_request(struct streams* s, uint64_t line, uint64_t asked[2]);

#endif
