"""The commands, whichever debugger they are given to."""

from blockruntime import blocks, hooks, invocations
from blockruntime.memory import Unreadable

HELP = {
    "pblock": "pblock ADDRESS|EXPRESSION: shows the block there.",
    "phooks": "phooks [ADDRESS|EXPRESSION]: shows the hooks of a block or of a function's code; "
    "without one, of all that memory holds.",
    "pinvocation": "pinvocation ADDRESS|EXPRESSION: shows the Invocation there.",
}
_OF_ONE = {
    "pblock": blocks.describe, "phooks": hooks.of_address, "pinvocation": invocations.describe,
}


def run(memory, name, argument):
    """The lines that a command prints; what is not there is one of them."""
    try:
        if argument.strip():
            return _OF_ONE[name](memory, memory.evaluate(argument))
        if name == "phooks":
            return hooks.everywhere(memory)
        return [HELP[name]]
    except Unreadable as problem:
        return [f"{name}: {problem}"]
