# The target libzstd: the archive and headers of zstd, for compressed recordings. It is an archive, because a shared
# library would be loaded at each start of tacho. With TACHO_ZSTD=OFF the target is empty, and
# src/perfdata/decompressor_none.cpp, which refuses compressed recordings, is compiled instead of decompressor.cpp.
# ${other_zstd} names the file that is not compiled.
option(TACHO_ZSTD "Read compressed recordings, with zstd" ON)
if(TACHO_ZSTD)
  find_library(ZSTD_LIBRARY NAMES libzstd.a zstd)
  if(NOT ZSTD_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "zstd is missing: install libzstd-dev, or build without compressed recordings with -DTACHO_ZSTD=OFF")
  elseif(NOT ZSTD_LIBRARY)
    message(STATUS "Compressed recordings are left out: found no libzstd.a for ${CMAKE_SYSTEM_PROCESSOR} (set -DZSTD_LIBRARY=/path/libzstd.a)")
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
