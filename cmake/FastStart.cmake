# Sets TACHO_CAN_BE_STATIC: whether a static program with fmt compiled in links here; and TACHO_CAN_BE_ORDERED: whether
# the linker takes launch.ld for it, as GNU's does. Asked together first. fmt 9, which fmt_archive.cpp was written
# for, is not compiled for the question: that was half of a configuration.
tacho_header_library(fmt_headers fmt/format-inl.h)
get_target_property(fmt_include fmt_headers INTERFACE_INCLUDE_DIRECTORIES)
set(TACHO_LAUNCH_ORDER ${CMAKE_CURRENT_LIST_DIR}/launch.ld)
file(STRINGS ${fmt_include}/fmt/core.h fmt_9 REGEX "^#define FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
if(fmt_9)
  set(static_program SOURCE_FROM_CONTENT main.cpp "int main() {}")
else()
  set(static_program SOURCES ${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp ${CMAKE_CURRENT_LIST_DIR}/fmt_use.cpp)
endif()
function(tacho_try_static result)  # RESULT LINK_OPTION…
  try_compile(${result} ${static_program}
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${fmt_include}
    LINK_OPTIONS -static ${ARGN}
    CXX_STANDARD 23 CXX_STANDARD_REQUIRED ON)
endfunction()
tacho_try_static(TACHO_CAN_BE_ORDERED -Wl,-T,${TACHO_LAUNCH_ORDER})
if(TACHO_CAN_BE_ORDERED)
  set(TACHO_CAN_BE_STATIC ON)
else()
  tacho_try_static(TACHO_CAN_BE_STATIC)
endif()
