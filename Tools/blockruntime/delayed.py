"""The blocks that wait in timers."""

import struct

from blockruntime import swift
from blockruntime.memory import Unreadable

# A slot begins with a pointer to its first block.
_SLOTS, _SLOT = 11 * 64, "<QQQQ"


def _blocks(memory, wheel):
    """The blocks of a timing wheel, in the order in which they are due."""
    count, found = wheel.number("count"), []
    slots = memory.read(wheel.number("slots"), _SLOTS * struct.calcsize(_SLOT))
    for first, _, _, _ in struct.iter_unpack(_SLOT, slots):
        while first and len(found) < count:
            block = swift.Fields(memory, first)
            found.append((block.number("due"), block.number("place"), block))
            first = block.number("next")
    return [block for _, _, block in sorted(found, key=lambda one: one[:2])]


def _line(memory, block, time):
    due, body = block.number("due"), block.place("body")
    repeats = ", repeats" if block.number("word", "I") & 4 else ""
    code = swift.closure(memory, body) if memory.word(body) else block.type
    return (
        f"  {block.address:#x} due at {due / 1e9:.3f} s, {(due - time) / 1e9:.3f} s after the "
        f"timer's time{repeats}, {code}")


def everywhere(memory):
    """What `pdelayed` prints: the waiting blocks of all timers that memory holds."""
    lines = []
    for timer in swift.instances(memory, "$s13DelayedBlocks10DelayTimerCN", "DelayTimer"):
        try:
            # A lock's word, and what it guards, which begins with the wheel.
            wheel = swift.structure(
                memory, "$s13DelayedBlocks11TimingWheelVN", timer.place("pending") + 8)
            blocks = _blocks(memory, wheel)
            found = [_line(memory, block, wheel.number("time")) for block in blocks]
        except Unreadable:
            # Memory that was freed may look like a timer.
            continue
        if found:
            lines += [f"timer {timer.address:#x}, {len(found)} waiting"] + found
    return lines or ["no block waits in a timer"]
