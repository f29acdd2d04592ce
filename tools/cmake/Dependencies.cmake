# Every third-party dependency of attnscope, as imported targets (their headers are SYSTEM: they never warn).
# Where a package comes from is the business of tools/setup; here it is only looked for, in .deps/prefix, in
# CMAKE_PREFIX_PATH and in the system. Everything missing is named at once.
#
#   Vulkan::Headers                  1.4.309 or newer; headers only, nothing links to a loader
#   volk::volk                       loads Vulkan at run time; sets VK_NO_PROTOTYPES
#   GPUOpen::VulkanMemoryAllocator   vk_mem_alloc.h; sets VMA_STATIC_VULKAN_FUNCTIONS=0, VMA_DYNAMIC_VULKAN_FUNCTIONS=1
#   glslang::glslang, glslang::SPIRV, glslang::glslang-default-resource-limits   15.1 or newer, static
#   imgui::imgui                     1.90.1: core, demo, imgui_stdlib.h, GLFW and Vulkan backends; sets
#                                    VK_NO_PROTOTYPES, so call ImGui_ImplVulkan_LoadFunctions; brings in glfw
#   implot::implot                   0.17, on imgui::imgui
#   glfw                             3.3; sets GLFW_INCLUDE_NONE
#   CLI11::CLI11  nlohmann_json::nlohmann_json  tomlplusplus::tomlplusplus  fmt::fmt  muparser::muparser  SQLiteCpp
#   stb::stb                         include directory only: #include <stb/stb_image_write.h>
#   Boost::headers, Boost::filesystem (static; Boost.Process needs it), Threads::Threads
#   GTest::gtest, GTest::gtest_main, GTest::gmock if there, benchmark::benchmark
# Cache entries ATTNSCOPE_FONT_UI (Inter) and ATTNSCOPE_FONT_MONO (JetBrains Mono): font files that stb_truetype loads.
include_guard(GLOBAL)

set(attnscope_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.deps/prefix)
if(EXISTS ${attnscope_prefix} AND NOT ATTNSCOPE_NO_DEPS_PREFIX)
  get_filename_component(attnscope_prefix ${attnscope_prefix} ABSOLUTE)
  if(NOT attnscope_prefix IN_LIST CMAKE_PREFIX_PATH)
    list(PREPEND CMAKE_PREFIX_PATH ${attnscope_prefix})
  endif()
endif()

set(attnscope_missing "")

# Records WHAT (and the least version) as missing unless all the targets are there.
function(attnscope_need what)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      set(attnscope_missing "${attnscope_missing}\n    ${what}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# An imported header-only target for a header that was found, else nothing.
function(attnscope_headers target dir)
  if(dir AND NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${dir})
  endif()
endfunction()

# The same with a library.
function(attnscope_library target library dir)
  if(library AND dir AND NOT TARGET ${target})
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES ${dir})
  endif()
endfunction()

find_package(Threads REQUIRED)

# --- Vulkan -----------------------------------------------------------------------------------------------------------
find_path(ATTNSCOPE_VULKAN_INCLUDE vulkan/vulkan_core.h)
if(ATTNSCOPE_VULKAN_INCLUDE)
  file(STRINGS ${ATTNSCOPE_VULKAN_INCLUDE}/vulkan/vulkan_core.h attnscope_header_version
       REGEX "^#define VK_HEADER_VERSION(_COMPLETE)? ")
  string(REGEX MATCH "VK_HEADER_VERSION ([0-9]+)" _ "${attnscope_header_version}")
  set(attnscope_vulkan_patch ${CMAKE_MATCH_1})
  string(REGEX MATCH "MAKE_API_VERSION\\(0, ([0-9]+), ([0-9]+)" _ "${attnscope_header_version}")
  set(attnscope_vulkan_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${attnscope_vulkan_patch})
  if(attnscope_vulkan_version VERSION_GREATER_EQUAL 1.4.309)
    attnscope_headers(Vulkan::Headers ${ATTNSCOPE_VULKAN_INCLUDE})
  else()
    # Forgotten, so that a newer one put in place later is found.
    unset(ATTNSCOPE_VULKAN_INCLUDE CACHE)
  endif()
endif()
attnscope_need("Vulkan headers >= 1.4.309 (vulkan/vulkan_core.h)" Vulkan::Headers)

find_path(ATTNSCOPE_VOLK_INCLUDE volk.h)
find_library(ATTNSCOPE_VOLK_LIBRARY NAMES libvolk.a volk)
attnscope_library(volk::volk "${ATTNSCOPE_VOLK_LIBRARY}" "${ATTNSCOPE_VOLK_INCLUDE}")
attnscope_need("volk >= 1.4.304 (volk.h, libvolk.a)" volk::volk)
if(TARGET volk::volk AND TARGET Vulkan::Headers)
  set_property(TARGET volk::volk APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS VK_NO_PROTOTYPES)
  set_property(TARGET volk::volk APPEND PROPERTY INTERFACE_LINK_LIBRARIES Vulkan::Headers ${CMAKE_DL_LIBS})
endif()

find_path(ATTNSCOPE_VMA_INCLUDE vk_mem_alloc.h PATH_SUFFIXES vma)
attnscope_headers(GPUOpen::VulkanMemoryAllocator "${ATTNSCOPE_VMA_INCLUDE}")
attnscope_need("VulkanMemoryAllocator >= 3.2 (vk_mem_alloc.h)" GPUOpen::VulkanMemoryAllocator)
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
attnscope_need("glslang >= 15.1 as a library (glslang-config.cmake)"
  glslang::glslang glslang::SPIRV glslang::glslang-default-resource-limits)

