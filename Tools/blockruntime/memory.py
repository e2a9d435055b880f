"""The memory of a program, as a debugger reads it."""

import struct


class Unreadable(Exception):
    """What is asked for is not there; the text says what, and where."""


class Memory:
    """What the two debuggers have to offer; each has a subclass.

    read(address, size) gives bytes, or raises Unreadable; symbol(address) gives (name, offset) or
    None; addresses(name) those of all symbols of a name; evaluate(expression) a number; regions()
    pairs of addresses of what may be read.
    """

    def number(self, address, layout):
        return struct.unpack("<" + layout, self.read(address, struct.calcsize(layout)))[0]

    def word(self, address):
        return self.number(address, "Q")

    def relative(self, address):
        """The address that a relative pointer leads to; 0 for null."""
        offset = self.number(address, "i")
        return address + offset if offset else 0

    def text(self, address, limit=4096):
        """The C string at an address."""
        found = b""
        while len(found) < limit:
            # Never across a page: the next one may not be there.
            size = min(64, 4096 - (address + len(found)) % 4096)
            piece = self.read(address + len(found), size)
            end = piece.find(b"\0")
            if end >= 0:
                return (found + piece[:end]).decode("utf-8", "replace")
            found += piece
        raise Unreadable(f"there is no text at {address:#x}: no end in {limit} bytes")

    def name(self, address):
        """The symbol that holds an address, with the distance from it."""
        symbol = self.symbol(address)
        if not symbol:
            return None
        return symbol[0] + (f"+{symbol[1]}" if symbol[1] else "")

    def code(self, address):
        """An address of code, for people."""
        return f"{address:#x} <{self.name(address) or 'no symbol'}>"

    def find(self, values):
        """The places, at multiples of eight, of words of one of these values, with the values."""
        needles = [struct.pack("<Q", value) for value in values]
        for start, end in self.regions():
            for place in range(start, end, 1 << 22):
                try:
                    piece = self.read(place, min(1 << 22, end - place))
                except Unreadable:
                    continue
                for needle, value in zip(needles, values):
                    index = piece.find(needle)
                    while index >= 0:
                        if index % 8 == 0:
                            yield place + index, value
                        index = piece.find(needle, index + 1)
