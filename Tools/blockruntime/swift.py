"""Swift's objects, by what the compiler writes of their types for reflection.

Specification: docs/ABI/TypeMetadata.rst of Swift's sources. Linux has no Objective-C, so class
metadata is the short form. Nothing is assumed of the order of fields: they are found by name.
"""

import re

from blockruntime.memory import Unreadable

# The symbols of closures, of their partial applications, and of thunks around them.
_CLOSURE = re.compile(r"(U\d*_|U\d*_TA|TA|TR)$")

CLASS, STRUCT = 16, 17
_CLASS_METADATA = 0
_STRUCT_METADATA = 0x200


def _descriptor(memory, metadata):
    kind = memory.word(metadata)
    # A class's kind is 0, or, where it is a pointer, that of a metaclass.
    if kind == _STRUCT_METADATA:
        return memory.word(metadata + 8)
    if kind == _CLASS_METADATA:
        return memory.word(metadata + 40)
    raise Unreadable(f"{metadata:#x} is no metadata of a class or structure")


def _type_name(memory, metadata):
    descriptor = _descriptor(memory, metadata)
    if memory.number(descriptor, "I") & 0x1F not in (CLASS, STRUCT):
        raise Unreadable(f"{metadata:#x} is no metadata of a class or structure")
    return memory.text(memory.relative(descriptor + 8), 256)


def class_name(memory, address):
    """The name of an object's class, without its module; None if there is no Swift object."""
    try:
        if address == 0 or address % 8:
            return None
        name = _type_name(memory, memory.word(address))
    except Unreadable:
        return None
    return name if name.isidentifier() else None


def _field_names(memory, descriptor):
    fields = memory.relative(descriptor + 16)
    if fields == 0:
        raise Unreadable("the program was built without reflection metadata")
    size, count = memory.number(fields + 10, "H"), memory.number(fields + 12, "I")
    if count > 256:
        raise Unreadable(f"{fields:#x} is no list of fields")
    return [memory.text(memory.relative(fields + 16 + size * i + 8), 256) for i in range(count)]


class Fields:
    """The fields of an object, or of a structure at an address."""

    def __init__(self, memory, address, metadata=None):
        self.memory, self.address = memory, address
        self.metadata = metadata or memory.word(address)
        descriptor = _descriptor(memory, self.metadata)
        self.type = _type_name(memory, self.metadata)
        self.names = _field_names(memory, descriptor)
        isClass = memory.number(descriptor, "I") & 0x1F == CLASS
        vector = memory.number(descriptor + (40 if isClass else 24), "I")
        self._offsets = self.metadata + 8 * vector
        self._step = "Q" if isClass else "I"

    def place(self, name):
        """The address of a field."""
        if name not in self.names:
            raise Unreadable(f"{self.type} has no {name}: these tools are of another version")
        step = 8 if self._step == "Q" else 4
        index = self.names.index(name)
        return self.address + self.memory.number(self._offsets + step * index, self._step)

    def number(self, name, layout="Q"):
        return self.memory.number(self.place(name), layout)

    def structure(self, name, symbol):
        """The fields of a field that is a structure, by the symbol of its metadata."""
        return structure(self.memory, symbol, self.place(name))

    def text(self, name):
        """A field of the type `String` or `String?`."""
        place = self.place(name)
        return string(self.memory, self.memory.word(place), self.memory.word(place + 8))


def object_fields(memory, address, name):
    """The fields of an object, which must be of a class of that name."""
    found = class_name(memory, address)
    if found != name:
        raise Unreadable(f"{address:#x} is no {name}" + (f" but a {found}" if found else ""))
    return Fields(memory, address)


def string(memory, low, high):
    """A string's text, of its two words; None for an optional's nil."""
    if high == 0:
        return None
    if high >> 61 == 7:
        # Small: up to fifteen bytes within the words, their number in the last.
        data = low.to_bytes(8, "little") + high.to_bytes(8, "little")
        return data[: (high >> 56) & 0xF].decode("utf-8", "replace")
    size = low & ((1 << 48) - 1)
    # The bytes lie behind an object's header of 32 bytes; a literal's address is 32 less too.
    data = memory.read((high & ((1 << 56) - 1)) + 32, min(size, 1024))
    return data.decode("utf-8", "replace")


def structures(memory, array):
    """The fields of each element of an array of structures, given its storage."""
    count = memory.word(array + 16)
    if count > 1000:
        raise Unreadable(f"{array:#x} is no array")
    if count == 0:
        return []
    storage = memory.word(array)
    descriptor = _descriptor(memory, storage)
    # The storage's class is generic: its first own member is the type of the elements.
    positive = memory.number(descriptor + 28, "I")
    own = memory.number(descriptor + 32, "I")
    element = memory.word(storage + 8 * (positive - own))
    stride = memory.word(memory.word(element - 8) + 72)
    return [Fields(memory, array + 32 + stride * i, element) for i in range(count)]


def instances(memory, symbol, name):
    """The fields of all objects of a class that memory holds, by the symbol of its metadata."""
    metadata = memory.addresses(symbol)
    if not metadata:
        raise Unreadable(f"the program has no symbol {symbol}: it is stripped, or has no {name}")
    for place, _ in memory.find(metadata):
        try:
            yield object_fields(memory, place, name)
        except Unreadable:
            continue


def closure(memory, place):
    """The code of a closure, for people: that which was written, if others are around it.

    What a closure captured lies behind the 16 bytes of its context's header.
    """
    code, context = memory.word(place), memory.word(place + 8)
    for _ in range(8):
        for inner in range(context + 16, context + 96, 8):
            try:
                symbol = memory.symbol(memory.word(inner))
            except Unreadable:
                symbol = None
            if symbol and symbol[1] == 0 and _CLOSURE.search(symbol[0]):
                code, context = memory.word(inner), memory.word(inner + 8)
                break
        else:
            break
    return memory.code(code)


def words(memory, array):
    """The words of an array of references, given its storage."""
    count = memory.word(array + 16)
    if count > 100000:
        raise Unreadable(f"{array:#x} is no array")
    for index in range(count):
        yield memory.word(array + 32 + 8 * index)


def entries(memory, dictionary, key_size, value_size):
    """The places of the keys and the values of a dictionary, given its storage."""
    buckets = 1 << memory.number(dictionary + 32, "B")
    keys, values = memory.word(dictionary + 48), memory.word(dictionary + 56)
    if buckets > 1 << 24:
        raise Unreadable(f"{dictionary:#x} is no dictionary")
    for bucket in range(buckets if memory.word(dictionary + 16) else 0):
        if memory.word(dictionary + 64 + bucket // 64 * 8) >> bucket % 64 & 1:
            yield keys + key_size * bucket, values + value_size * bucket


def argument_name(memory, address):
    """The name of the first argument of an object's generic class; None for other types."""
    metadata = memory.word(address)
    descriptor = _descriptor(memory, metadata)
    positive, own = (memory.number(descriptor + place, "I") for place in (28, 32))
    try:
        return _type_name(memory, memory.word(metadata + 8 * (positive - own)))
    except Unreadable:
        return None


def structure(memory, symbol, address):
    """The fields of a structure that is not in an array, by the symbol of its metadata."""
    found = memory.addresses(symbol)
    if not found:
        raise Unreadable(f"the program has no symbol {symbol}: it is stripped")
    return Fields(memory, address, found[0])


def stride(memory, fields):
    """The distance between structures of a type."""
    return memory.word(memory.word(fields.metadata - 8) + 72)
