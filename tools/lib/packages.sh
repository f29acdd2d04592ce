# shellcheck shell=bash
# Debian packages: says which are missing, installs just those. Never changes the system's suites or upgrades anything.

missing_packages() {
    local installed
    # A package that dpkg does not know makes dpkg-query fail although it lists the others.
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${DEBIAN_PACKAGES[@]}" 2>/dev/null || true)
    local package
    for package in "${DEBIAN_PACKAGES[@]}"; do
        grep -qx "$package installed" <<<"$installed" || printf '%s\n' "$package"
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        say "Neither root nor sudo here; run this as root: $*"
        return 1
    fi
}

# Others may be using apt at this moment: wait for them.
apt_get() { logged as_root apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"; }

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -gt 0 ] || return 0
    step "installing ${#missing[@]} Debian packages: ${missing[*]}"
    # The lists are refreshed only where they turn out to be absent or stale.
    apt_get install -y --no-install-recommends "${missing[@]}" && return 0
    step "refreshing the package lists"
    apt_get update
    step "installing ${#missing[@]} Debian packages"
    apt_get install -y --no-install-recommends "${missing[@]}"
}

# The addresses of the archives that apt is set up for, the distribution's own first.
archive_sites() {
    # shellcheck disable=SC2016 # apt's own placeholder
    {
        apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian'
        apt-get indextargets --format '$(SITE)' 'Created-By: Packages'
    } 2>/dev/null | awk 'NF && !seen[$0]++'
}
