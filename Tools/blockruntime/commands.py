"""The commands, whichever debugger they are given to."""

from blockruntime import blocks, delayed, hooks, invocations, methods, objects
from blockruntime.memory import Unreadable

HELP = {
    "pblock": "pblock ADDRESS|EXPRESSION: shows the block there.",
    "phooks": "phooks [ADDRESS|EXPRESSION]: shows the hooks of a block or of a function's code; "
    "without one, of all that memory holds.",
    "pinvocation": "pinvocation ADDRESS|EXPRESSION: shows the Invocation there.",
    "passociated": "passociated ADDRESS|EXPRESSION: shows the associated values and the deinit hooks "
    "of the object there.",
    "pobservers": "pobservers ADDRESS|EXPRESSION: shows who observes the object there.",
    "ptargets": "ptargets ADDRESS|EXPRESSION: shows the targets of the MultiTargetProxy there.",
    "pmethods": "pmethods ADDRESS|EXPRESSION: shows the methods of the ClassObject there, or of the "
    "object's class, and which are hooked.",
    "pdelayed": "pdelayed: shows the blocks that wait in timers.",
}
_OF_ONE = {
    "pblock": blocks.describe, "phooks": hooks.of_address, "pinvocation": invocations.describe,
    "passociated": objects.associated, "pobservers": objects.observers, "ptargets": objects.targets,
    "pmethods": methods.describe,
}
_OF_ALL = {"phooks": hooks.everywhere, "pdelayed": delayed.everywhere}


def run(memory, name, argument):
    """The lines that a command prints; what is not there is one of them."""
    try:
        if argument.strip() and name in _OF_ONE:
            return _OF_ONE[name](memory, memory.evaluate(argument))
        if not argument.strip() and name in _OF_ALL:
            return _OF_ALL[name](memory)
        return [HELP[name]]
    except Unreadable as problem:
        return [f"{name}: {problem}"]
