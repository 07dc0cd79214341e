# Sets TACHO_CAN_BE_STATIC: whether a static program with fmt compiled in links here.
tacho_header_library(fmt_headers fmt/format-inl.h)
get_target_property(fmt_include fmt_headers INTERFACE_INCLUDE_DIRECTORIES)
try_compile(TACHO_CAN_BE_STATIC ${CMAKE_BINARY_DIR}/can-be-static
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp ${CMAKE_CURRENT_LIST_DIR}/fmt_use.cpp
  CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${fmt_include}
  LINK_OPTIONS -static
  CXX_STANDARD 23 CXX_STANDARD_REQUIRED ON)

# Sets TACHO_CAN_BE_ORDERED: whether the linker takes launch.ld, as GNU's does.
set(TACHO_LAUNCH_ORDER ${CMAKE_CURRENT_LIST_DIR}/launch.ld)
try_compile(TACHO_CAN_BE_ORDERED ${CMAKE_BINARY_DIR}/can-be-ordered
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp ${CMAKE_CURRENT_LIST_DIR}/fmt_use.cpp
  CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${fmt_include}
  LINK_OPTIONS -Wl,-T,${TACHO_LAUNCH_ORDER}
  CXX_STANDARD 23 CXX_STANDARD_REQUIRED ON)
