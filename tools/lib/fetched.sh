# shellcheck shell=bash
# What this machine's packages do not provide: fetched by pinned hash, built and installed into .deps/built/COMPONENT.
# Each component has a stamp holding a hash of its recipe and pins, so it is made again only when those change.

BUILT=$DEPS/built
STAMPS=$DEPS/stamps
DOWNLOADS=$ROOT/.deps/downloads
# What CMake is told of another system that is built for.
TARGET_SYSTEM=()

# Brings the pinned file NAME to .deps/downloads and leaves its path in FETCHED.
# apt's own downloader is used since it knows the proxies and mirrors that apt was told about.
fetch() {
    local path=${PIN_PATH[$1]} sum=${PIN_SHA256[$1]} site
    FETCHED=$DOWNLOADS/$(basename "$path")
    mkdir -p "$DOWNLOADS"
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
    awk -F'|' '$1 == "missing" { print "      " $3 }' "$DEPS/log/probe-report.txt" 2>/dev/null || true
}

unpack() {
    local into=$1 archive=$2
    shift 2
    rm -rf "$into"
    mkdir -p "$into"
    logged tar -xf "$archive" -C "$into" --strip-components=1 "$@"
}

# cmake_install COMPONENT SOURCE ARGS…
cmake_install() {
    local component=$1 source=$2 build=$DEPS/build/$1
    shift 2
    rm -rf "$build"
    logged cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$BUILT/$component" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DBUILD_SHARED_LIBS=OFF "${TARGET_SYSTEM[@]}" "$@"
    logged cmake --build "$build" --parallel "$(nproc)" --target install
    rm -rf "$build"
}

# Unpacked, not installed: the system keeps its own version. Leaves what it is made of in MADE_FROM, as they all do.
build_headers() {
    local component=$1
    fetch "$component"
    rm -rf "$DEPS/src/$component"
    logged dpkg-deb -x "$FETCHED" "$DEPS/src/$component"
    mkdir -p "$BUILT/$component/include"
    MADE_FROM="unpacked from pool/${PIN_PATH[$component]}"
}

build_vulkan_headers() {
    build_headers vulkan_headers
    cp -R "$DEPS/src/vulkan_headers/usr/include/." "$BUILT/vulkan_headers/include"
}

build_vma() {
    build_headers vma
    cp -R "$DEPS/src/vma/usr/include/." "$BUILT/vma/include"
}

# The package's library would need its own release's C library, so its source is compiled.
build_volk() {
    build_headers volk
    cmake_install volk "$ROOT/tools/deps" -DCOMPONENT=volk -DSOURCES="$DEPS/src/volk/usr/include"
    MADE_FROM="built from pool/${PIN_PATH[volk]}"
}

build_glslang() {
    fetch glslang
    unpack "$DEPS/src/glslang" "$FETCHED"
    # The optimizer would need SPIRV-Tools of the same age; drivers optimize anyway, and reports are closer to the source.
    cmake_install glslang "$DEPS/src/glslang" -DENABLE_OPT=OFF -DGLSLANG_TESTS=OFF -DENABLE_HLSL=OFF \
        -DENABLE_GLSLANG_BINARIES=OFF -DENABLE_SPVREMAPPER=OFF
    MADE_FROM="built from pool/${PIN_PATH[glslang]}"
}

unpack_imgui() {
    fetch imgui
    unpack "$DEPS/src/imgui" "$FETCHED"
    MADE_FROM="built from pool/${PIN_PATH[imgui]}"
}

build_imgui() {
    unpack_imgui
    cmake_install imgui "$ROOT/tools/deps" -DCOMPONENT=imgui -DSOURCES="$DEPS/src/imgui"
}

