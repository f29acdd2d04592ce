# shellcheck shell=bash
# Whoever passes the program on also passes on the terms of what is linked into it.

# collect_terms INTO SOURCES PACKAGE…: writes INTO/NAME.txt for each component that was built from a folder of SOURCES,
# and for each of these packages of Debian's that is installed.
collect_terms() {
    local into=$1 source package found
    mkdir -p "$into"
    for source in "$2"/*/; do
        if [ ! -d "$source" ]; then continue; fi
        found=$(find "$source" -path "${source}LICENSE*" -o -path '*/share/doc/*/copyright' -o -name implot.h | head -n 1)
        if [ -z "$found" ]; then die "There are no terms in $source."; fi
        # ImPlot's are the head of its header, up to this line.
        sed '/^\/\/ SOFTWARE\.$/q' "$found" >"$into/$(basename "$source").txt"
    done
    for package in "${@:3}"; do
        found=/usr/share/doc/$package/copyright
        if [ -f "$found" ]; then cp "$found" "$into/$package.txt"; fi
    done
}
