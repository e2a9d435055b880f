"""What the Python peers share: rounds, their median, and the check of the results."""

import statistics
import sys
import time

SECOND = 1.5


def expected(count):
    """The sum of `count` results of cbl_add."""
    return sum((index & 1023) + int(SECOND) for index in range(count))


def calls(add, count):
    """Calls a function of cbl_add's type; the sum of its results."""
    total = 0
    for index in range(count):
        total += add(index & 1023, SECOND)
    return total


def measure(name, operation, rounds, count=10_000):
    """Prints a line `name nanoseconds`: the median of the rounds of `operation(count)`."""
    times = []
    right = expected(count)
    operation(count)
    for _ in range(rounds):
        start = time.perf_counter_ns()
        total = operation(count)
        times.append((time.perf_counter_ns() - start) / count)
        if total != right:
            sys.exit(f"{name}: wrong sum {total}")
    print(f"{name} {statistics.median(times):.3f}")
