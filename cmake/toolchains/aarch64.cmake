# For 64-bit ARM boards: Raspberry Pi 3 and newer with a 64-bit system. Needs g++-aarch64-linux-gnu.
set(triplet aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
