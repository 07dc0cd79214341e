# tacho_header_library(TARGET HEADER): a target for a library that is headers alone.
# Such a library's headers serve every architecture, so a cross build takes the host's; but not by
# the host's include directory, which would hide the target's libc behind the host's. It gets a
# directory of the build tree instead, with links to these libraries and nothing else.
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
