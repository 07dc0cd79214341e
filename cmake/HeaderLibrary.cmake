# tacho_header_library(TARGET HEADER): makes a target for a header-only library.
# Such headers serve every architecture, so a cross build uses those of the host. But the host's include directory would
# hide the target's libc. So a cross build gets a directory of the build tree that holds links to these libraries only.
function(tacho_header_library target header)
  find_path(${target}_INCLUDE ${header} REQUIRED CMAKE_FIND_ROOT_PATH_BOTH)
  set(include ${${target}_INCLUDE})
  if(CMAKE_CROSSCOMPILING)
    cmake_path(GET header PARENT_PATH library)
    set(links ${PROJECT_BINARY_DIR}/headers)
    file(MAKE_DIRECTORY ${links})
    file(CREATE_LINK ${include}/${library} ${links}/${library} SYMBOLIC)
    set(include ${links})
  endif()
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${include})
endfunction()
