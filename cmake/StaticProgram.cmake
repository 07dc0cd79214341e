# Sets TACHO_CAN_BE_STATIC if a static program that contains fmt can be linked on this machine.
tacho_header_library(fmt_headers fmt/format-inl.h)
get_target_property(fmt_include fmt_headers INTERFACE_INCLUDE_DIRECTORIES)
try_compile(TACHO_CAN_BE_STATIC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/fmt_archive.cpp ${CMAKE_CURRENT_LIST_DIR}/fmt_use.cpp
  CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${fmt_include}
  LINK_OPTIONS -static
  CXX_STANDARD 23 CXX_STANDARD_REQUIRED ON)
