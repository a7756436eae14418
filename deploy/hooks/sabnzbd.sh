#!/bin/sh
# SABnzbd: Config, Folders, "Scripts Folder" is this one; then choose sabnzbd.sh for a category.
# SABnzbd gives the folder as the first argument and the state of the job as the seventh.
set -eu
if [ "${7:-0}" != 0 ]; then
    echo "not sent: the download has failed"
    exit 0
fi
exec "$(dirname "$0")/send.sh" "${SAB_COMPLETE_DIR:-$1}"
