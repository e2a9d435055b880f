"""The methods of classes that receive messages."""

from blockruntime import swift
from blockruntime.memory import Unreadable

_CLASS_OBJECT = "$s17MessageForwarding11ClassObjectCN"


def _class_object(memory, address):
    """The class object at an address, or that of the object's class there."""
    if swift.class_name(memory, address) in ("ClassObject", "DynamicClass"):
        return swift.Fields(memory, address)
    if not swift.class_name(memory, address):
        raise Unreadable(f"there is no object of Swift at {address:#x}")
    metadata = memory.word(address)
    known = {
        found.number("swiftClass"): found
        for found in swift.instances(memory, _CLASS_OBJECT, "ClassObject")}
    while metadata and metadata not in known:
        metadata = memory.word(metadata + 8)
    if not metadata:
        raise Unreadable(f"{address:#x} is of a class to which no message was sent")
    return known[metadata]


def _lines(memory, dictionary, mark):
    dictionary = swift.object_fields(memory, dictionary, "MethodDictionary")
    hooked = {
        memory.word(key): swift.object_fields(memory, memory.word(value), "HookedPlace")
        for key, value in swift.entries(memory, dictionary.number("hooked"), 8, 8)}
    own = {
        memory.word(key): memory.word(value)
        for key, value in swift.entries(memory, dictionary.number("own"), 8, 8)}
    lines = []
    for selector in set(own) | set(hooked):
        parts = [swift.class_name(memory, own[selector]) if selector in own else "inherited"]
        if selector in hooked:
            # A lock's word, and what it guards, which begins with the installed hooks.
            hooks = swift.Fields(memory, hooked[selector].number("hooks")).place("state") + 8
            count = memory.word(memory.word(hooks) + 16)
            parts += [f"{count} hook" + ("s" if count > 1 else "")] if count else []
        lines.append(f"  {mark}{memory.text(selector)}  {', '.join(parts)}")
    return sorted(lines)


def describe(memory, address):
    """What `pmethods` prints."""
    found, lines = _class_object(memory, address), []
    while found:
        lines.append(f"class {found.text('name')}")
        lines += _lines(memory, found.number("instanceMethods"), "")
        lines += _lines(memory, found.number("classMethods"), "+")
        superclass = found.number("superclass")
        found = swift.Fields(memory, superclass) if superclass else None
    return lines
