"""Service definitions for systemd, launchd and the Windows task scheduler."""

import plistlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

NAME = "quartet-agent"
LABEL = "org.quartet.agent"


def systemd_unit(command: Sequence[str]) -> str:
    return f"""\
[Unit]
Description=Quartet sync agent
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart={" ".join(_quoted(word) for word in command)}
Restart=on-failure
RestartSec=5
TimeoutStopSec=40
UMask=0077

[Install]
WantedBy=default.target
"""


def _quoted(word: str) -> str:
    """Quote a word for systemd, which interprets `%`, `$`, quotes and backslashes."""
    safe = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{safe}"'


def launchd_plist(command: Sequence[str], log: Path) -> bytes:
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "KeepAlive": True,
            "ThrottleInterval": 10,
            "ProcessType": "Background",
            "StandardErrorPath": str(log),
            "Umask": 0o077,
        }
    )


def scheduled_task(command: Sequence[str]) -> str:
    """Return XML for `schtasks /Create /XML`: no time limit, restart on failure."""
    program, *arguments = command
    return f"""\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(program)}</Command>
      <Arguments>{escape(subprocess.list2cmdline(arguments))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
