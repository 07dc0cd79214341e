# The target tacho_web: the template, the style and the scripts of web/ as texts in the program. esbuild puts the scripts
# and the parts of d3 that they use into one. Without these two tools, ${other_web} leaves --html out, and says so.
option(TACHO_PAGES "Write pages for browsers (--html), with d3 and esbuild" ON)
find_program(ESBUILD esbuild)
find_path(D3_MODULES d3-scale/src/index.js PATHS /usr/share/nodejs /usr/lib/node_modules NO_CMAKE_FIND_ROOT_PATH)
if(TACHO_PAGES AND NOT (ESBUILD AND D3_MODULES))
  message(STATUS "Pages for browsers (--html) are left out: they need esbuild and node-d3")
endif()

if(TACHO_PAGES AND ESBUILD AND D3_MODULES)
  set(other_web web_files_none)
  file(GLOB web_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.js ${PROJECT_SOURCE_DIR}/web/*.css
    ${PROJECT_SOURCE_DIR}/web/*.html)
  set(web_script ${PROJECT_BINARY_DIR}/web/script.js)
  set(web_source ${PROJECT_BINARY_DIR}/web/web_files.cpp)
  add_custom_command(OUTPUT ${web_source}
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${D3_MODULES} ${ESBUILD} ${PROJECT_SOURCE_DIR}/web/main.js --bundle
      --minify --format=iife --target=es2022 --log-level=warning --outfile=${web_script}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR}/web -D SCRIPT=${web_script} -D OUTPUT=${web_source}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
    DEPENDS ${web_files} ${PROJECT_SOURCE_DIR}/cmake/embed_web.cmake
    COMMENT "Embedding web/" VERBATIM)
else()
  set(other_web web_files)
endif()
