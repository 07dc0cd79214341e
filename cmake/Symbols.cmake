# The targets elfutils (source lines), capstone (instructions) and iberty (names of C++ and Rust). They are archives, because a
# shared library would be loaded at each start of tacho. If a library is left out, NAME_none.cpp in src/symbols is
# compiled instead of NAME.cpp. ${other_symbols} names the files that are not compiled.
option(TACHO_ELFUTILS "Show source lines and inlined functions, with libdw of elfutils" ON)
option(TACHO_CAPSTONE "Show instructions, with capstone" ON)
option(TACHO_IBERTY "Show names of Rust, and long ones of C++, as in the source, with libiberty of binutils" ON)

# tacho_optional_library(OPTION TARGET HEADER DEBIAN_PACKAGES ARCHIVE…)
function(tacho_optional_library option target header packages)
  set(archives)
  foreach(archive IN LISTS ARGN)
    find_library(${target}_${archive} NAMES lib${archive}.a ${archive})
    if(NOT ${target}_${archive})
      set(missing lib${archive}.a)
    endif()
    list(APPEND archives ${${target}_${archive}})
  endforeach()
  if(${option} AND missing AND NOT CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "${missing} is missing: install ${packages}, or build without it with -D${option}=OFF")
  elseif(${option} AND missing)
    message(STATUS "${target} is left out: found no ${missing} for ${CMAKE_SYSTEM_PROCESSOR}")
    set(${option} OFF PARENT_SCOPE)
    set(${option} OFF)
  endif()
  if(${option})
    tacho_header_library(${target} ${header})
    target_link_libraries(${target} INTERFACE ${archives})
  else()
    add_library(${target} INTERFACE)
  endif()
endfunction()

tacho_optional_library(TACHO_ELFUTILS elfutils elfutils/libdw.h "libdw-dev libelf-dev libbz2-dev liblzma-dev"
  dw elf bz2 lzma z)
tacho_optional_library(TACHO_CAPSTONE capstone capstone/capstone.h libcapstone-dev capstone)
tacho_optional_library(TACHO_IBERTY iberty libiberty/demangle.h libiberty-dev iberty)

# Also for recordings that were compressed as a whole (src/perfdata/expander.cpp), and for pprof (src/report/gzip.cpp).
option(TACHO_EXPAND "Read recordings compressed with gzip and xz, and write pprof's files with gzip" ON)
tacho_optional_library(TACHO_EXPAND zlib_and_lzma lzma.h "zlib1g-dev liblzma-dev" z lzma)
set(other_expander "expander|gzip")
if(TACHO_EXPAND)
  set(other_expander "expander_none|gzip_none")
endif()

set(other_symbols)
foreach(pair TACHO_ELFUTILS:source_lines TACHO_ELFUTILS:unwinder TACHO_ELFUTILS:frame_table
    TACHO_CAPSTONE:disassembly TACHO_IBERTY:rust_names TACHO_IBERTY:cxx_names TACHO_ELFUTILS:xz TACHO_ZSTD:zstd_section
    TACHO_ELFUTILS:debug_sections TACHO_ELFUTILS:split_units TACHO_ELFUTILS:scope_tree
    TACHO_ELFUTILS:unit_bytes TACHO_ELFUTILS:die_walk TACHO_ELFUTILS:abbreviations
    TACHO_ELFUTILS:line_table_cost TACHO_ELFUTILS:mapped_elf TACHO_ELFUTILS:code_file
    TACHO_ELFUTILS:shared_debug_file)  # from debug_sections on, they have no other
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 option)
  list(GET pair 1 file)
  if(${option})
    list(APPEND other_symbols ${file}_none)
  else()
    list(APPEND other_symbols ${file})
  endif()
endforeach()
list(JOIN other_symbols "|" other_symbols)
