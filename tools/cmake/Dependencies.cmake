# Every third-party dependency of attnscope, as imported targets (their headers are SYSTEM: they never warn).
# Where a package comes from is the business of tools/setup; here it is only looked for, in .deps/built/*, in
# CMAKE_PREFIX_PATH and in the system. Everything missing is named at once.
#
#   Vulkan::Headers                  1.4.309 or newer; headers only, nothing links to a loader
#   volk::volk                       loads Vulkan at run time; sets VK_NO_PROTOTYPES
#   GPUOpen::VulkanMemoryAllocator   vk_mem_alloc.h; sets VMA_STATIC_VULKAN_FUNCTIONS=0, VMA_DYNAMIC_VULKAN_FUNCTIONS=1
#   glslang::glslang, glslang::SPIRV, glslang::glslang-default-resource-limits   15.1 or newer, static
#   imgui::imgui                     1.90.1: core, demo, imgui_stdlib.h, GLFW and Vulkan backends; sets
#                                    VK_NO_PROTOTYPES, so call ImGui_ImplVulkan_LoadFunctions; brings in glfw
#   imgui::core                      the same without the Vulkan backend
#   implot::implot                   0.17, on imgui::core
#   glfw                             3.3; sets GLFW_INCLUDE_NONE
#   CLI11::CLI11  nlohmann_json::nlohmann_json  tomlplusplus::tomlplusplus  fmt::fmt  muparser::muparser
#   SQLiteCpp                        3.2 or newer; brings in SQLite
#   stb::stb                         include directory only: #include <stb/stb_image_write.h>
#   Threads::Threads, GTest::gtest
# Cache entries ATTNSCOPE_FONT_UI (Inter) and ATTNSCOPE_FONT_MONO (JetBrains Mono): font files that stb_truetype loads;
# ATTNSCOPE_FONT_ICONS (Font Awesome 4): optional, buttons have words alone without it.
#
# For tools/setup: ATTNSCOPE_NO_DEPS_BUILT leaves .deps out, ATTNSCOPE_REPORT names a file for what was found where, and
# ATTNSCOPE_MISSING_ALLOWED goes on without what is missing.
include_guard(GLOBAL)

get_filename_component(attnscope_deps ${CMAKE_CURRENT_LIST_DIR}/../../.deps ABSOLUTE)
if(WIN32)
  string(APPEND attnscope_deps /windows)
