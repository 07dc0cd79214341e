# make package: two Debian packages. tacho is the program and library; tacho-pmu-dkms holds the kernel module's sources,
# which DKMS builds for each installed kernel. A cross build makes the package tacho for its board.
set(architectures x86_64 amd64 aarch64 arm64 armv7l armhf armv6l armel)
list(FIND architectures "${CMAKE_SYSTEM_PROCESSOR}" at)
if(at EQUAL -1)
  return()  # this list has no Debian name for the processor
endif()
math(EXPR at "${at} + 1")
list(GET architectures ${at} architecture)

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_CONTACT "The tacho authors <tacho@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL tacho)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${architecture})

set(CPACK_DEBIAN_TACHO_PACKAGE_NAME tacho)
set(CPACK_DEBIAN_TACHO_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TACHO_DESCRIPTION "tacho counts hardware events of an unmodified program, with an error bar on
 every estimate, and simulates a processor where there are no counters.")
if(NOT CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_TACHO_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_TACHO_PACKAGE_RECOMMENDS valgrind)
  set(CPACK_DEBIAN_TACHO_PACKAGE_SUGGESTS qemu-user)
  list(APPEND CPACK_COMPONENTS_ALL dkms)  # it is the same for every architecture, so only native builds make it
endif()

set(sources src/tacho-pmu-${PROJECT_VERSION})
install(DIRECTORY kmod/ DESTINATION ${sources} COMPONENT dkms EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.[ch]" PATTERN Kbuild PATTERN Makefile PATTERN dkms.conf PATTERN README.md)
set(CPACK_DEBIAN_DKMS_PACKAGE_NAME tacho-pmu-dkms)
set(CPACK_DEBIAN_DKMS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DKMS_PACKAGE_SECTION kernel)
set(CPACK_DEBIAN_DKMS_PACKAGE_DEPENDS dkms)
set(CPACK_DEBIAN_DKMS_DESCRIPTION "The sources of the kernel module tacho_pmu, which opens the performance
 counters of ARM processors to user space on every CPU. DKMS builds it.")
foreach(script postinst prerm)
  configure_file(packaging/deb/${script}.in ${PROJECT_BINARY_DIR}/deb/${script} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
set(CPACK_DEBIAN_DKMS_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/deb/postinst ${PROJECT_BINARY_DIR}/deb/prerm)
set(CPACK_DEBIAN_DKMS_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
include(CPack)
