"""Sample file names as they are downloaded; the content does not matter."""

# Moved at the first start, so that there is something to undo.
EARLIER = (
    "Metropolis.1927.Restored.1080p.BluRay.x264.mkv",
    "Black.Books.S01E01.Cooking.the.Books.DVDRip.avi",
    "Black.Books.S01E02.Mannys.First.Day.DVDRip.avi",
)

# Files in the download folder, for jobs that are started by hand.
ARRIVED = (
    "Amelie.2001.German.DL.1080p.BluRay.x264-GROUP/amelie-1080p.mkv",
    "Amelie.2001.German.DL.1080p.BluRay.x264-GROUP/amelie-1080p.ger.srt",
    "Amelie.2001.German.DL.1080p.BluRay.x264-GROUP/Sample/amelie-sample.mkv",
    "Amelie.2001.German.DL.1080p.BluRay.x264-GROUP/amelie.nfo",
    "2001.A.Space.Odyssey.1968.2160p.UHD.BluRay.x265.HDR.mkv",
    "Blade Runner (1982) The Final Cut [1080p].mkv",
    "12 Angry Men 1957 720p.mkv",
    "A.Star.Is.Born.1080p.WEB-DL.mkv",
    "Firefly.S01.1080p.BluRay.x265/Firefly.S01E01.Serenity.mkv",
    "Firefly.S01.1080p.BluRay.x265/Firefly.S01E02.The.Train.Job.mkv",
    "Firefly.S01.1080p.BluRay.x265/Firefly.S01E02.The.Train.Job.en.forced.srt",
    "Firefly.S01.1080p.BluRay.x265/Firefly.S01E03-E04.mkv",
    "Firefly.S01.1080p.BluRay.x265/Featurettes/Making Of.mkv",
    "Chernobyl (2019)/Season 1/Chernobyl - 1x01 - 1.23.45.mkv",
    "Chernobyl (2019)/Season 1/Chernobyl - 1x02 - Please Remain Calm.mkv",
    "[Fansub] Cowboy Bebop - 05 (BD 1080p) [1A2B3C4D].mkv",
    "[Fansub] Cowboy Bebop - 06 (BD 1080p) [5E6F7A8B].mkv",
    "Doctor.Who.2005.S03E10.Blink.720p.HDTV.mkv",
    "24.S01E01.mkv",
    "1917.2019.1080p.WEB.h264.mkv",
    "holiday_video_0815.mp4",
)

# In a watch folder; all of these appear in the inbox.
INCOMING = (
    "Arrival.2016.1080p.BluRay.DTS.x264.mkv",
    "Sherlock.S02E01.A.Scandal.in.Belgravia.720p.mkv",
    "the.office.s02e03.mkv",
)
