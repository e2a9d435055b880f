"""The chains of hooks of blocks and functions."""

from blockruntime import blocks, entries, swift
from blockruntime.blocks import FOREIGN, Block, attached_blocks
from blockruntime.memory import Unreadable

_POSITIONS = ["before", "instead", "after", "death"]


def _chain(memory, entry):
    """The chain that an entry gives its calls to: its links, outermost first; None for none."""
    # The entry's receiver is plain memory, whose first word is the Swift object.
    receiver = swift.object_fields(memory, memory.word(memory.word(entry + 16)), "CallReceiver")
    levels = receiver.number("levels")
    if swift.class_name(memory, levels) != "HookChain":
        return None
    chain = swift.Fields(memory, levels)
    return swift.structures(memory, chain.number("links"))


def _positions(bits):
    return " ".join(name for bit, name in enumerate(_POSITIONS) if bits >> bit & 1)


def _hook(memory, link, number):
    hook = swift.object_fields(memory, link.number("hook"), "HookState")
    positions = hook.number("positions", "B")
    name = hook.text("name")
    parts = [
        f'"{name}"' if name is not None else "without name", _positions(positions),
        f"priority {hook.number('priority', 'q')}",
    ]
    # Conditions turn a hook into one that decides by itself.
    if hook.number("positionsInChain", "B") != positions:
        parts.append("with conditions")
    mark = swift.object_fields(memory, hook.number("mark"), "HandlerMark")
    parts.append("removed" if mark.number("removed", "B") else "installed")
    return f"  {number}. {', '.join(parts)}"


def _lines(memory, entry):
    links = _chain(memory, entry)
    if not links:
        return ["  no hooks now"]
    return [_hook(memory, link, number) for number, link in enumerate(links, 1)]


def of_address(memory, address):
    """The hooks of a block, or of a function whose code is at an address."""
    entry = entries.of_code(memory, address)
    if entry:
        return [f"function {address:#x}"] + _lines(memory, entry)
    block = blocks.at(memory, address)
    heading = f"block {block.address:#x} {memory.name(block.source) or 'without symbol'}"
    if block.entry:
        lines = _lines(memory, block.entry)
        below = entries.of_code(memory, block.original)
        return [heading] + lines + (["  below them:"] + _lines(memory, below) if below else [])
    if block.is_foreign:
        raise Unreadable(f"{address:#x}: {FOREIGN}: it is stripped")
    entry = entries.of_code(memory, block.invoke)
    if entry:
        return [heading] + _lines(memory, entry)
    # libffi's closures, and whatever else makes code, have no symbols.
    is_known = memory.symbol(block.invoke) is not None
    return [heading, "  never hooked" if is_known else "  its code has no symbol, and is not known"]


def everywhere(memory):
    """The hooks of all blocks and functions that memory holds."""
    lines, known = [], set()
    for address in attached_blocks(memory):
        known.add(Block(memory, address).entry)
        lines += of_address(memory, address)
    begins = [address for name in entries.CODES for address in memory.addresses(name)]
    hooked = []
    for entry in sorted({place for place, _ in memory.find(begins)} - known):
        try:
            if _chain(memory, entry):
                hooked.append(entry)
        except Unreadable:
            continue
    codes = entries.codes(memory, hooked)
    for entry in hooked:
        place = f"{codes[entry]:#x}" if entry in codes else f"of the entry {entry:#x}"
        lines += [f"function {place}"] + _lines(memory, entry)
    return lines or ["no hooked blocks or functions in memory"]
