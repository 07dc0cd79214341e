# Makes CTest tests of Python test files. By default a test runs alone, because a measuring program must not share the
# cores with other tests; TOGETHER lets it run beside others. Under the sanitizers all do: what they look for does not
# depend on time, and tests/run repeats a failed test alone. The environment names the programs under test: see
# tests/cli/tacho_cli.py.
# The modules that a distribution packages are those of its own Python, whichever comes first on the PATH.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

# tacho_python_test(LABEL NAME [TOGETHER] FILES… [ENVIRONMENT NAME=VALUE…]): makes one test, LABEL.NAME, of the files.
function(tacho_python_test label name)
  cmake_parse_arguments(test TOGETHER "" "FILES;ENVIRONMENT" ${ARGN})
  if(test_TOGETHER OR TACHO_FUZZ)
    set(alone OFF)
  else()
    set(alone ON)
  endif()
  list(TRANSFORM test_FILES REPLACE "^test_" "${CMAKE_CURRENT_SOURCE_DIR}/test_")
  list(APPEND test_ENVIRONMENT TACHO=$<TARGET_FILE:tacho> EXAMPLES=${PROJECT_BINARY_DIR}/examples
    WORKLOADS=${PROJECT_BINARY_DIR}/tests/cli/workloads BUILD=${PROJECT_BINARY_DIR} SOURCE=${PROJECT_SOURCE_DIR})
  add_test(NAME ${label}.${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/run-file ${test_FILES})
  set_tests_properties(${label}.${name} PROPERTIES
    LABELS ${label}
    RUN_SERIAL ${alone}
    TIMEOUT 600
    SKIP_RETURN_CODE 77
    ENVIRONMENT "${test_ENVIRONMENT}")
endfunction()

# tacho_python_tests(LABEL [TOGETHER NAME…]): makes a test of each test_*.py of the directory.
function(tacho_python_tests label)
  cmake_parse_arguments(tests "" "" "TOGETHER" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS test_*.py)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    string(REGEX REPLACE "^test_" "" name ${name})
    set(together)
    if(name IN_LIST tests_TOGETHER)
      set(together TOGETHER)
    endif()
    tacho_python_test(${label} ${name} ${together} FILES ${file})
  endforeach()
endfunction()
