# shellcheck shell=bash
# Says of each dependency that CMake found what it was taken from: a package, or a build of tools/setup's.

# The Debian package that brought a file, with its version; "" when none did. A file may be known by its name before or
# after /usr was merged.
package_of() {
    local file package
    command -v dpkg-query >/dev/null || return 0
    for file in "$1" "$(realpath "$1")" "/usr$1"; do
        package=$(dpkg-query -S "$file" 2>/dev/null | head -n 1 | cut -d: -f1) || continue
        if [ -n "$package" ]; then
            dpkg-query -W -f='${binary:Package} ${Version}' "$package" | sed 's/:[a-z0-9]* / /'
            return 0
        fi
    done
}

# "NAME VERSION: FROM" of a file that was found.
origin_line() {
    local name=$1 version=$2 path=$3 from
    case $path in
        "$BUILT"/*)
            local component=${path#"$BUILT/"}
            from=$(cat "$BUILT/${component%%/*}/origin")
            ;;
        *)
            from=$(package_of "$path")
            if [ -n "$from" ]; then from="package $from"; else from=$path; fi
            ;;
    esac
    printf '%s: %s\n' "$name${version:+ $version}" "$from"
}

# write_origin REPORT: .deps/origin.txt, in the report's order. Left alone when nothing changed: CMake depends on it.
write_origin() {
    local state component name version path new=$DEPS/origin.txt.new
    while IFS='|' read -r state component name version path; do
        if [ "$state" = found ]; then origin_line "$name" "$version" "$path"; fi
    done <"$1" >"$new"
    if cmp -s "$new" "$DEPS/origin.txt"; then rm "$new"; else mv "$new" "$DEPS/origin.txt"; fi
}
