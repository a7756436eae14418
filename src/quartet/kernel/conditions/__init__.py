"""Problems of a running service: on its system page, in its metrics, and as notifications.

The kernel checks background tasks, the disk and the backups; a service adds its own checks with
`kernel.conditions.checks.append(…)` and sends notifications through `kernel.conditions.notify`.
"""

from quartet.kernel.conditions.service import Conditions
from quartet.kernel.conditions.types import Condition, Finding

__all__ = ["Condition", "Conditions", "Finding"]
