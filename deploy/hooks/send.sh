#!/bin/sh
# Tells the media service that something is there: send.sh PATH
# The other scripts here call this one; each passes on the path as its client sees it.
#
#   QUARTET_URL           address of the media service, by default http://127.0.0.1:8420
#   QUARTET_TOKEN         its access token, or
#   QUARTET_TOKEN_FILE    a file that holds the token
#   QUARTET_WATCH_FOLDER  id or name of the watch folder whose options are taken, if any
#   QUARTET_TARGET        one folder for everything, if any
#   QUARTET_REVIEW        1 keeps everything in the inbox until somebody approves
#
# To send the same path again does no harm: it stays one job.
set -eu

if [ $# -ne 1 ] || [ -z "$1" ]; then
    echo "usage: send.sh PATH" >&2
    exit 2
fi

url="${QUARTET_URL:-http://127.0.0.1:8420}"
token="${QUARTET_TOKEN:-}"
if [ -z "$token" ] && [ -n "${QUARTET_TOKEN_FILE:-}" ]; then
    token=$(cat "$QUARTET_TOKEN_FILE")
fi

# Every byte as %XX: names may hold anything.
encoded() {
    printf '%s' "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'
}

body="path=$(encoded "$1")"
body="$body&watchFolder=$(encoded "${QUARTET_WATCH_FOLDER:-}")"
body="$body&target=$(encoded "${QUARTET_TARGET:-}")&review=$(encoded "${QUARTET_REVIEW:-}")"

if command -v curl >/dev/null 2>&1; then
    # The token comes by standard input: others may read the arguments of a process.
    printf 'header = "Authorization: Bearer %s"\n' "$token" |
        curl -fsS -m 30 --retry 3 -K - -d "$body" "${url%/}/api/jobs"
else
    settings=$(mktemp)
    trap 'rm -f "$settings"' EXIT
    printf 'header = Authorization: Bearer %s\n' "$token" >"$settings"
    wget --config="$settings" -q -O - -T 30 --post-data "$body" "${url%/}/api/jobs"
fi
