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
# The first time everything is new.
if [ -e "$stamp" ]; then
    find "$folder/." ! -name . -prune ! -name '.*' -newer "$stamp" -exec "$send" {} \;
else
    find "$folder/." ! -name . -prune ! -name '.*' -exec "$send" {} \;
fi
mv "$stamp.new" "$stamp"
