# For ARMv6 boards: the first Raspberry Pi and the Zero. Needs g++-arm-linux-gnueabi, whose libraries are built for ARMv5.
# The libraries of gnueabihf hold ARMv7 code, which an ARMv6 core can't run.
set(triplet arm-linux-gnueabi)
set(CMAKE_SYSTEM_PROCESSOR armv6l)
set(CMAKE_CXX_FLAGS_INIT "-march=armv6 -marm")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
