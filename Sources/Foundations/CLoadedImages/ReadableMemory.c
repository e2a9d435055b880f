#include "CBRReadableMemory.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CBROwnCalls.h"

// rt_sigprocmask copies the new mask from user memory before it checks the operation. With an
// invalid operation it changes nothing, and fails with EFAULT if the memory cannot be read,
// otherwise with EINVAL.
bool cbr_is_readable(const void *address) {
  uintptr_t word = (uintptr_t)address & ~(uintptr_t)7;
  if (word == 0) return false;
  OWN_CALLS;
  long outcome = syscall(SYS_rt_sigprocmask, ~0L, (const void *)word, (void *)0, (size_t)8);
  return outcome == 0 || errno != EFAULT;
}

size_t cbr_readable_string_length(const void *string, size_t limit, bool *terminated) {
  const char *bytes = string;
  const uintptr_t smallest_page = 4096;
  *terminated = false;
  for (size_t length = 0; length < limit; length++) {
    uintptr_t address = (uintptr_t)(bytes + length);
    bool is_new_page = length == 0 || address % smallest_page == 0;
    if (is_new_page && !cbr_is_readable((const void *)address)) return length;
    if (bytes[length] == 0) {
      *terminated = true;
      return length;
    }
  }
  return limit;
}
