#!/bin/sh
# Syncthing calls this before it deletes or replaces a file of the hub:
#
#   gate.sh GATE FOLDER-ID FOLDER-PATH FILE
#
# It waits until the server has checked the pending changes of the folder. Then it moves the file to
# the versions, or fails, which makes Syncthing keep the file. GATE has one file for each folder that
# waits (asked), waits for long (checking) or must not change (held), one at the path of each file that
# may change (allowed) and that has used this (taken), and one for each file that has passed, which
# contains its name (passed). What waits for long fails while the server changes Syncthing's
# configuration (interrupted). While files may pass, there is the time (clock).
#
# There may be thousands of files, and to start a program takes longer than all the rest. A file that
# is allowed already needs only `mv`.
set -fCu
umask 077
# Count bytes, not characters.
LC_ALL=C
gate=$1 id=$2 folder=$3 file=$4
tries=0 pause=0.05
taken=$gate/taken/$id/$file
# Only one process can create this file: -C refuses one that exists.
until [ -f "$gate/allowed/$id/$file" ] && { true >"$taken"; } 2>/dev/null; do
  if [ -e "$gate/held/$id" ]; then
    echo "the server holds this change"
    exit 1
  fi
  if [ "$tries" -ge 120 ]; then
    [ -e "$gate/checking/$id" ] && [ ! -e "$gate/interrupted" ] || exit 1
    pause=0.2
  fi
  # Without Syncthing, which started this process, nothing would follow the old version.
  kill -0 "$PPID" 2>/dev/null || exit 1
  # Several processes may create it at the same time.
  [ -e "$gate/asked/$id" ] || : >|"$gate/asked/$id"
  tries=$((tries + 1))
  sleep "$pause"
done
name=${file##*/}
case $name in
  *.*) stem=${name%.*} ending=.${name##*.} ;;
  *) stem=$name ending= ;;
esac
# The clock is set to the time of the server; the file itself is newer than ours until it expires.
if ! { [ "$gate/clock" -nt "$taken" ] && read -r stamp <"$gate/clock"; } 2>/dev/null; then
  stamp=$(date -u +%Y%m%d-%H%M%S)
fi
while
  if [ "${#name}" -gt 239 ]; then
    # No room for the time in the name.
    version=$folder/.stversions/.stversions/$stamp/$file
  else
    version=$folder/.stversions/${file%"$name"}$stem~$stamp$ending
  fi
  [ -e "$version" ]
do
  # The time names the version, so two versions of a file need different ones.
  sleep 1
  stamp=$(date -u +%Y%m%d-%H%M%S)
done
place=${version%/*}
[ -d "$place" ] || mkdir -p "$place" || exit 1
mv "$folder/$file" "$version" || exit 1
# A file of its own: the server could miss the end of a common file that it reads and removes at the
# same time. No path contains the two slashes, which tell the server that the name is complete.
mark=$$
while [ -e "$gate/passed/$mark.$id" ]; do
  mark=${mark}0
done
printf '%s//' "$file" >"$gate/passed/$mark.$id"
