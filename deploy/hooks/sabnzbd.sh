#!/bin/sh
# In SABnzbd, set "Scripts Folder" under Config, Folders to this folder, then choose sabnzbd.sh for a
# category.
# SABnzbd passes the folder as the first argument and the status of the job as the seventh.
set -eu
if [ "${7:-0}" != 0 ]; then
    echo "not sent: the download failed"
    exit 0
fi
exec "$(dirname "$0")/send.sh" "${SAB_COMPLETE_DIR:-$1}"