# The one file whose packaged build cannot be used (tools/cmake/Dependencies.cmake says why); packages bring its source.
build_imgui_vulkan() {
    local sources=$IMGUI_PACKAGED_BACKENDS
    if [ ! -d "$BUILT/imgui" ] && [ -f "$sources/imgui_impl_vulkan.cpp" ]; then
        MADE_FROM="built from $sources/imgui_impl_vulkan.cpp"
    else
        unpack_imgui
        sources=$DEPS/src/imgui/backends
    fi
    cmake_install imgui_vulkan "$ROOT/tools/deps" -DCOMPONENT=imgui_vulkan -DSOURCES="$sources"
}

build_implot() {
    fetch implot
    unpack "$DEPS/src/implot" "$FETCHED" --wildcards '*/src-core/imgui/implot/*'
    # The one line in which that copy differs from the release.
    sed -i 's|#include "imgui/\(imgui[a-z_]*\.h\)"|#include "\1"|' "$DEPS"/src/implot/src-core/imgui/implot/*.{h,cpp}
    cmake_install implot "$ROOT/tools/deps" -DCOMPONENT=implot -DSOURCES="$DEPS/src/implot/src-core/imgui/implot"
    MADE_FROM="built from pool/${PIN_PATH[implot]}"
}

# Of Debian packages the headers with their CMake files, which are the same for every system.
build_packaged_headers() {
    local file
    dpkg -L "${HEADER_PACKAGES[@]}" | sort -u |
        grep -E '^/usr/(include|share/cmake)/' | while read -r file; do
        if [ -f "$file" ]; then install -D -m 644 "$file" "$BUILT/packaged_headers/${file#/usr/}"; fi
    done
    MADE_FROM="copied from Debian's packages"
}

# build_library COMPONENT ARGS…: an upstream source with CMake files of its own.
build_library() {
    local component=$1
    shift
    fetch "$component"
    unpack "$DEPS/src/$component" "$FETCHED"
    cmake_install "$component" "$DEPS/src/$component" "$@"
    MADE_FROM="built from pool/${PIN_PATH[$component]}"
}
build_glfw() { build_library glfw -DGLFW_BUILD_DOCS=OFF -DGLFW_BUILD_TESTS=OFF -DGLFW_BUILD_EXAMPLES=OFF; }
build_fmt() { build_library fmt -DFMT_TEST=OFF -DFMT_DOC=OFF; }
build_muparser() { build_library muparser -DENABLE_SAMPLES=OFF -DENABLE_OPENMP=OFF; }
# It brings SQLite in one file.
build_sqlitecpp() {
    build_library sqlitecpp -DSQLITECPP_RUN_CPPLINT=OFF -DSQLITECPP_RUN_CPPCHECK=OFF -DSQLITECPP_USE_STACK_PROTECTION=OFF
}

# A hash of everything that decides what a component becomes; what of the system's it was compiled against counts too.
component_key() {
    {
        declare -f "build_$1" build_headers build_library unpack_imgui cmake_install unpack
        printf '%s\n' "${PIN_SHA256[$1]:-}" "${TARGET_SYSTEM[@]}"
        case $1 in
            glslang | vulkan_headers | vma) ;;
            *) cat "$ROOT/tools/deps/CMakeLists.txt" ;;
        esac
        case $1 in
            imgui_vulkan | implot) printf '%s\n' "${FOUND[imgui]:-}" "${FOUND[vulkan_headers]:-}" ;;
            volk) printf '%s\n' "${FOUND[vulkan_headers]:-}" ;;
        esac
    } | sha256sum | cut -d' ' -f1
}

# Makes COMPONENT unless it is made already by this recipe.
build_component() {
    local component=$1 key
    key=$(component_key "$component")
    if [ "$(cat "$STAMPS/$component" 2>/dev/null)" = "$key" ]; then return 0; fi
    step "${STEP_TEXT[$component]}"
    forget_component "$component"
    "build_$component"
    printf '%s\n' "$MADE_FROM" >"$BUILT/$component/origin"
    printf '%s\n' "$key" >"$STAMPS/$component"
}

forget_component() { rm -rf "$STAMPS/${1:?}" "$BUILT/${1:?}"; }
