"""File extensions that are removed before a name is parsed."""

from quartet.media.names.tables import word_set

# Also after a space: `Title 2020 1080p mkv`.
VIDEO = word_set("mkv mp4 avi m4v mov wmv webm mpg mpeg flv divx ogm rmvb")
KNOWN = VIDEO | word_set(
    "ts m2ts mts iso ogv rm 3gp 3g2 asf vob mk3d f4v qt wtv strm img nrg bin"
    " srt ass ssa sub idx sup vtt smi usf mka mks"
    " nfo txt jpg jpeg png gif bmp webp tbn xml json torrent nzb url"
    " rar zip 7z tar gz tgz bz2 ace arj par2 sfv"
)
