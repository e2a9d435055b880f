"""The commands for lldb: `command script import Tools/blockruntime_lldb.py`."""

import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from blockruntime import commands
from blockruntime.memory import Memory, Unreadable


class LLDBMemory(Memory):
    """What lldb knows of the selected program."""

    def __init__(self, context):
        self.target, self.process = context.target, context.process
        self.frame = context.frame

    def read(self, address, size):
        error = lldb.SBError()
        data = self.process.ReadMemory(address, size, error) if self.process else None
        if not data or len(data) != size or error.Fail():
            raise Unreadable(f"{size} bytes at {address:#x} cannot be read")
        return data

    def symbol(self, address):
        place = self.target.ResolveLoadAddress(address)
        symbol = place.GetSymbol()
        if not symbol.IsValid():
            return None
        name = symbol.GetMangledName() or symbol.GetName()
        return name, address - symbol.GetStartAddress().GetLoadAddress(self.target)

    def addresses(self, name):
        found = [context.GetSymbol() for context in self.target.FindSymbols(name)]
        return sorted({
            symbol.GetStartAddress().GetLoadAddress(self.target) for symbol in found
            if symbol.IsValid()})

    def evaluate(self, expression):
        try:
            return int(expression, 0)
        except ValueError:
            pass
        # Nothing is run in the program: registers and variables only.
        value = (
            self.frame.FindRegister(expression[1:]) if expression.startswith("$")
            else self.frame.FindVariable(expression))
        if value.IsValid() and value.GetError().Success():
            return value.GetValueAsUnsigned()
        raise Unreadable(f"{expression} has no value here: give an address, a register, a variable")

    def regions(self):
        listed, region = self.process.GetMemoryRegions(), lldb.SBMemoryRegionInfo()
        found = []
        for index in range(listed.GetSize()):
            listed.GetMemoryRegionAtIndex(index, region)
            name = region.GetName() or ""
            if region.IsReadable() and not name.startswith(("/dev/", "[v")):
                found.append((region.GetRegionBase(), region.GetRegionEnd()))
        return found


def _command(name):
    def run(debugger, argument, context, result, _):
        for line in commands.run(LLDBMemory(context), name, argument):
            result.AppendMessage(line)

    run.__doc__ = commands.HELP[name]
    return run


globals().update({name: _command(name) for name in commands.HELP})


def __lldb_init_module(debugger, _):
    for name in commands.HELP:
        debugger.HandleCommand(f"command script add -f {__name__}.{name} {name}")
