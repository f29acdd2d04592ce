# shellcheck shell=bash
# Configures and builds one preset, quietly: a line for each stage on stderr, the rest in the log.

# Passes ninja's lines to the log and every tenth of the way to stderr.
progress() {
    awk -v log_file="$LOG" '
        { print >>log_file; fflush(log_file) }
        match($0, /^\[[0-9]+\/[0-9]+\]/) {
            split(substr($0, 2, RLENGTH - 2), part, "/")
            tenth = int(10 * part[1] / part[2])
            if (part[2] >= 20 && tenth > shown) {
                shown = tenth
                printf "   %d of %d\n", part[1], part[2] >"/dev/stderr"
            }
        }'
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

build_preset() {
    local preset=$1
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
    (cd "$ROOT" && cmake --build --preset "$preset" 2>&1 | progress) || build_failed
    # The program started after this must not hold the lock.
    exec 8>&-
}
