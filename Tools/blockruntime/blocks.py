"""One block in memory.

The offsets are those of CBRBlockLiteral.h and of BlockAttachment.c, which asserts them.
"""

from blockruntime import encodings, entries, swift
from blockruntime.memory import Unreadable

FLAGS = {
    23: "no escape", 24: "needs free", 25: "copy/dispose", 28: "global", 29: "struct return",
    30: "signature", 31: "extended layout",
}
_HEADER = 32
# How many captured words are shown.
_SHOWN = 64
_MARKER = "cbr_attachment_marker"
FOREIGN = f"its descriptor has a mark, and the program no symbol {_MARKER} for it"


class Block:
    """A block's header, its descriptor, and, if it is hooked, its attachment."""

    def __init__(self, memory, address):
        self.memory, self.address = memory, address
        isa = memory.symbol(memory.word(address))
        if not isa or not isa[0].startswith("_NSConcrete"):
            raise Unreadable(
                f"there is no block at {address:#x}: its first word is no block's class")
        word = memory.number(address + 8, "I")
        self.references, self.flags = (word & 0xFFFE) >> 1, word & ~0xFFFF
        self.is_dying = bool(word & 1)
        self.invoke = memory.word(address + 16)
        self.descriptor = memory.word(address + 24)
        self.size = memory.word(self.descriptor + 8)
        if not _HEADER <= self.size <= 1 << 24:
            raise Unreadable(
                f"there is no block at {address:#x}: {self.size} bytes is no block's size")
        # What compilers leave zero is marked where the descriptor is ours.
        mark = memory.word(self.descriptor)
        is_ours = mark != 0 and mark in memory.addresses(_MARKER)
        self.attachment = self.descriptor if is_ours else None
        self.is_foreign = mark != 0 and not is_ours
        attachment = self.attachment
        self.original = memory.word(attachment + 64) if attachment else self.invoke

    def has(self, bit):
        return bool(self.flags >> bit & 1)

    @property
    def kind(self):
        if self.has(23):
            return "stack"
        return "global" if self.has(28) else "heap" if self.has(24) else "stack"

    @property
    def helpers(self):
        """The copy and dispose helpers that the compiler wrote; of a hooked block too."""
        if self.attachment:
            found = [self.memory.word(self.attachment + place) for place in (72, 80)]
            return found if any(found) else []
        if not self.has(25):
            return []
        return [self.memory.word(self.descriptor + place) for place in (16, 24)]

    def _optional(self, index):
        # Behind the helpers, if there are any.
        return self.memory.word(self.descriptor + 16 + (16 if self.has(25) else 0) + 8 * index)

    @property
    def encoding(self):
        return self.memory.text(self._optional(0)) if self.has(30) and self._optional(0) else None

    @property
    def entry(self):
        """Where the calls of a hooked block go: a `cbr_entry`."""
        return self.memory.word(self.attachment + 48) if self.attachment else 0

    def captures(self):
        """What the block captured, line by line."""
        if self.size == _HEADER:
            return ["none"]
        if self._closure:
            code, context = self._closure
            return [f"closure {self.memory.code(code)}", f"context {context:#x}"]
        return self._inner() or self._words()

    @property
    def _closure(self):
        """The code and the context of a Swift block's closure, which its thunk calls."""
        name = (self.memory.symbol(self.original) or ("", 0))[0]
        is_thunk = name.startswith("$s") and name.endswith(("TR", "TRTA"))
        if not is_thunk or self.size < _HEADER + 16:
            return None
        return self.memory.word(self.address + 32), self.memory.word(self.address + 40)

    @property
    def source(self):
        """The code that was written: a Swift block's closure."""
        return self._closure[0] if self._closure else self.original

    def _inner(self):
        """The block inside of one that `dispatch_block_create` made."""
        name = (self.memory.symbol(self.original) or ("", 0))[0]
        if "dispatch_block" not in name or self.size < _HEADER + 48:
            return None
        inner = self.memory.word(self.address + _HEADER + 40)
        return [f"block {inner:#x} of dispatch_block_create"]

    def _words(self):
        lines = [f"layout {self._optional(1):#x}"] if self.has(31) else []
        end = min(self.size, _HEADER + 8 * _SHOWN)
        for offset in range(_HEADER, end - 7, 8):
            word = self.memory.word(self.address + offset)
            lines.append(f"+{offset} {word:#x}{self._meaning(word)}")
        if end < self.size:
            return lines + [f"and {self.size - end} bytes more"]
        rest = self.size % 8
        if rest:
            data = self.memory.read(self.address + self.size - rest, rest)
            lines.append(f"+{self.size - rest} {data.hex(' ')}, {int.from_bytes(data, 'little')}")
        return lines

    def _meaning(self, word):
        """What a captured word may point to."""
        if word == 0 or word % 8:
            return ""
        try:
            symbol = self.memory.symbol(self.memory.word(word))
            if symbol and symbol[0].startswith("_NSConcrete"):
                return ", block"
            # A variable's box leads to itself, or to its copy, where the variable is.
            box = self.memory.word(word + 8)
            size = self.memory.number(box + 20, "I")
            if self.memory.word(box + 8) == box and 24 < size < 1 << 24:
                return f", __block variable, {size} bytes at {box:#x}"
        except Unreadable:
            pass
        name = swift.class_name(self.memory, word)
        return f", {name}" if name else ""


def attached_blocks(memory):
    """The addresses of all blocks with an attachment that memory holds."""
    markers = memory.addresses(_MARKER)
    if not markers:
        raise Unreadable(
            f"the program has no symbol {_MARKER}: it is stripped, or has no such library")
    attachments = sorted({place for place, _ in memory.find(markers)})
    found = set()
    for place, _ in memory.find(attachments) if attachments else []:
        try:
            if Block(memory, place - 24).attachment:
                found.add(place - 24)
        except Unreadable:
            continue
    return sorted(found)


def at(memory, address):
    """The block at an address, or the one that is kept by a `Block`, which begins with its box."""
    if swift.class_name(memory, address) == "BlockReference":
        address = swift.Fields(memory, address).number("pointer")
    return Block(memory, address)


def describe(memory, address):
    """What `pblock` prints."""
    block = at(memory, address)
    address = block.address
    names = [name for bit, name in FLAGS.items() if block.has(bit)]
    lines = [f"{block.kind} block {address:#x}, {block.size} bytes"]
    lines.append(f"  flags       {block.flags:#x} {', '.join(names)}")
    counted = f"{block.references}" + (", dying" if block.is_dying else "")
    lines.append(f"  references  {counted if block.has(24) else 'not counted'}")
    encoding = block.encoding
    lines.append(
        f"  signature   {encodings.signature(encoding)}, {encoding}" if encoding
        else "  signature   none")
    lines.append(f"  code        {memory.code(block.original)}")
    if block.attachment or entries.of_code(memory, block.invoke):
        is_hooked = block.invoke != block.original or not block.attachment
        entered = f"it enters {memory.code(block.invoke)}; see phooks {address:#x}"
        lines.append(f"  hooked      {entered if is_hooked else 'not now'}")
    elif block.is_foreign:
        lines.append(f"  hooked      perhaps: {FOREIGN}")
    for name, helper in zip(["copy   ", "dispose"], block.helpers):
        lines.append(f"  {name}     {memory.code(helper)}")
    captures = block.captures()
    lines.append(f"  captures    {captures[0]}")
    return lines + ["              " + line for line in captures[1:]]
