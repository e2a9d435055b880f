"""Type encodings as C types, and the values of such types."""

from blockruntime.memory import Unreadable

_SCALARS = {
    "c": ("char", "b"), "C": ("unsigned char", "B"), "s": ("short", "h"),
    "S": ("unsigned short", "H"), "i": ("int", "i"), "I": ("unsigned int", "I"),
    "l": ("long", "q"), "L": ("unsigned long", "Q"), "q": ("long", "q"),
    "Q": ("unsigned long", "Q"), "f": ("float", "f"), "d": ("double", "d"), "B": ("bool", "B"),
}
_OTHERS = {
    "v": "void", "*": "char *", "@": "object", "#": "class", ":": "selector", "?": "function",
    "D": "long double", "t": "__int128", "T": "unsigned __int128",
}
_OPEN = {"{": "}", "(": ")", "[": "]", "<": ">"}

# ScalarKind, in its order: what a plan says of a value.
_KINDS = ["", "c", "C", "s", "S", "i", "I", "q", "Q", "f", "d", "^v"]


def of_kind(number):
    """The encoding of a ScalarKind; empty where it is none."""
    return _KINDS[number] if number < len(_KINDS) else ""


def _closing(text, start):
    """The index behind the bracket that closes the one at an index; names are skipped."""
    stack, index = [], start
    while index < len(text):
        character = text[index]
        if character == '"':
            index = text.find('"', index + 1)
            if index < 0:
                break
        elif character in _OPEN:
            stack.append(_OPEN[character])
        elif stack and character == stack[-1]:
            stack.pop()
            if not stack:
                return index + 1
        index += 1
    raise Unreadable(f"the type encoding {text} does not end")


def _end(text, start):
    """The index behind the type at an index."""
    index = start
    while index < len(text) and text[index] in "rnNoORVAj^+":
        index += 1
    if index >= len(text):
        raise Unreadable(f"the type encoding {text} does not end")
    if text[index] == "@":
        if text[index + 1 : index + 2] == "?":
            index += 2
            return _closing(text, index) if text[index : index + 1] == "<" else index
        if text[index + 1 : index + 2] == '"':
            return text.find('"', index + 2) + 1 or len(text)
        return index + 1
    return _closing(text, index) if text[index] in _OPEN else index + 1


def types(encoding):
    """The types of a signature, the result first; frame offsets are left out."""
    found, index = [], 0
    while index < len(encoding):
        end = _end(encoding, index)
        found.append(encoding[index:end])
        index = end
        while index < len(encoding) and encoding[index] in "+-0123456789":
            index += 1
    return found


def readable(encoding):
    """A type as C would write it, more or less."""
    if not encoding:
        return "?"
    first, rest = encoding[0], encoding[1:]
    if first == "r":
        return "const " + readable(rest)
    if first in "nNoORVA+":
        return readable(rest)
    if first == "j":
        return "complex " + readable(rest)
    if first == "^":
        return readable(rest) + " *"
    if first in _SCALARS:
        return _SCALARS[first][0]
    if first == "@":
        return "block" if rest.startswith("?") else rest.strip('"') or "object"
    if first in "{(":
        name = rest.split("=")[0].rstrip("})")
        return ("struct " if first == "{" else "union ") + (name if name != "?" else "")
    return _OTHERS.get(first, encoding)


def signature(encoding):
    """A block's signature, without the block itself."""
    result, *arguments = types(encoding)
    return f"{readable(result)} ({', '.join(map(readable, arguments[1:])) or 'void'})"


def value(memory, encoding, place):
    """The value of a type that lies at a place."""
    kind = encoding.lstrip("rnNoORVA+")
    if kind[:1] in _SCALARS:
        number = memory.number(place, _SCALARS[kind[0]][1])
        if kind[0] == "B":
            return "true" if number else "false"
        return f"{number:g}" if kind[0] in "fd" else str(number)
    if kind[:1] in "{([":
        return f"at {place:#x}"
    if kind[:1] in "^@#:*?":
        pointer = memory.word(place)
        if kind[0] == "*" and pointer:
            try:
                return '"' + memory.text(pointer, 1024) + '"'
            except Unreadable:
                pass
        return f"{pointer:#x}" if pointer else "null"
    return f"{memory.word(place):#x}"
