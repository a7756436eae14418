#!/bin/sh
# Notifies the media service about a finished download: send.sh PATH
# The other scripts call this one with the path as the download client sees it.
#
#   QUARTET_URL           address of the media service, by default http://127.0.0.1:8420
#   QUARTET_TOKEN         its access token, or
#   QUARTET_TOKEN_FILE    a file with the token
#   QUARTET_WATCH_FOLDER  optional: id or name of a watch folder whose settings are used
#   QUARTET_TARGET        optional: one target folder for all files
#   QUARTET_REVIEW        optional: 1 keeps everything in the inbox until it is approved
#
# Repeated calls with the same path are harmless: they belong to one job.
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

# Encode every byte as %XX, because names may contain any byte.
encoded() {
    printf '%s' "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'
}

body="path=$(encoded "$1")"
body="$body&watchFolder=$(encoded "${QUARTET_WATCH_FOLDER:-}")"
body="$body&target=$(encoded "${QUARTET_TARGET:-}")&review=$(encoded "${QUARTET_REVIEW:-}")"

if command -v curl >/dev/null 2>&1; then
    # Pass the token on standard input, because other users can read process arguments. In curl's
    # format, quotes and backslashes need a backslash.
    escaped=$(printf '%s' "$token" | sed 's/[\\"]/\\&/g')
    # The media service may be restarting.
    printf 'header = "Authorization: Bearer %s"\n' "$escaped" |
        curl -fsS -m 30 --retry 5 --retry-connrefused -K - -d "$body" "${url%/}/api/jobs"
else
    settings=$(mktemp)
    trap 'rm -f "$settings"' EXIT
    printf 'header = Authorization: Bearer %s\n' "$token" >"$settings"
    wget --config="$settings" -q -O - -T 30 -t 6 --retry-connrefused --waitretry 10 --post-data "$body" "${url%/}/api/jobs"
fi
