"""One pattern worker for all tests of rules; starting it takes a third of a second."""

import atexit

from quartet.kernel.user_patterns import UserPatterns

PATTERNS = UserPatterns()
atexit.register(PATTERNS.close)
