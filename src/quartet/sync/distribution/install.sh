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
folder="${XDG_DATA_HOME:-$HOME/.local/share}/quartet-agent"

fail() {
    echo "quartet-agent: $*" >&2
    exit 1
}

[ $# -eq 1 ] || fail "pass the pairing code"

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
program_sha256=$(echo "$programs" | sed -n "s/^$system-$machine //p")

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
        curl -fsS -o "$2" "$server/api/agent/$1"
    else
        wget -q -O "$2" "$server/api/agent/$1"
    fi
}

check() {
    if command -v sha256sum >/dev/null; then
        actual=$(sha256sum <"$part")
    elif command -v shasum >/dev/null; then
        actual=$(shasum -a 256 <"$part")
    else
        actual=$(openssl dgst -sha256 -r <"$part")
    fi
    [ "${actual%% *}" = "$1" ] || fail "the download has the wrong checksum"
}

fetch_python() {
    echo "Downloading Python $python_version from $server"
    fetch python "$part"
    rm -rf "$folder/python.new"
    mkdir "$folder/python.new"
    tar -xzf "$part" -C "$folder/python.new"
    rm -rf "$folder/python"
    mv "$folder/python.new" "$folder/python"
    python="$folder/python/python"
    # It needs a C library that is not older than the server's.
    "$python" -c 'import ssl' || python=
}

mkdir -p "$folder"
part=$(mktemp "$folder/part.XXXXXX")
trap 'rm -f "$part"' EXIT

install_file() {
    echo "Downloading the agent from $server"
    fetch "$1" "$part"
    check "$2"
    chmod 755 "$part"
    mv "$part" "$file"
}

python=
[ "$system-$machine" != "$platform" ] || python=$(find_python)
if [ -z "$python" ] && [ "$system-$machine" = "$platform" ] && [ "$python_sent" = yes ]; then
    fetch_python
fi

if [ -n "$python" ]; then
    file="$folder/quartet-agent.pyz"
    install_file file "$sha256"
    run() { "$python" "$file" "$@"; }
elif [ -n "$program_sha256" ]; then
    file="$folder/quartet-agent"
    install_file "program/$system-$machine" "$program_sha256"
    run() { "$file" "$@"; }
elif [ "$system-$machine" = "$platform" ]; then
    fail "this device needs Python $python_version"
else
    fail "this server has no agent for $system-$machine;" \
        "install quartet-suite with pip and run: quartet agent join --server $server $1"
fi

run agent join --server "$server" "$1"
run agent service install
