# Whether warnings are errors: with the compilers for which the sources are kept free of them, Debian 12's GCC and clang,
# which CI uses. A newer one has warnings that nobody could see before, false ones among them (GCC 14's
# maybe-uninitialized within std::variant), and they are not to keep anybody from building.
#   attnscope_warnings_are_errors(RESULT COMPILER_ID COMPILER_VERSION)
function(attnscope_warnings_are_errors result id version)
  set(${result} OFF PARENT_SCOPE)
  if((id STREQUAL "GNU" AND version VERSION_LESS 13) OR (id STREQUAL "Clang" AND version VERSION_LESS 15))
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
