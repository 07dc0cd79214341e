/* The version of these headers. For C99 and C++17.
 * CMake refuses to configure tacho when these numbers differ from those of its project().
 */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#define TACHO_VERSION_MAJOR 0
#define TACHO_VERSION_MINOR 1
#define TACHO_VERSION_PATCH 0

/* "0.1.0" */
#define TACHO_VERSION_STRING "0.1.0"

/* One number for comparisons, for example #if TACHO_VERSION >= 10200 for 1.2.0 or later. */
#define TACHO_VERSION \
  (TACHO_VERSION_MAJOR * 10000 + TACHO_VERSION_MINOR * 100 + TACHO_VERSION_PATCH)

#endif
