#!/bin/sh
# In qBittorrent, set Options, Downloads, "Run external program on torrent finished" to:
#   /hooks/qbittorrent.sh "%F"
# Moved files cannot be seeded. Use a watch folder with the action hardlink or copy to keep them.
set -eu
exec "$(dirname "$0")/send.sh" "$1"
