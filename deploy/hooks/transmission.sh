#!/bin/sh
# Transmission: settings.json,
#   "script-torrent-done-enabled": true, "script-torrent-done-filename": "/hooks/transmission.sh"
set -eu
exec "$(dirname "$0")/send.sh" "$TR_TORRENT_DIR/$TR_TORRENT_NAME"
