"""File name endings that are taken off before a name is read."""

from quartet.media.names.tables import one_each

# Also when a space stands before it: `Title 2020 1080p mkv`.
VIDEO = one_each("mkv mp4 avi m4v mov wmv webm mpg mpeg flv divx ogm rmvb")
KNOWN = VIDEO | one_each(
    "ts m2ts mts iso ogv rm 3gp 3g2 asf vob mk3d f4v qt wtv strm img nrg bin"
    " srt ass ssa sub idx sup vtt smi usf mka mks"
    " nfo txt jpg jpeg png gif bmp webp tbn xml json torrent nzb url"
    " rar zip 7z tar gz tgz bz2 ace arj par2 sfv"
)
