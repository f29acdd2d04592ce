# shellcheck shell=bash
# Configures and builds one preset, quietly: a line for each stage on stderr, the rest in the log.

# Passes ninja's lines to the log and every tenth of the way to stderr.
progress() {
    local line shown=0 tenth
    # Not awk: Debian's reads a pipe in blocks, so that its lines would come minutes late.
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$LOG"
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && [ "${BASH_REMATCH[2]}" -ge 20 ]; then
            tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
            if [ "$tenth" -gt "$shown" ]; then
                shown=$tenth
                say "   ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
            fi
        fi
    done
}

# Prints what the compilers complained about: the log's tail is often just the other jobs' lines.
build_failed() {
    trap - ERR
    say "$(basename "$0"): $STEP: failed. From $LOG:"
    local complaints
    complaints=$(grep -E -A12 'error:|CMake Error|undefined reference|multiple definition' "$LOG" || tail -n 30 "$LOG")
    head -n 40 <<<"$complaints" | cut -c1-240 | sed 's/^/    /' >&2
    exit 1
}

# build_preset NAME [--target TARGET]
build_preset() {
    local preset=$1
    shift
    local tree=$ROOT/build/$preset
    mkdir -p "$tree"
    # Two ninjas in one tree would spoil each other's work.
    exec 8>"$tree/.lock"
    if command -v flock >/dev/null && ! flock -n 8; then
        say "-- waiting for another build of $preset"
        flock 8
    fi
    : >"$LOG"
    # Ninja configures again by itself when a CMake file changes, but it does not know of the presets.
    if [ ! -f "$tree/build.ninja" ] || [ "$ROOT/CMakePresets.json" -nt "$tree/build.ninja" ]; then
        step "configuring $preset"
        (cd "$ROOT" && logged cmake --preset "$preset") || build_failed
    fi
    step "building $preset (build/$preset)"
    (cd "$ROOT" && cmake --build --preset "$preset" "$@" 2>&1 | progress) || build_failed
    # The program started after this must not hold the lock.
    exec 8>&-
}
