#!/bin/sh
# The downloads service of Quartet: run this every few minutes, for instance by cron, with the
# folder of finished downloads:
#   */5 * * * * /hooks/quartet-downloads.sh /downloads/done
# What came since the last time is sent. A watch folder does the same without a script.
set -eu
folder="${1%/}"
stamp="$folder/.quartet-sent"
send="$(dirname "$0")/send.sh"

# Begun before looking: what comes meanwhile is sent twice rather than never.
: >"$stamp.new"
# The first time everything is new. Later by when it came here: a file keeps its own time.
since=
if [ -e "$stamp" ]; then since=$stamp; fi
find "$folder/." ! -name . -prune ! -name '.*' ${since:+-cnewer "$since"} \
    \( -exec "$send" {} \; -o -exec touch "$stamp.failed" \; \)
# What could not be sent is sent the next time, and the others with it: they stay one job.
if [ -e "$stamp.failed" ]; then
    rm "$stamp.failed" "$stamp.new"
    exit 1
fi
mv "$stamp.new" "$stamp"
