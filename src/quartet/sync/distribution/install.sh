#!/bin/sh
# Installs the sync agent from the server, joins it and installs its background service.
# Usage: sh install.sh CODE
set -eu

server=@SERVER@
platform=@PLATFORM@
python_version=@PYTHON@
sha256=@SHA256@
python_sent=@PYTHON_SENT@
folder="${XDG_DATA_HOME:-$HOME/.local/share}/quartet-agent"
file="$folder/quartet-agent.pyz"

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
[ "$system-$machine" = "$platform" ] ||
    fail "this server has the agent for $platform, but this device is $system-$machine;" \
        "install quartet-suite with pip and run: quartet agent join --server $server $1"

python=
for name in "python$python_version" python3; do
    if found=$(command -v "$name") &&
        [ "$("$found" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$python_version" ]; then
        python=$found
        break
    fi
done

fetch() {
    if command -v curl >/dev/null; then
        curl -fsS -o "$2" "$server/api/agent/$1"
    else
        wget -q -O "$2" "$server/api/agent/$1"
    fi
}

mkdir -p "$folder"
part=$(mktemp "$folder/part.XXXXXX")
trap 'rm -f "$part"' EXIT

if [ -z "$python" ]; then
    [ "$python_sent" = yes ] || fail "Python $python_version is required"
    echo "Downloading Python $python_version from $server"
    fetch python "$part"
    rm -rf "$folder/python.new"
    mkdir "$folder/python.new"
    tar -xzf "$part" -C "$folder/python.new"
    rm -rf "$folder/python"
    mv "$folder/python.new" "$folder/python"
    python="$folder/python/python"
    "$python" -c 'import ssl' ||
        fail "the Python of the server does not run on this device; install Python $python_version"
fi

echo "Downloading the agent from $server"
fetch file "$part"
actual=$("$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$part")
[ "$actual" = "$sha256" ] || fail "the download has the wrong checksum"
chmod 755 "$part"
mv "$part" "$file"

"$python" "$file" agent join --server "$server" "$1"
"$python" "$file" agent service install
