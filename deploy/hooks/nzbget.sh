#!/bin/sh
### NZBGET POST-PROCESSING SCRIPT
# Notifies the media service about finished downloads.
### NZBGET POST-PROCESSING SCRIPT
# In NZBGet, set "ScriptDir" under Settings, Paths to this folder, then choose nzbget.sh under
# Extension Scripts.
set -u
done=93 failed=94 skipped=95
if [ "${NZBPP_TOTALSTATUS:-SUCCESS}" != SUCCESS ]; then
    echo "[INFO] not sent: the download failed"
    exit "$skipped"
fi
if "$(dirname "$0")/send.sh" "${NZBPP_FINALDIR:-$NZBPP_DIRECTORY}"; then
    exit "$done"
fi
exit "$failed"
