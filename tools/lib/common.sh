# shellcheck shell=bash
# Steps with a name, a log, and a failure that says which step and why. Sourced by the scripts of tools/.
# All messages go to stderr: stdout belongs to the program that tools/run starts.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
DEPS=${DEPS:-$ROOT/.deps}
LOG=${LOG:-$DEPS/log/setup.log}
STEP="starting"
mkdir -p "$DEPS/log"

say() { printf '%s\n' "$*" >&2; }

# Names what comes next; a failure from here on is reported under this name.
step() {
    STEP=$1
    say "-- $STEP"
    printf '\n== %s (%s)\n' "$STEP" "$(date '+%F %T')" >>"$LOG"
}

# Runs a command with its output in the log.
logged() { "$@" >>"$LOG" 2>&1; }

# Ends the script with a reason of our own, which makes the log's tail unnecessary.
die() {
    trap - ERR
    say "$(basename "$0"): $STEP: failed"
    say "$*"
    exit 1
}

on_error() {
    local status=$1 line=$2
    trap - ERR
    # A subshell's failure makes its parent fail too, which then reports it.
    if [ "$BASH_SUBSHELL" -gt 0 ]; then exit "$status"; fi
    say "$(basename "$0"): $STEP: failed (exit status $status, line $line). The end of $LOG:"
    tail -n 30 "$LOG" | sed 's/^/    /' >&2
    exit "$status"
}

catch_errors() {
    set -E
    trap 'on_error $? $LINENO' ERR
}
