# shellcheck shell=bash
# What no package of Debian 12 provides: fetched by pinned hash, built and installed into .deps/prefix.
# Each component has a stamp holding a hash of its recipe and pins, so it is made again only when those change.

PREFIX=$DEPS/prefix
STAMPS=$DEPS/stamps
COMPONENTS=(headers glslang ui)

# Brings the pinned file NAME to .deps/downloads and leaves its path in FETCHED.
# apt's own downloader is used since it knows the proxies and mirrors that apt was told about.
fetch() {
    local path=${PIN_PATH[$1]} sum=${PIN_SHA256[$1]} site
    FETCHED=$DEPS/downloads/$(basename "$path")
    mkdir -p "$DEPS/downloads"
    if [ -f "$FETCHED" ] && sha256sum --status -c <<<"$sum  $FETCHED"; then return 0; fi
    rm -f "$FETCHED"
    if [ ! -x /usr/lib/apt/apt-helper ]; then
        die "There is no apt here to fetch pool/$path of Debian with.$(manual_help)"
    fi
    local sites reasons="" output
    mapfile -t sites < <(archive_sites)
    for site in "${sites[@]}"; do
        if output=$(/usr/lib/apt/apt-helper -o APT::Sandbox::User=root -o Acquire::Retries=3 \
            download-file "$site/pool/$path" "$FETCHED.part" "SHA256:$sum" 2>&1); then
            mv "$FETCHED.part" "$FETCHED"
            return 0
        fi
        printf '%s\n' "$output" >>"$LOG"
        reasons+=$'\n'"    $(grep -m 1 '^E: ' <<<"$output" || true)"
    done
    die "None of apt's archives has the pinned pool/$path:${reasons:- apt knows of no archive}$(manual_help)"
}

# What to do where an archive cannot help, with the needs that the probe found unmet.
manual_help() {
    printf '\n%s\n' "Put that file into .deps/downloads, or set CMAKE_PREFIX_PATH to a place that has what this machine lacks:"
    grep -E '^ {6}' "$DEPS/log/probe.txt" 2>/dev/null || true
}

unpack() {
    local into=$1 archive=$2
    shift 2
    rm -rf "$into"
    mkdir -p "$into"
    logged tar -xf "$archive" -C "$into" --strip-components=1 "$@"
}

cmake_install() {
    local source=$1 build=$DEPS/build/$2
    shift 2
    rm -rf "$build"
    logged cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DBUILD_SHARED_LIBS=OFF "$@"
    logged cmake --build "$build" --parallel "$(nproc)" --target install
    rm -rf "$build"
}

build_headers() {
    local name
    mkdir -p "$PREFIX/include"
    for name in vulkan_headers volk vma; do
        fetch "$name"
        rm -rf "$DEPS/src/$name"
        # Unpacked, not installed: the system keeps its own versions.
        logged dpkg-deb -x "$FETCHED" "$DEPS/src/$name"
        cp -R "$DEPS/src/$name/usr/include/." "$PREFIX/include"
    done
}

build_glslang() {
    fetch glslang
    unpack "$DEPS/src/glslang" "$FETCHED"
    # The optimizer would need SPIRV-Tools of the same age; drivers optimize anyway, and reports are closer to the source.
    cmake_install "$DEPS/src/glslang" glslang -DENABLE_OPT=OFF -DGLSLANG_TESTS=OFF -DENABLE_HLSL=OFF \
        -DENABLE_GLSLANG_BINARIES=OFF -DENABLE_SPVREMAPPER=OFF
}

build_ui() {
    fetch imgui
    unpack "$DEPS/src/imgui" "$FETCHED"
    fetch implot
    unpack "$DEPS/src/implot" "$FETCHED" --wildcards '*/src-core/imgui/implot/*'
    # The one line in which that copy differs from the release.
    sed -i 's|#include "imgui/\(imgui[a-z_]*\.h\)"|#include "\1"|' "$DEPS"/src/implot/src-core/imgui/implot/*.{h,cpp}
    cmake_install "$ROOT/tools/deps" ui -DIMGUI_DIR="$DEPS/src/imgui" -DVOLK_DIR="$PREFIX/include" \
        -DIMPLOT_DIR="$DEPS/src/implot/src-core/imgui/implot"
}

# A hash of everything that decides what a component becomes.
component_key() {
    {
        declare -f "build_$1" cmake_install unpack
        declare -p PIN_SHA256
        if [ "$1" = ui ]; then cat "$ROOT/tools/deps/CMakeLists.txt"; fi
    } | sha256sum | cut -d' ' -f1
}

build_components() {
    local component key
    mkdir -p "$STAMPS"
    for component in "${COMPONENTS[@]}"; do
        key=$(component_key "$component")
        if [ "$(cat "$STAMPS/$component" 2>/dev/null)" = "$key" ]; then continue; fi
        step "${STEP_TEXT[$component]}"
        rm -f "$STAMPS/$component"
        "build_$component"
        printf '%s\n' "$key" >"$STAMPS/$component"
    done
}

declare -A STEP_TEXT=(
    [headers]="fetching Vulkan headers, volk and VulkanMemoryAllocator"
    [glslang]="building glslang 15.1 (a few minutes, once)"
    [ui]="building Dear ImGui 1.90.1, ImPlot 0.17 and volk"
)