# --- Window -----------------------------------------------------------------------------------------------------------
find_package(glfw3 3.3 QUIET)
attnscope_need("GLFW >= 3.3 (libglfw3-dev)" glfw)
if(TARGET glfw)
  set_property(TARGET glfw APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS GLFW_INCLUDE_NONE)
endif()

find_path(ATTNSCOPE_IMGUI_INCLUDE imgui_impl_vulkan.h PATH_SUFFIXES imgui)
find_library(ATTNSCOPE_IMGUI_LIBRARY NAMES libimgui.a imgui)
attnscope_library(imgui::imgui "${ATTNSCOPE_IMGUI_LIBRARY}" "${ATTNSCOPE_IMGUI_INCLUDE}")
attnscope_need("Dear ImGui >= 1.90.1 with its GLFW and Vulkan backends (imgui_impl_vulkan.h, libimgui.a)" imgui::imgui)
find_path(ATTNSCOPE_IMPLOT_INCLUDE implot.h)
find_library(ATTNSCOPE_IMPLOT_LIBRARY NAMES libimplot.a implot)
attnscope_library(implot::implot "${ATTNSCOPE_IMPLOT_LIBRARY}" "${ATTNSCOPE_IMPLOT_INCLUDE}")
attnscope_need("ImPlot >= 0.17 (implot.h, libimplot.a)" implot::implot)
if(TARGET imgui::imgui AND TARGET Vulkan::Headers AND TARGET glfw)
  # IMGUI_IMPL_VULKAN_NO_PROTOTYPES follows from VK_NO_PROTOTYPES: both guard the same declarations.
  set_property(TARGET imgui::imgui APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
    VK_NO_PROTOTYPES IMGUI_IMPL_VULKAN_NO_PROTOTYPES)
  set_property(TARGET imgui::imgui APPEND PROPERTY INTERFACE_LINK_LIBRARIES Vulkan::Headers glfw)
endif()
if(TARGET implot::implot AND TARGET imgui::imgui)
  set_property(TARGET implot::implot APPEND PROPERTY INTERFACE_LINK_LIBRARIES imgui::imgui)
endif()

# --- Values, text, storage --------------------------------------------------------------------------------------------
find_package(CLI11 2.1 QUIET)
attnscope_need("CLI11 >= 2.1 (libcli11-dev)" CLI11::CLI11)
find_package(nlohmann_json 3.11 QUIET)
attnscope_need("nlohmann-json >= 3.11 (nlohmann-json3-dev)" nlohmann_json::nlohmann_json)
find_package(tomlplusplus 3.3 QUIET)
attnscope_need("toml++ >= 3.3 (libtomlplusplus-dev)" tomlplusplus::tomlplusplus)
find_package(fmt 9 QUIET)
if(NOT fmt_FOUND)
  find_package(fmt QUIET)
endif()
attnscope_need("fmt >= 9 (libfmt-dev)" fmt::fmt)
find_package(muparser 2.3 QUIET)
attnscope_need("muParser >= 2.3 (libmuparser-dev)" muparser::muparser)
find_package(SQLiteCpp 3.2 QUIET)
attnscope_need("SQLiteCpp >= 3.2 (libsqlitecpp-dev, libsqlite3-dev)" SQLiteCpp)
find_path(ATTNSCOPE_STB_INCLUDE stb/stb_image_write.h)
attnscope_headers(stb::stb "${ATTNSCOPE_STB_INCLUDE}")
attnscope_need("stb (stb/stb_image_write.h; libstb-dev)" stb::stb)

# Static, so that the executable runs where another release of Boost is installed.
set(Boost_USE_STATIC_LIBS ON)
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.74 QUIET COMPONENTS filesystem)
attnscope_need("Boost >= 1.74: Process and Filesystem (libboost-dev, libboost-filesystem-dev)"
  Boost::headers Boost::filesystem)

# --- Tests ------------------------------------------------------------------------------------------------------------
find_package(GTest 1.12 QUIET)
attnscope_need("GoogleTest >= 1.12 (libgtest-dev)" GTest::gtest GTest::gtest_main)
find_package(benchmark 1.7 QUIET)
attnscope_need("Google Benchmark >= 1.7 (libbenchmark-dev)" benchmark::benchmark)

# --- Fonts ------------------------------------------------------------------------------------------------------------
set(attnscope_fonts /usr/share/fonts /usr/local/share/fonts ${CMAKE_PREFIX_PATH})
find_file(ATTNSCOPE_FONT_UI NAMES Inter-Regular.otf Inter-Regular.ttf PATHS ${attnscope_fonts}
  PATH_SUFFIXES opentype/inter truetype/inter inter share/fonts/opentype/inter DOC "Font of the window's text")
find_file(ATTNSCOPE_FONT_MONO NAMES JetBrainsMono-Regular.ttf PATHS ${attnscope_fonts}
  PATH_SUFFIXES truetype/jetbrains-mono jetbrains-mono share/fonts/truetype/jetbrains-mono
  DOC "Font of the window's numbers and code")
if(NOT ATTNSCOPE_FONT_UI)
  string(APPEND attnscope_missing "\n    Inter (fonts-inter), or set ATTNSCOPE_FONT_UI to a font file")
endif()
if(NOT ATTNSCOPE_FONT_MONO)
  string(APPEND attnscope_missing "\n    JetBrains Mono (fonts-jetbrains-mono), or set ATTNSCOPE_FONT_MONO to a font file")
endif()

if(attnscope_missing)
  message(FATAL_ERROR "Missing dependencies (run tools/setup, or set CMAKE_PREFIX_PATH):${attnscope_missing}\n")
endif()

# A compiler cache, where there is one: switching branches and presets then costs little.
find_program(ATTNSCOPE_CCACHE ccache)
if(ATTNSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ATTNSCOPE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ATTNSCOPE_CCACHE})
endif()