endif()
if(NOT ATTNSCOPE_NO_DEPS_BUILT)
  # One folder a component, so that one which the system has got meanwhile can go by itself.
  file(GLOB attnscope_built LIST_DIRECTORIES true ${attnscope_deps}/built/*)
  list(PREPEND CMAKE_PREFIX_PATH ${attnscope_built})
  # What tools/setup changes is looked for again: hence NO_CACHE below, and this.
  if(EXISTS ${attnscope_deps}/origin.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${attnscope_deps}/origin.txt)
  endif()
  if(glslang_DIR MATCHES "/\\.deps/")
    unset(glslang_DIR CACHE)
  endif()
endif()

set(attnscope_missing "")
set(attnscope_report "")

# Records WHAT, with the least version, as missing unless all the targets are there; else that COMPONENT (its name in
# tools/lib/pins.sh, or "-" for one that is never built here) was found as NAME of VERSION at PATH.
function(attnscope_need component what)
  cmake_parse_arguments(ARG "" "NAME;VERSION;PATH" "TARGETS" ${ARGN})
  foreach(target IN LISTS ARG_TARGETS)
    if(NOT TARGET ${target})
      set(attnscope_missing "${attnscope_missing}\n    ${what}" PARENT_SCOPE)
      set(attnscope_report "${attnscope_report}missing|${component}|${what}||\n" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(attnscope_report "${attnscope_report}found|${component}|${ARG_NAME}|${ARG_VERSION}|${ARG_PATH}\n" PARENT_SCOPE)
endfunction()

# What stands where the first group of REGEX is, in the first line of FILE that matches it; "" without such a line.
function(attnscope_read variable file regex)
  set(${variable} "" PARENT_SCOPE)
  if(EXISTS "${file}")
    file(STRINGS "${file}" line REGEX "${regex}" LIMIT_COUNT 1)
    if(line MATCHES "${regex}")
      set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# An imported target for a folder of headers and, where one is given, a library; nothing when either was not found.
function(attnscope_import target dir)
  if(NOT dir OR TARGET ${target})
    return()
  endif()
  if(ARGC EQUAL 2)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
  elseif(ARGV2)
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${ARGV2})
  else()
    return()
  endif()
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${dir}")
endfunction()

find_package(Threads REQUIRED)

# --- Vulkan -----------------------------------------------------------------------------------------------------------
find_path(ATTNSCOPE_VULKAN_INCLUDE vulkan/vulkan_core.h NO_CACHE)
set(attnscope_header ${ATTNSCOPE_VULKAN_INCLUDE}/vulkan/vulkan_core.h)
attnscope_read(attnscope_patch ${attnscope_header} "^#define VK_HEADER_VERSION ([0-9]+)")
attnscope_read(attnscope_minor ${attnscope_header} "^#define VK_HEADER_VERSION_COMPLETE .*\\(0, 1, ([0-9]+)")
set(attnscope_version 1.${attnscope_minor}.${attnscope_patch})
if(attnscope_version VERSION_GREATER_EQUAL 1.4.309)
  attnscope_import(Vulkan::Headers "${ATTNSCOPE_VULKAN_INCLUDE}")
endif()
attnscope_need(vulkan_headers "Vulkan headers >= 1.4.309 (vulkan/vulkan_core.h)" TARGETS Vulkan::Headers
  NAME "Vulkan headers" VERSION ${attnscope_version} PATH ${attnscope_header})

find_path(ATTNSCOPE_VOLK_INCLUDE volk.h NO_CACHE)
find_library(ATTNSCOPE_VOLK_LIBRARY NAMES libvolk.a volk NO_CACHE)
attnscope_read(attnscope_version "${ATTNSCOPE_VOLK_INCLUDE}/volk.h" "^#define VOLK_HEADER_VERSION ([0-9]+)")
if(attnscope_version GREATER_EQUAL 304)
  attnscope_import(volk::volk "${ATTNSCOPE_VOLK_INCLUDE}" "${ATTNSCOPE_VOLK_LIBRARY}")
endif()
attnscope_need(volk "volk for headers >= 304 (volk.h, libvolk.a)" TARGETS volk::volk
  NAME volk VERSION ${attnscope_version} PATH ${ATTNSCOPE_VOLK_LIBRARY})
if(TARGET volk::volk AND TARGET Vulkan::Headers)
  set_property(TARGET volk::volk APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS VK_NO_PROTOTYPES)
  set_property(TARGET volk::volk APPEND PROPERTY INTERFACE_LINK_LIBRARIES Vulkan::Headers ${CMAKE_DL_LIBS})
endif()

find_path(ATTNSCOPE_VMA_INCLUDE vk_mem_alloc.h PATH_SUFFIXES vma NO_CACHE)
attnscope_read(attnscope_version "${ATTNSCOPE_VMA_INCLUDE}/vk_mem_alloc.h" "<b>Version ([0-9.]+)")
if(attnscope_version VERSION_GREATER_EQUAL 3.2)
  attnscope_import(GPUOpen::VulkanMemoryAllocator "${ATTNSCOPE_VMA_INCLUDE}")
endif()
attnscope_need(vma "VulkanMemoryAllocator >= 3.2 (vk_mem_alloc.h)" TARGETS GPUOpen::VulkanMemoryAllocator
  NAME VulkanMemoryAllocator VERSION ${attnscope_version} PATH ${ATTNSCOPE_VMA_INCLUDE}/vk_mem_alloc.h)
if(TARGET GPUOpen::VulkanMemoryAllocator AND TARGET Vulkan::Headers)
  set_property(TARGET GPUOpen::VulkanMemoryAllocator APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
    VMA_STATIC_VULKAN_FUNCTIONS=0 VMA_DYNAMIC_VULKAN_FUNCTIONS=1)
  set_property(TARGET GPUOpen::VulkanMemoryAllocator APPEND PROPERTY INTERFACE_LINK_LIBRARIES Vulkan::Headers)
endif()

# A release's version file accepts only its own major version, so newer ones are named.
foreach(version 15.1 16 17)
  if(NOT glslang_FOUND)
    find_package(glslang ${version} CONFIG QUIET)
  endif()
endforeach()
attnscope_need(glslang "glslang >= 15.1 as a library (glslang-config.cmake)"
  TARGETS glslang::glslang glslang::SPIRV glslang::glslang-default-resource-limits
  NAME glslang VERSION ${glslang_VERSION} PATH ${glslang_CONFIG})

# --- Window -----------------------------------------------------------------------------------------------------------
find_package(glfw3 3.3 QUIET)
attnscope_need(- "GLFW >= 3.3 (libglfw3-dev)" TARGETS glfw NAME GLFW VERSION ${glfw3_VERSION} PATH ${glfw3_CONFIG})
if(TARGET glfw)
  set_property(TARGET glfw APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS GLFW_INCLUDE_NONE)
endif()

# A package's Vulkan backend calls the loader's functions by name, which volk's variables of those names would hide. So
# that file is compiled apart, with VK_NO_PROTOTYPES, and comes before the rest, whose own copy is then never taken.
find_path(ATTNSCOPE_IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui NO_CACHE)
find_path(ATTNSCOPE_IMGUI_BACKENDS imgui_impl_vulkan.h PATH_SUFFIXES imgui/backends imgui NO_CACHE)
find_library(ATTNSCOPE_IMGUI_LIBRARY NAMES libimgui.a imgui NO_CACHE)
find_library(ATTNSCOPE_IMGUI_VULKAN_LIBRARY NAMES libimgui_vulkan.a NO_CACHE)
attnscope_read(attnscope_version "${ATTNSCOPE_IMGUI_INCLUDE}/imgui.h" "^#define IMGUI_VERSION +\"([0-9.]+)")
# 1.90.3 has other arguments for the Vulkan backend's start.
if(attnscope_version VERSION_GREATER_EQUAL 1.90.1 AND attnscope_version VERSION_LESS 1.90.3 AND ATTNSCOPE_IMGUI_BACKENDS)
  attnscope_import(imgui::core "${ATTNSCOPE_IMGUI_INCLUDE};${ATTNSCOPE_IMGUI_BACKENDS}" "${ATTNSCOPE_IMGUI_LIBRARY}")
endif()
attnscope_need(imgui "Dear ImGui 1.90.1 or .2 with its backends (imgui.h, imgui_impl_vulkan.h, libimgui.a)"
  TARGETS imgui::core NAME "Dear ImGui" VERSION ${attnscope_version} PATH ${ATTNSCOPE_IMGUI_LIBRARY})
if(TARGET imgui::core)
  # A package may leave rectangle packing and font reading to the stb library.
  find_library(ATTNSCOPE_STB_LIBRARY NAMES libstb.a NO_CACHE)
  if(ATTNSCOPE_STB_LIBRARY)
    set_property(TARGET imgui::core APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${ATTNSCOPE_STB_LIBRARY})
  endif()
  if(TARGET glfw)
    set_property(TARGET imgui::core APPEND PROPERTY INTERFACE_LINK_LIBRARIES glfw)
  endif()
  attnscope_import(imgui::imgui "${ATTNSCOPE_IMGUI_BACKENDS}" "${ATTNSCOPE_IMGUI_VULKAN_LIBRARY}")
endif()
attnscope_need(imgui_vulkan "Dear ImGui's Vulkan backend without prototypes (libimgui_vulkan.a)" TARGETS imgui::imgui
  NAME "Dear ImGui's Vulkan backend" VERSION ${attnscope_version} PATH ${ATTNSCOPE_IMGUI_VULKAN_LIBRARY})
if(TARGET imgui::imgui AND TARGET Vulkan::Headers)
  # IMGUI_IMPL_VULKAN_NO_PROTOTYPES follows from VK_NO_PROTOTYPES: both guard the same declarations.
  set_property(TARGET imgui::imgui APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
    VK_NO_PROTOTYPES IMGUI_IMPL_VULKAN_NO_PROTOTYPES)
  set_property(TARGET imgui::imgui APPEND PROPERTY INTERFACE_LINK_LIBRARIES imgui::core Vulkan::Headers)
endif()

find_path(ATTNSCOPE_IMPLOT_INCLUDE implot.h PATH_SUFFIXES implot NO_CACHE)
find_library(ATTNSCOPE_IMPLOT_LIBRARY NAMES libimplot.a implot NO_CACHE)
attnscope_read(attnscope_version "${ATTNSCOPE_IMPLOT_INCLUDE}/implot.h" "^#define IMPLOT_VERSION +\"([0-9.]+)")
if(attnscope_version VERSION_GREATER_EQUAL 0.17)
  attnscope_import(implot::implot "${ATTNSCOPE_IMPLOT_INCLUDE}" "${ATTNSCOPE_IMPLOT_LIBRARY}")
endif()
attnscope_need(implot "ImPlot >= 0.17 (implot.h, libimplot.a)" TARGETS implot::implot
  NAME ImPlot VERSION ${attnscope_version} PATH ${ATTNSCOPE_IMPLOT_LIBRARY})
if(TARGET implot::implot AND TARGET imgui::core)
  set_property(TARGET implot::implot APPEND PROPERTY INTERFACE_LINK_LIBRARIES imgui::core)
endif()

# --- Values and text --------------------------------------------------------------------------------------------------
find_package(CLI11 2.1 QUIET)
attnscope_need(- "CLI11 >= 2.1 (libcli11-dev)" TARGETS CLI11::CLI11
  NAME CLI11 VERSION ${CLI11_VERSION} PATH ${CLI11_CONFIG})
find_package(nlohmann_json 3.11 QUIET)
attnscope_need(- "nlohmann-json >= 3.11 (nlohmann-json3-dev)" TARGETS nlohmann_json::nlohmann_json
  NAME nlohmann-json VERSION ${nlohmann_json_VERSION} PATH ${nlohmann_json_CONFIG})
find_package(tomlplusplus 3.3 QUIET)
if(CMAKE_CROSSCOMPILING)  # its headers do without its library, which the package has for one system
  find_path(ATTNSCOPE_TOML_INCLUDE toml++/toml.h NO_CACHE)
  attnscope_import(tomlplusplus::tomlplusplus "${ATTNSCOPE_TOML_INCLUDE}")
endif()
attnscope_need(- "toml++ >= 3.3 (libtomlplusplus-dev)" TARGETS tomlplusplus::tomlplusplus
  NAME toml++ VERSION ${tomlplusplus_VERSION} PATH ${tomlplusplus_CONFIG})
find_package(fmt 9 QUIET)
if(NOT fmt_FOUND)
  find_package(fmt QUIET)
endif()
attnscope_need(- "fmt >= 9 (libfmt-dev)" TARGETS fmt::fmt NAME fmt VERSION ${fmt_VERSION} PATH ${fmt_CONFIG})
find_package(muparser 2.3 QUIET)
attnscope_need(- "muParser >= 2.3 (libmuparser-dev)" TARGETS muparser::muparser
  NAME muParser VERSION ${muparser_VERSION} PATH ${muparser_CONFIG})
find_package(SQLiteCpp 3.2 QUIET)
attnscope_need(- "SQLiteCpp >= 3.2 (libsqlitecpp-dev)" TARGETS SQLiteCpp
  NAME SQLiteCpp VERSION ${SQLiteCpp_VERSION} PATH ${SQLiteCpp_CONFIG})
find_path(ATTNSCOPE_STB_INCLUDE stb/stb_image_write.h NO_CACHE)
attnscope_import(stb::stb "${ATTNSCOPE_STB_INCLUDE}")
attnscope_need(- "stb (stb/stb_image_write.h; libstb-dev)" TARGETS stb::stb
  NAME stb PATH ${ATTNSCOPE_STB_INCLUDE}/stb/stb_image_write.h)

# --- Tests ------------------------------------------------------------------------------------------------------------
if(NOT CMAKE_CROSSCOMPILING)
find_package(GTest 1.12 CONFIG QUIET)
attnscope_need(- "GoogleTest >= 1.12 (libgtest-dev)" TARGETS GTest::gtest
  NAME GoogleTest VERSION ${GTest_VERSION} PATH ${GTest_CONFIG})
endif()

# --- Fonts ------------------------------------------------------------------------------------------------------------
set(attnscope_fonts /usr/share/fonts /usr/local/share/fonts ${CMAKE_PREFIX_PATH})
find_file(ATTNSCOPE_FONT_UI NAMES Inter-Regular.otf Inter-Regular.ttf PATHS ${attnscope_fonts} NO_CMAKE_FIND_ROOT_PATH
  PATH_SUFFIXES opentype/inter truetype/inter inter share/fonts/opentype/inter DOC "Font of the window's text")
find_file(ATTNSCOPE_FONT_MONO NAMES JetBrainsMono-Regular.ttf PATHS ${attnscope_fonts} NO_CMAKE_FIND_ROOT_PATH
  PATH_SUFFIXES truetype/jetbrains-mono jetbrains-mono share/fonts/truetype/jetbrains-mono
  DOC "Font of the window's numbers and code")
find_file(ATTNSCOPE_FONT_ICONS NAMES fontawesome-webfont.ttf PATHS ${attnscope_fonts} NO_CMAKE_FIND_ROOT_PATH
  PATH_SUFFIXES truetype/font-awesome share/fonts/truetype/font-awesome DOC "Font of the window's icons")
if(NOT ATTNSCOPE_FONT_ICONS)
  unset(ATTNSCOPE_FONT_ICONS CACHE)
endif()
if(NOT ATTNSCOPE_FONT_UI)
  string(APPEND attnscope_missing "\n    Inter (fonts-inter), or set ATTNSCOPE_FONT_UI to a font file")
endif()
if(NOT ATTNSCOPE_FONT_MONO)
  string(APPEND attnscope_missing "\n    JetBrains Mono (fonts-jetbrains-mono), or set ATTNSCOPE_FONT_MONO to a font file")
endif()

if(ATTNSCOPE_REPORT)
  file(WRITE ${ATTNSCOPE_REPORT} "${attnscope_report}")
endif()
if(attnscope_missing AND NOT ATTNSCOPE_MISSING_ALLOWED)
  message(FATAL_ERROR "Missing dependencies (run tools/setup, or set CMAKE_PREFIX_PATH):${attnscope_missing}\n")
endif()

# A compiler cache, where there is one: switching branches and presets then costs little.
find_program(ATTNSCOPE_CCACHE ccache)
if(ATTNSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ATTNSCOPE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ATTNSCOPE_CCACHE})
endif()
