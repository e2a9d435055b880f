"""An invocation: its target, its arguments and its result."""

from blockruntime import encodings, swift
from blockruntime.blocks import Block
from blockruntime.memory import Unreadable

_PLAN = "$s11Invocations8CallPlanVN"
# Bits of a pointer to an object that an enumeration may use for itself.
_POINTER = 0x00FF_FFFF_FFFF_FFF8
_ADDRESS = 0x0000_FFFF_FFFF_FFFF


class _Plan:
    """Where the values of a call are in its memory."""

    def __init__(self, memory, address):
        self.memory = memory
        self.address = address
        self.fields = swift.structure(memory, _PLAN, address)
        self.count = self.fields.number("argumentCount")
        if self.count > 4096:
            raise Unreadable(f"{address:#x} is no plan of a call")
        self.places = address + swift.stride(memory, self.fields)

    def offset(self, index):
        return self.memory.number(self.places + 8 * index, "i")

    def kind(self, index):
        return encodings.of_kind(self.memory.number(self.places + 8 * index + 4, "B"))

    def result(self, values):
        """The place of the result, and what is known of its type."""
        if self.fields.number("returnsThroughMemory", "B"):
            return self.memory.word(values), ""
        place = values + self.fields.number("resultOffset")
        return place, encodings.of_kind(self.fields.number("resultScalar", "B"))


def _target(memory, invocation, interface):
    """The target, for people, and the type encoding if it is a block's."""
    place = invocation.place("callee")
    reference = memory.word(place) & _POINTER
    if swift.class_name(memory, reference) == "BlockReference":
        block = Block(memory, swift.Fields(memory, reference).number("pointer"))
        name = memory.name(block.source) or "without symbol"
        return f"block {block.address:#x} <{name}>", block.encoding
    # A function: its name, the interface, its address.
    if memory.word(place + 16) & _POINTER == interface:
        return f"function {memory.code(memory.word(place + 24) & _ADDRESS)}", None
    return "none", None


def describe(memory, address):
    """What `pinvocation` prints."""
    invocation = swift.object_fields(memory, address, "Invocation")
    interface = invocation.number("interface")
    plan = _Plan(memory, swift.object_fields(memory, interface, "CallInterface").number("plan"))
    place = invocation.place("memory")
    values = memory.word(place)
    if memory.word(place + 8) != plan.address:
        raise Unreadable(f"{address:#x} is an Invocation of another version")
    target, encoding = _target(memory, invocation, interface)
    known = encodings.types(encoding) if encoding else []
    if len(known) != plan.count + 1:
        known = [plan.result(values)[1]] + [plan.kind(index) for index in range(plan.count)]
        if not plan.fields.number("hasResult", "B"):
            known[0] = "v"
    lines = [f"invocation {address:#x}", f"  target      {target}"]
    listed = ", ".join(map(encodings.readable, known[1:]))
    lines.append(f"  signature   {encodings.readable(known[0])} ({listed})")
    states = invocation.number("states")
    for index in range(plan.count):
        text = "unset"
        if memory.number(states + index, "B"):
            text = encodings.value(memory, known[index + 1], values + plan.offset(index))
        lines.append(f"  argument {index}  {text}")
    if memory.number(invocation.number("resultState"), "B"):
        text = encodings.value(memory, known[0], plan.result(values)[0])
        return lines + [f"  result      {text}"]
    return lines + ["  result      none"]
