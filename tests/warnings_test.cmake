# With which compilers warnings are errors (tools/cmake/Warnings.cmake).
include(${CMAKE_CURRENT_LIST_DIR}/../tools/cmake/Warnings.cmake)

function(expect expected id version)
  attnscope_warnings_are_errors(found ${id} ${version})
  if(NOT found STREQUAL expected)
    message(SEND_ERROR "${id} ${version}: warnings are errors is ${found}, not ${expected}")
  endif()
endfunction()

expect(ON GNU 12.2.0)
expect(OFF GNU 14.2.0)
expect(ON Clang 14.0.6)
expect(OFF Clang 19.1.7)
