# For 32-bit ARMv7 boards: Raspberry Pi 2 and newer with a 32-bit system. Needs g++-arm-linux-gnueabihf, which generates
# ARMv7 code by default.
set(triplet arm-linux-gnueabihf)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
