// A C type with a block that is never null; a header of its own, as nullability is stated per file.
#pragma once

struct ctest_with_certain_block {
  int tag;
  void (^_Nonnull done)(int);
};
