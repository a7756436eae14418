#!/bin/sh
# qBittorrent: Options, Downloads, "Run external program on torrent finished":
#   /hooks/qbittorrent.sh "%F"
# Moved files cannot be seeded; a watch folder with the action hardlink or copy leaves them.
set -eu
exec "$(dirname "$0")/send.sh" "$1"
