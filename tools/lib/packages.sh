# shellcheck shell=bash
# Debian packages: says which are missing, installs just those. Never changes the system's suites or upgrades anything.
# Works alike on what is made from Debian; what such a release has too old is built instead.

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

# The version of a package that apt would install; "" when it knows none.
candidate_of() {
    LC_ALL=C apt-cache policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# Adds the distribution's packages of the components that it has new enough to what is to be installed.
choose_packages() {
    local component package packages version below
    # A machine that never fetched the lists would seem to have nothing.
    if [ -z "$(candidate_of libvulkan-dev)" ]; then
        step "refreshing the package lists"
        apt_get update || true
    fi
    for component in "${!COMPONENT_PACKAGE[@]}"; do
        read -ra packages <<<"${COMPONENT_PACKAGE[$component]}"
        version=$(candidate_of "${packages[0]}")
        below=${COMPONENT_BELOW[$component]:-}
        if [ -n "$version" ] && dpkg --compare-versions "$version" ge "${COMPONENT_LEAST[$component]}" &&
            { [ -z "$below" ] || dpkg --compare-versions "$version" lt "$below"; }; then
            DEBIAN_PACKAGES+=("${packages[@]}")
        fi
    done
    for package in "${OPTIONAL_PACKAGES[@]}"; do
        if [ -n "$(candidate_of "$package")" ]; then DEBIAN_PACKAGES+=("$package"); fi
    done
    if ! (DEBIAN_PACKAGES=("$ICON_PACKAGE") && install_packages); then say "-- without $ICON_PACKAGE: no icons"; fi
}

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
