"""Code that was made for hooks, and the entry that it leads to: CBRCallStubs.h, CBRCallEntry.h."""

from blockruntime.memory import Unreadable

# What the entries of all code of that kind begin with.
CODES = ["cbr_enter_function", "cbr_enter_function_narrow"]

# A stub's word lies as far behind its code, which begins with these bytes.
_SLAB = 65536
_STUB = bytes.fromhex("f30f1efa4c8b1d")


def _may_be_stub(memory, code):
    try:
        return code % 16 == 0 and memory.read(code, len(_STUB)) == _STUB
    except Unreadable:
        # Core files may leave code out that lies in a file.
        return code % 16 == 0


def of_code(memory, code):
    """The entry that code leads to; None where the code was not made for hooks."""
    try:
        entry = memory.word(code + _SLAB) if _may_be_stub(memory, code) else 0
        symbol = memory.symbol(memory.word(entry)) if entry else None
    except Unreadable:
        return None
    return entry if symbol and symbol[0] in CODES and symbol[1] == 0 else None


def codes(memory, wanted):
    """The code that leads to each of some entries, where there is some."""
    found = {}
    for place, entry in memory.find(wanted) if wanted else []:
        if of_code(memory, place - _SLAB) == entry:
            found[entry] = place - _SLAB
    return found
