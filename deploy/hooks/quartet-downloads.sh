#!/bin/sh
# For Quartet's downloads service. Run this every few minutes, for example by cron, with the done
# folder:
#   */5 * * * * /hooks/quartet-downloads.sh /downloads/done
# Sends the downloads that arrived since the last run. A watch folder does the same without a script.
set -eu
folder="${1%/}"
stamp="$folder/.quartet-sent"
send="$(dirname "$0")/send.sh"

# Created before the search, so that a download that arrives during it is sent twice, not never.
: >"$stamp.new"
# The first run sends everything. Later runs compare the change time (ctime), because a moved file
# keeps its modification time.
since=
if [ -e "$stamp" ]; then since=$stamp; fi
find "$folder/." ! -name . -prune ! -name '.*' ${since:+-cnewer "$since"} \
    \( -exec "$send" {} \; -o -exec touch "$stamp.failed" \; \)
# After a failure everything is sent again next time; repeated calls belong to the same job.
if [ -e "$stamp.failed" ]; then
    rm "$stamp.failed" "$stamp.new"
    exit 1
fi
mv "$stamp.new" "$stamp"
