"""What belongs to an object: its associated values, its deinit hooks, its observers, its targets."""

from blockruntime import swift
from blockruntime.memory import Unreadable


_SHARDS = (
    "$s15ObjectLifetimes11RecordTableO6shardss11InlineArrayVy$63_19BlockRuntimeThreads6LockedVy"
    "AA16RecordsByAddressVGGvpZ")
_RECORDS = "$s15ObjectLifetimes16RecordsByAddressVN"


def _record(memory, address):
    """What the table of objects' records has for an object: an `ObjectRecord`, or its only hook."""
    shards = memory.addresses(_SHARDS)
    if not shards:
        raise Unreadable(f"the program has no symbol {_SHARDS}: it is stripped, or has no records")
    number = (address >> 4) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    # Each part of the table is behind the word of its lock.
    stride = 8 + swift.stride(memory, swift.structure(memory, _RECORDS, shards[0] + 8))
    records = swift.structure(memory, _RECORDS, shards[0] + (number >> 58) * stride + 8)
    places, mask = records.number("places"), records.number("mask")
    index = number >> records.number("shift") & mask
    for _ in range(mask + 1 if places else 0):
        found, word = (memory.word(places + 16 * index + offset) for offset in (0, 8))
        if found == address:
            # The pointer to a record is odd.
            return swift.Fields(memory, word & ~1)
        if found == 0:
            break
        index = index + 1 & mask
    return None


def _contents(memory, address):
    """The values and the hooks of an object: fields of `AssociatedValue`, and of `DeinitHook`."""
    if not swift.class_name(memory, address):
        raise Unreadable(f"there is no object of Swift at {address:#x}")
    record = _record(memory, address)
    if record is None:
        return [], []
    if record.type == "DeinitHook":
        return [], [record]
    contents = record.structure("contents", "$s15ObjectLifetimes14RecordContentsVN")
    hooks = contents.structure("hooks", "$s15ObjectLifetimes8HookListVN")
    others = hooks.number("others")
    listed = [hooks.number("first")] + list(swift.words(memory, others))
    values = swift.structures(memory, contents.number("values"))
    return values, [swift.Fields(memory, hook) for hook in listed[:hooks.number("count")] if hook]


def _value(memory, value):
    """An associated value, for people: a `StoredValue?`, the bytes of a value or an object's box."""
    place = value.place("value")
    word, case = memory.word(place), memory.number(place + 8, "B")
    if case == 0:
        return f"{word:#x}, the bytes of a value"
    box = swift.class_name(memory, word)
    if not box:
        return "none"
    kind = swift.argument_name(memory, word)
    held = memory.word(word + 16)
    if box == "StrongBox" and kind == "String":
        return f'"{swift.string(memory, held, memory.word(word + 24))}"'
    name = swift.class_name(memory, held) if box == "StrongBox" else None
    what = f"{held:#x}, {name}" if name else f"in {word:#x}"
    weak = ", weak" if box == "WeakBox" else ", isolated" if box == "IsolatedBox" else ""
    return f"{what}{weak}" + (f", as {kind}" if kind and kind != name else "")


def associated(memory, address):
    """What `passociated` prints."""
    values, hooks = _contents(memory, address)
    lines = [f"object {address:#x}, {swift.class_name(memory, address)}"]
    lines += [f"  #{value.number('key')}  {_value(memory, value)}" for value in values]
    for hook in hooks:
        position = ["before", "after"][hook.number("position", "B")]
        lines.append(f"  hook {position} deinit {swift.closure(memory, hook.place('body'))}")
    return lines if values or hooks else lines + ["  no associated values and no deinit hooks"]


# MARK: Observers

def observers(memory, address):
    """What `pobservers` prints."""
    lines = [f"object {address:#x}, {swift.class_name(memory, address)}"]
    for value in _contents(memory, address)[0]:
        box = memory.word(value.place("value"))
        if swift.class_name(memory, box) != "StrongBox":
            continue
        registry = memory.word(box + 16)
        if swift.class_name(memory, registry) != "ObserverRegistry":
            continue
        # A lock's word, and what it guards, which begins with the observations.
        state = swift.Fields(memory, registry).place("state") + 8
        found = [
            (memory.word(place), memory.word(place + 8))
            for _, place in swift.entries(memory, memory.word(state), 8, 16)]
        for _, observation in sorted(found):
            lines += _observation(memory, swift.object_fields(
                memory, observation, "KeyValueObservation"))
    return lines if len(lines) > 1 else lines + ["  no observers"]


def _observation(memory, observation):
    calls, name = observation.number("calls", "I"), observation.text("name")
    paths = list(swift.words(memory, observation.number("keyPaths")))
    parts = [f'"{name}"' if name is not None else "without name"]
    if observation.text("stringKeyPath") is not None:
        parts.append(f'of "{observation.text("stringKeyPath")}"')
    parts += ["suspended"] if calls >> 29 & 1 else []
    lines = [f"  {', '.join(parts)}, {observation.address:#x}"]
    lines += [f"    of {_key_path(memory, path)}" for path in paths]
    handler = swift.Fields(memory, observation.number("handler"))
    return lines + [f"    calls {swift.closure(memory, handler.place('body'))}"]


def _key_path(memory, path):
    """The symbols of a key path's getters, which have the names of the properties."""
    end = path + 32 + (memory.number(path + 24, "I") & 0xFF_FFFF)
    names, last = [], ""
    for place in range(path + 32, min(end, path + 512), 8):
        symbol = memory.symbol(memory.word(place))
        name = symbol[0] if symbol else ""
        # Behind a property's own getter is the key path's.
        if name.endswith("vg") or name.endswith("TK") and not last.endswith("vg"):
            names.append(name)
        last = name
    return ", ".join(names) or f"the key path {path:#x}"


# MARK: Targets

def targets(memory, address):
    """What `ptargets` prints."""
    proxy = swift.object_fields(memory, address, "MultiTargetProxy")
    members = swift.object_fields(memory, memory.word(proxy.number("slot")), "TargetList")
    lines = [f"proxy {address:#x}"]
    for number, member in enumerate(swift.words(memory, members.number("targets")), 1):
        target = swift.object_fields(memory, member, "ProxyTarget")
        parts = [_target(memory, target), f"priority {target.number('priority', 'q')}"]
        parts += ["removed"] if target.number("removed", "B") else []
        lines.append(f"  {number}. {', '.join(parts)}")
    return lines if len(lines) > 1 else lines + ["  no targets"]


def _target(memory, target):
    address = target.number("object")
    if target.number("strong"):
        return f"{address:#x}, {swift.class_name(memory, address)}, strong"
    # A weak variable leads to the entry that counts references: this bit says that they have ended.
    ended = memory.word(target.number("weak") + 16) >> 32 & 1 if target.number("weak") else 1
    return "dead" if ended else f"{address:#x}, {swift.class_name(memory, address)}, weak"
