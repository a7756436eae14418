"""What is done by one of several processes at a time: all of it by the same one."""

WORK = "work"
