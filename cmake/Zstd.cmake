# The target libzstd: zstd's archive and headers, for compressed recordings. An archive, because the
# dynamic loader would take longer than the rest of a start. With TACHO_ZSTD=OFF it is empty, and
# src/perfdata/decompressor_none.cpp is compiled instead of decompressor.cpp, which refuses them;
# ${other_zstd} is the one that is left out.
option(TACHO_ZSTD "Read compressed recordings, with zstd" ON)
if(TACHO_ZSTD)
  find_library(ZSTD_LIBRARY NAMES libzstd.a zstd)
  if(NOT ZSTD_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "zstd is missing: install libzstd-dev, or leave compressed recordings out with -DTACHO_ZSTD=OFF")
  elseif(NOT ZSTD_LIBRARY)
    message(STATUS "Without compressed recordings: found no libzstd.a for ${CMAKE_SYSTEM_PROCESSOR} (-DZSTD_LIBRARY=/path/libzstd.a names one)")
    set(TACHO_ZSTD OFF)
  endif()
endif()

add_library(libzstd INTERFACE)
set(other_zstd decompressor)
if(TACHO_ZSTD)
  tacho_header_library(zstd_headers zstd.h)
  target_link_libraries(libzstd INTERFACE zstd_headers ${ZSTD_LIBRARY})
  set(other_zstd decompressor_none)
endif()
