#!/bin/sh
# Starts attnscope from this folder with the libraries in it. Of those that a Vulkan driver may use too, this machine's
# own are taken where it has them: a driver can need a newer one than this folder's.
here=$(dirname "$(readlink -f "$0")")
paths=$here/lib
known=$(/sbin/ldconfig -p 2>/dev/null || ldconfig -p 2>/dev/null)
for folder in "$here"/lib/system/*/; do
    folder=${folder%/}
    own=$(printf '%s\n' "$known" | awk -v name="$(basename "$folder")" '$1 == name && /x86-64/ { print $NF; exit }')
    if [ -n "$own" ]; then
        if [ ! -f "$folder/version" ] || grep -q "$(cat "$folder/version")" "$own" 2>/dev/null; then continue; fi
    fi
    paths=$paths:$folder
done
LD_LIBRARY_PATH=$paths${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/bin/attnscope" "$@"
