"""The commands for gdb: `source Tools/blockruntime_gdb.py`."""

import os
import re
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from blockruntime import commands
from blockruntime.memory import Memory, Unreadable


class GDBMemory(Memory):
    """What gdb knows of the selected program."""

    def read(self, address, size):
        try:
            return gdb.selected_inferior().read_memory(address, size).tobytes()
        except (gdb.error, OverflowError) as problem:
            raise Unreadable(f"{size} bytes at {address:#x} cannot be read") from problem

    def symbol(self, address):
        text = gdb.execute(f"info symbol {address:#x}", to_string=True)
        found = re.match(r"(\S+)(?: \+ (\d+))? in section", text)
        return (found[1], int(found[2] or 0)) if found else None

    def addresses(self, name):
        found = [
            int(symbol.value().address) for symbol in gdb.lookup_static_symbols(name)
            if symbol.is_variable or symbol.is_function]
        if found:
            return found
        try:
            return [int(gdb.parse_and_eval(f"(unsigned long)&'{name}'"))]
        except gdb.error:
            return []

    def evaluate(self, expression):
        try:
            value = gdb.parse_and_eval(expression)
            code = value.type.strip_typedefs().code
            if value.is_optimized_out:
                raise Unreadable(f"{expression} is optimised out here")
            if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR):
                return int(value) & (1 << 64) - 1
            if value.address is None:
                raise Unreadable(f"{expression} has no address")
            if code == gdb.TYPE_CODE_FUNC:
                return int(value.address)
            # A variable of a type that gdb does not know, such as Swift's: its first word.
            return self.word(int(value.address))
        except (gdb.error, TypeError, ValueError, OverflowError) as problem:
            raise Unreadable(f"{expression} has no value here: {problem}") from problem

    def regions(self):
        """What is mapped: of a core file, what it has of it."""
        try:
            text = gdb.execute("info proc mappings", to_string=True)
        except gdb.error:
            text = ""
        found = re.findall(r"^ *(0x\w+) +(0x\w+) +0x\w+ +0x\w+ +r\S*( .*)?$", text, re.M)
        # Reading devices may do something, and what the kernel maps fails.
        found = [
            (start, end) for start, end, name in found
            if not name.strip().startswith(("/dev/", "[v"))]
        if not found:
            text = gdb.execute("info files", to_string=True)
            found = re.findall(r"^\s*(0x\w+) - (0x\w+) is load", text, re.M)
        return [(int(start, 16), int(end, 16)) for start, end in found]


class BlockRuntimeCommand(gdb.Command):
    """One of the commands."""

    def __init__(self, name):
        self.name, self.__doc__ = name, commands.HELP[name]
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        for line in commands.run(GDBMemory(), self.name, argument):
            print(line)


for name in commands.HELP:
    BlockRuntimeCommand(name)
