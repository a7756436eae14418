#!/bin/sh
# Installs the sync agent from the server, joins it and installs its background service.
# Usage: sh install.sh CODE
set -eu

server=@SERVER@
platform=@PLATFORM@
python_version=@PYTHON@
sha256=@SHA256@
python_sent=@PYTHON_SENT@
# Platforms for which the server has a program that contains Python, with its checksum.
programs=@PROGRAMS@

fail() {
    echo "quartet-agent: $*" >&2
    exit 1
}

find_platform() {
    case "$(uname -s)" in
        Linux) system=linux ;;
        Darwin) system=macos ;;
        *) fail "this system is not supported by this script" ;;
    esac
    case "$(uname -m)" in
        x86_64 | amd64) machine=amd64 ;;
        aarch64 | arm64) machine=arm64 ;;
        *) machine=$(uname -m) ;;
    esac
    # A Raspberry Pi often has a kernel with 64 bits below programs with 32 bits.
    [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 64 ] || machine=$machine-32bit
    here=$system-$machine
}

find_python() {
    for name in "python$python_version" python3; do
        if found=$(command -v "$name") &&
            [ "$("$found" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$python_version" ]; then
            echo "$found"
            return
        fi
    done
}

fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL -o "$2" "$server/api/agent/$1"
    elif command -v wget >/dev/null; then
        wget -q -O "$2" "$server/api/agent/$1"
    else
        fail "install curl or wget first"
    fi || fail "cannot download $server/api/agent/$1"
}

check() {
    if command -v sha256sum >/dev/null; then
        actual=$(sha256sum <"$1")
    elif command -v shasum >/dev/null; then
        actual=$(shasum -a 256 <"$1")
    elif command -v openssl >/dev/null; then
        actual=$(openssl dgst -sha256 -r <"$1")
    else
        fail "install sha256sum or openssl first"
    fi
    [ "${actual%% *}" = "$2" ] || fail "the download has the wrong checksum"
}

fetch_python() {
    echo "Downloading Python $python_version from $server"
    fetch python "$work/python.tar.gz"
    mkdir "$work/python"
    tar -xzf "$work/python.tar.gz" -C "$work/python" || fail "cannot unpack Python"
    # It needs a C library that is not older than the server's.
    if "$work/python/python" -c 'import ssl'; then
        rm -rf "$folder/python"
        mv "$work/python" "$folder/python"
        python="$folder/python/python"
    fi
}

install_file() {
    echo "Downloading the agent from $server"
    fetch "$1" "$work/agent"
    check "$work/agent" "$2"
    chmod 755 "$work/agent"
    mv "$work/agent" "$file"
    run --version >/dev/null || fail "the agent of this server does not run on this device"
}

run() {
    # The rest of this script may still be in the standard input.
    "${python:-$file}" ${python:+"$file"} "$@" </dev/null
}

main() {
    [ $# -eq 1 ] || fail "pass the pairing code"
    find_platform
    folder="${XDG_DATA_HOME:-${HOME:?is not set}/.local/share}/quartet-agent"
    mkdir -p "$folder" || fail "cannot write to $folder"
    work=$(mktemp -d "$folder/install.XXXXXX") || fail "cannot write to $folder"

    python=
    if [ "$here" = "$platform" ]; then
        python=$(find_python)
        [ -n "$python" ] || [ "$python_sent" = no ] || fetch_python
    fi
    program_sha256=$(echo "$programs" | sed -n "s/^$here //p")
    if [ -n "$python" ]; then
        file="$folder/quartet-agent.pyz"
        install_file file "$sha256"
    elif [ -n "$program_sha256" ]; then
        file="$folder/quartet-agent"
        install_file "program/$here" "$program_sha256"
    elif [ "$here" = "$platform" ]; then
        fail "this device needs Python $python_version"
    else
        fail "this server has no agent for $here;" \
            "install quartet-suite with pip and run: quartet agent join --server $server $1"
    fi
    run agent join --server "$server" "$1"
    run agent service install
}

work=
trap 'rm -rf "$work"' EXIT
# Some shells end at a signal without the action for the end.
trap 'trap - EXIT; rm -rf "$work"; exit 130' HUP INT TERM
# At the end, so that nothing happens if the script arrives incomplete.
main "$@"
