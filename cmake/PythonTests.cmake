# tacho_python_tests(LABEL [TOGETHER]): each test_*.py of the directory becomes a CTest test with that
# label, run alone (a measuring program's tests share the cores with no other test) or TOGETHER.
# The files find what they test through the environment: see tests/cli/tacho_cli.py.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

function(tacho_python_tests label)
  file(GLOB files CONFIGURE_DEPENDS test_*.py)
  set(alone ON)
  if(ARGV1 STREQUAL "TOGETHER")
    set(alone OFF)
  endif()
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    string(REGEX REPLACE "^test_" "" name ${name})
    add_test(NAME ${label}.${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/run-file ${file})
    set_tests_properties(${label}.${name} PROPERTIES
      LABELS ${label}
      RUN_SERIAL ${alone}
      TIMEOUT 600
      SKIP_RETURN_CODE 77
      ENVIRONMENT "TACHO=$<TARGET_FILE:tacho>;EXAMPLES=${PROJECT_BINARY_DIR}/examples;WORKLOADS=${PROJECT_BINARY_DIR}/tests/cli/workloads;BUILD=${PROJECT_BINARY_DIR};SOURCE=${PROJECT_SOURCE_DIR}")
  endforeach()
endfunction()
