"""The chains of hooks of blocks and functions."""

from blockruntime import swift
from blockruntime.blocks import Block, attached_blocks
from blockruntime.memory import Unreadable

# Distance of a stub's word from its code: CBR_STUB_SLAB of CBRCallStubs.h.
_SLAB = 65536
_POSITIONS = ["before", "instead", "after", "death"]
_ENTRY_CODES = ["cbr_enter_function", "cbr_enter_function_narrow"]


def _chain(memory, entry):
    """The chain that an entry gives its calls to: its links, outermost first; None for none."""
    # The entry's receiver is plain memory, whose first word is the Swift object.
    receiver = swift.object_fields(memory, memory.word(memory.word(entry + 16)), "CallReceiver")
    owner = receiver.number("owner")
    if swift.class_name(memory, owner) != "HookChain":
        return None
    chain = swift.Fields(memory, owner)
    return swift.structures(memory, chain.number("links"))


def _positions(bits):
    return " ".join(name for bit, name in enumerate(_POSITIONS) if bits >> bit & 1)


def _hook(memory, link, number):
    entry = swift.object_fields(memory, link.number("entry"), "HookEntry")
    positions = entry.number("positions", "B")
    name = entry.text("name")
    parts = [
        f'"{name}"' if name is not None else "without name", _positions(positions),
        f"priority {entry.number('priority', 'q')}",
    ]
    # Conditions turn a hook into one that decides by itself.
    if entry.number("positionsInChain", "B") != positions:
        parts.append("with conditions")
    parts.append("removed" if entry.number("isStopped", "B") else "installed")
    return f"  {number}. {', '.join(parts)}"


def _lines(memory, entry):
    links = _chain(memory, entry)
    if not links:
        return ["  no hooks now"]
    return [_hook(memory, link, number) for number, link in enumerate(links, 1)]


def _stub_entry(memory, code):
    """The entry of a function's own code; None where the code is something else."""
    try:
        entry = memory.word(code + _SLAB) if code % 16 == 0 else 0
        symbol = memory.symbol(memory.word(entry)) if entry else None
    except Unreadable:
        return None
    return entry if symbol and symbol[0] in _ENTRY_CODES and symbol[1] == 0 else None


def of_address(memory, address):
    """The hooks of a block, or of a function whose code is at an address."""
    entry = _stub_entry(memory, address)
    if entry:
        return [f"function {address:#x}"] + _lines(memory, entry)
    block = Block(memory, address)
    heading = f"block {address:#x} {memory.name(block.original) or 'without symbol'}"
    if block.entry:
        lines = _lines(memory, block.entry)
        below = _stub_entry(memory, block.original)
        return [heading] + lines + (["  below them:"] + _lines(memory, below) if below else [])
    entry = _stub_entry(memory, block.invoke)
    return [heading] + (_lines(memory, entry) if entry else ["  never hooked"])


def everywhere(memory):
    """The hooks of all blocks and functions that memory holds."""
    lines, blocks = [], attached_blocks(memory)
    known = set()
    for address in blocks:
        known.add(Block(memory, address).entry)
        lines += of_address(memory, address)
    codes = [address for name in _ENTRY_CODES for address in memory.addresses(name)]
    entries = sorted({place for place, _ in memory.find(codes)} - known)
    for entry in entries:
        try:
            if _chain(memory, entry):
                lines += [f"function of entry {entry:#x}"] + _lines(memory, entry)
        except Unreadable:
            continue
    return lines or ["no hooked blocks or functions in memory"]
