# shellcheck shell=bash disable=SC2034
# What a release may have too old or not at all, as Debian 12 has all of it: files of a newer Debian's pool, each
# pinned by hash.
# A pool keeps a file under this path as long as a suite holds that version. The paths are relative to the archive
# that apt is set up for, so a mirror works as well as the archive itself.

declare -A PIN_PATH=(
    [vulkan_headers]=main/v/vulkan-loader/libvulkan-dev_1.4.309.0-1_amd64.deb
    [volk]=main/v/vulkan-volk/libvulkan-volk-dev_1.4.304.0-1_amd64.deb
    [vma]=main/v/vulkan-memory-allocator/libvulkan-memory-allocator-dev_3.2.1%2bdfsg-1_all.deb
    [glslang]=main/g/glslang/glslang_15.1.0%2b1.4.309.0.orig.tar.gz
    [imgui]=main/i/imgui/imgui_1.90.1%2bds.orig.tar.xz
    # ImPlot is not packaged by itself; this source tree carries release 0.17 of it.
    [implot]=main/s/satdump/satdump_1.2.2.orig.tar.gz
    # For Windows alone (tools/windows).
    [glfw]=main/g/glfw3/glfw3_3.3.8.orig.tar.gz
    [fmt]=main/f/fmtlib/fmtlib_9.1.0%2bds1.orig.tar.gz
    [muparser]=main/m/muparser/muparser_2.3.3.orig.tar.gz
    [sqlitecpp]=main/s/sqlitecpp/sqlitecpp_3.2.1.orig.tar.gz
)
declare -A PIN_SHA256=(
    [vulkan_headers]=8d329d465e16168afff58b1bd0dd6db46aac2cc3f56054a481b25a04e90b345a
    [volk]=f69b35ca317fbe7ca1c9a47bd6ab61c08e6b37e7e887b64408268ec24cc3b54c
    [vma]=75a48c6bfd4779b606576be9f7bb3a8ad4def7642d52db76886c0e6ea3dc9341
    [glslang]=180f17ea51e6b71bf57b9e0fea78ba3ecd76e3ec8e4c91f0771b922eb22bf4b2
    [imgui]=ecce377df0f90b292f15dcbd83d438bddc162b2388c881132bde18c787572a1c
    [implot]=2ab7c6126e426ad79972b274cc380c0bb04c9e755d746d67f3af92c1dd569209
    [glfw]=f30f42e05f11e5fc62483e513b0488d5bceeab7d9c5da0ffe2252ad81816c713
    [fmt]=84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583
    [muparser]=91d26d8274ae9cd9c776ee58250aeddc6b574f369eafd03b25045b858a2b8177
    [sqlitecpp]=70c67d5680c47460f82a7abf8e6b0329bf2fb10795a982a6d8abc06adb42d693
)

# In the order in which they are made: a later one may need an earlier one.
COMPONENTS=(vulkan_headers volk vma glslang imgui imgui_vulkan implot)
WINDOWS_COMPONENTS=(packaged_headers vulkan_headers volk vma fmt muparser sqlitecpp glfw glslang imgui imgui_vulkan
    implot)
# Debian's packages of which a program for Linux links what is in them, where no newer file is taken: headers, archives.
STATIC_PACKAGES=(libvulkan-dev libvulkan-volk-dev libvulkan-memory-allocator-dev glslang-dev libimgui-dev)
HEADER_PACKAGES=(libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libstb-dev)

# The distribution's own packages of a component, taken when apt's candidate of the first is at least (and below) the
# given version. What CMake then really finds decides: these are the limits of tools/cmake/Dependencies.cmake once more.
# glslang's CMake files insist on the program beside the library.
declare -A COMPONENT_PACKAGE=(
    [vulkan_headers]=libvulkan-dev
    [volk]=libvulkan-volk-dev
    [vma]=libvulkan-memory-allocator-dev
    [glslang]="glslang-dev glslang-tools"
    [imgui]=libimgui-dev
)
declare -A COMPONENT_LEAST=([vulkan_headers]=1.4.309 [volk]=1.4.304 [vma]=3.2 [glslang]=15.1 [imgui]=1.90.1)
declare -A COMPONENT_BELOW=([glslang]=18 [imgui]=1.90.3)
# Installed where there are packages of them: what the sources' format is checked with (tools/format).
OPTIONAL_PACKAGES=(clang-format-14)
# Icons on buttons. Neither building nor running fails without.
ICON_PACKAGE=fonts-font-awesome
IMGUI_PACKAGED_BACKENDS=/usr/share/doc/libimgui-dev/examples/backends

declare -A STEP_TEXT=(
    [vulkan_headers]="fetching Vulkan headers 1.4.309"
    [volk]="building volk 1.4.304"
    [vma]="fetching VulkanMemoryAllocator 3.2.1"
    [glslang]="building glslang 15.1 (a few minutes, once)"
    [imgui]="building Dear ImGui 1.90.1"
    [imgui_vulkan]="building Dear ImGui's Vulkan backend"
    [implot]="building ImPlot 0.17"
    [packaged_headers]="copying headers"
    [glfw]="building GLFW 3.3.8"
    [fmt]="building fmt 9.1.0"
    [muparser]="building muParser 2.3.3"
    [sqlitecpp]="building SQLiteCpp 3.2.1 with SQLite"
)

DEBIAN_PACKAGES=(
    # building
    g++ cmake ninja-build pkg-config git ccache ca-certificates xz-utils dpkg-dev
    # libraries
    libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libmuparser-dev libstb-dev libgtest-dev libglfw3-dev
    libsqlitecpp-dev
    fonts-jetbrains-mono fonts-inter
    # running and testing without a GPU or a display
    libvulkan1 vulkan-validationlayers mesa-vulkan-drivers xvfb xauth xdotool imagemagick x11-utils
)
