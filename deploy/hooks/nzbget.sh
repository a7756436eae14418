#!/bin/sh
### NZBGET POST-PROCESSING SCRIPT
# Tells the media service about finished downloads.
### NZBGET POST-PROCESSING SCRIPT
# NZBGet: Settings, Paths, "ScriptDir" is this folder; then choose nzbget.sh under Extension Scripts.
set -u
done=93 failed=94 skipped=95
if [ "${NZBPP_TOTALSTATUS:-SUCCESS}" != SUCCESS ]; then
    echo "[INFO] not sent: the download has failed"
    exit "$skipped"
fi
if "$(dirname "$0")/send.sh" "${NZBPP_FINALDIR:-$NZBPP_DIRECTORY}"; then
    exit "$done"
fi
exit "$failed"
