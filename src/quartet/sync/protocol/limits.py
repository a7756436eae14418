"""Limits of the protocol; times in seconds, sizes in bytes."""

PROTOCOL_VERSION = 1

PAIRING_CODE_SECONDS = 15 * 60
NONCE_BYTES = 32
NONCE_SECONDS = 10
WAITING_DEVICES = 20

PING_SECONDS = 30
SILENCE_SECONDS = 90
STATUS_SECONDS = 1.0

RECONNECT_FIRST_SECONDS = 1
RECONNECT_MOST_SECONDS = 30
REJECTED_SECONDS = 60

RECONCILE_FIRST_SECONDS = 1
RECONCILE_MOST_SECONDS = 60

DISCOVERY_SECONDS = 4
DISCOVERY_SERVICE = "_quartet-sync._tcp.local."

HUB_PORT = 22001

# Tunnels to the hub. Version 2 of the engine opens up to three connections, and the agent one to
# test the tunnel. A tunnel holds less than half a megabyte on the server.
TUNNEL_FRAME_BYTES = 64 * 1024
TUNNELS_PER_DEVICE = 6
TUNNELS = 500
TUNNEL_IDLE_SECONDS = 300.0
TUNNEL_REPORT_SECONDS = 5.0

VERSION_DAYS = 365

HELLO_BYTES = 8 * 1024
# Large enough for the maximum number of folders with the longest values.
AGENT_MESSAGE_BYTES = 1024 * 1024
SERVER_MESSAGE_BYTES = 8 * 1024 * 1024

FOLDERS_PER_DEVICE = 1000
PATTERNS = 500
PATTERN_CHARS = 500
# Total for all folders, because one device may have all of them.
PATTERNS_BYTES = 3 * 1024 * 1024
PATH_CHARS = 1000
DRIFTED_FILES = 200
MISSING_FILES = 200
REASON_CHARS = 300
PLACES = 50
FOLDER_NAMES = 500
LABEL_CHARS = 100

# The largest integer that JavaScript represents exactly.
LARGEST_NUMBER = 2**53 - 1
