# tacho_harden(): what Debian's packages are built with (dpkg-buildflags, hardening=+all), for the targets of the calling
# directory. Builds for debugging, whose sanitizers check more, go without.
#   -fstack-protector-strong   a function with an array notices at its end if the array overflowed
#   _FORTIFY_SOURCE            memcpy and others check the sizes that the compiler knows
#   relro, now                 the tables of function pointers are resolved at the start, and read-only from then on
#   noexecstack                no data is executable
# Not among them are -fcf-protection (x86-64) and -mbranch-protection (AArch64): one object without it switches it off for
# the whole program, and Debian 12 compiles its libraries without.
option(TACHO_HARDENING "Build optimised programs with the flags that Debian's packages have" ON)

# The static program has tables of 127,000 pointers (the vendors' events, the instructions). At a random address, each
# start would write all of them: 2 ms, where a launch takes 2.6 ms. A program with shared libraries is always a PIE, as the
# compiler of Debian makes it.
option(TACHO_PIE "Give the static program a random address (PIE): each start takes 2 ms longer" OFF)

macro(tacho_harden)
  if(TACHO_HARDENING)
    set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
    add_compile_options($<${optimised}:-fstack-protector-strong> -Wformat -Werror=format-security)
    if(NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")
      add_compile_options("$<${optimised}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")  # some compilers define it themselves
    endif()
    add_link_options("$<${optimised}:-Wl,-z,relro;-Wl,-z,now;-Wl,-z,noexecstack>")  # one by one, as blhc expects
  endif()
endmacro()
