#include "CBRSelectors.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "CBROwnCalls.h"

struct name {
  uint64_t hash;
  size_t length;
  char text[];
};

// An open-addressed hash table with linear probing; read and changed under the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name **buckets;
static size_t bucket_count;
static size_t name_count;

// The registered names by address, to recognise selectors among addresses from other code.
static struct name **by_address;

enum { LITERALS = 1024 };

// A cache from addresses of literals to names; each hit is confirmed by comparing the text.
static struct name *literals[LITERALS];

static uint64_t hash_of(const char *text, size_t length) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t index = 0; index < length; index++)
    hash = (hash ^ (uint8_t)text[index]) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_of_address(const void *address) {
  return ((uintptr_t)address >> 3) * 0x9E3779B97F4A7C15u;
}

static void place(struct name *name, struct name **table, size_t count, uint64_t hash) {
  size_t index = hash & (count - 1);
  while (table[index]) index = (index + 1) & (count - 1);
  table[index] = name;
}

// Doubles the tables. If memory is refused, they stay as they are; then the function returns
// whether a free place, at which searches end, remains after one more name.
static bool grow(void) {
  size_t count = bucket_count ? bucket_count * 2 : 256;
  struct name **names = calloc(count, sizeof *names);
  struct name **addresses = calloc(count, sizeof *addresses);
  if (!names || !addresses) {
    free(names);
    free(addresses);
    return name_count + 1 < bucket_count;
  }
  for (size_t index = 0; index < bucket_count; index++) {
    struct name *name = buckets[index];
    if (!name) continue;
    place(name, names, count, name->hash);
    place(name, addresses, count, hash_of_address(name->text));
  }
  free(buckets);
  free(by_address);
  buckets = names;
  by_address = addresses;
  bucket_count = count;
  return true;
}

static struct name *find(const char *text, size_t length, uint64_t hash) {
  if (!bucket_count) return NULL;
  for (size_t index = hash & (bucket_count - 1); buckets[index];
       index = (index + 1) & (bucket_count - 1)) {
    struct name *name = buckets[index];
    if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
      return name;
  }
  return NULL;
}

static struct name *named(const char *text, size_t length, bool is_made) {
  OWN_CALLS;
  uint64_t hash = hash_of(text, length);
  pthread_mutex_lock(&lock);
  struct name *name = find(text, length, hash);
  if (!name && is_made) {
    name = malloc(sizeof *name + length + 1);
    if (!name || ((name_count + 1) * 2 > bucket_count && !grow())) abort();
    *name = (struct name){hash, length};
    memcpy(name->text, text, length);
    name->text[length] = 0;
    place(name, buckets, bucket_count, hash);
    place(name, by_address, bucket_count, hash_of_address(name->text));
    name_count++;
  }
  pthread_mutex_unlock(&lock);
  return name;
}

const void *cbr_selector_named(const char *name) {
  return named(name, strlen(name), true)->text;
}

const void *cbr_selector_known(const char *name) {
  struct name *known = named(name, strlen(name), false);
  return known ? known->text : NULL;
}

static inline uint64_t eight(const void *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static inline uint32_t four(const void *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

// Compares words, the last of which may overlap the one before. A typed message with a literal
// selector begins here, and a call of `memcmp` would be a quarter of it.
static inline bool is_same(const char *name, const uint8_t *text, size_t length) {
  if (length < 4) {
    for (size_t index = 0; index < length; index++)
      if ((uint8_t)name[index] != text[index]) return false;
    return true;
  }
  if (length < 8)
    return four(name) == four(text) && four(name + length - 4) == four(text + length - 4);
  size_t last = length - 8;
  for (size_t index = 0; index < last; index += 8)
    if (eight(name + index) != eight(text + index)) return false;
  return eight(name + last) == eight(text + last);
}

// A function of its own, so that the way of a known literal saves no registers.
static __attribute__((noinline)) const void *new_literal(
    const uint8_t *text, size_t length, struct name **literal) {
  // A zero byte ends the name, as it does every C string.
  size_t named_length = 0;
  while (named_length < length && text[named_length]) named_length++;
  struct name *name = named((const char *)text, named_length, true);
  __atomic_store_n(literal, name, __ATOMIC_RELEASE);
  return name->text;
}

const void *cbr_selector_literal(const uint8_t *text, size_t length) {
  struct name **literal = &literals[hash_of_address(text) >> 54];
  // A name is complete before it is stored, and never freed.
  struct name *known = __atomic_load_n(literal, __ATOMIC_ACQUIRE);
  if (known && known->length == length && is_same(known->text, text, length))
    return known->text;
  return new_literal(text, length, literal);
}

bool cbr_selector_is(const void *address) {
  OWN_CALLS;
  pthread_mutex_lock(&lock);
  bool is_known = false;
  if (bucket_count)
    for (size_t index = hash_of_address(address) & (bucket_count - 1);
         by_address[index] && !is_known; index = (index + 1) & (bucket_count - 1))
      is_known = by_address[index]->text == address;
  pthread_mutex_unlock(&lock);
  return is_known;
}
