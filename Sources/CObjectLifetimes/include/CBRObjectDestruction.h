// What happens when the last reference to a Swift object is given up, for any Swift class.
//
// Two words before a class's metadata is the function that the runtime calls with an object of
// exactly that class when its last reference goes; a subclass's calls its superclass's deinit itself.
// Watching a class replaces that word for good. An object that is not marked then costs two look-ups
// at its end; one that is marked is shown to the handlers.
#pragma once

#include <stdbool.h>

struct cbr_destruction_handlers {
  // Takes the object's record out of the caller's tables: what it returns goes to the other two.
  // NULL where there is none.
  void *(*take)(const void *object);
  // Before the object's deinit.
  void (*will_die)(void *record, const void *object);
  // After its deinit, and after its memory is gone; where the deinit is isolated to an actor that has
  // yet to run it, before both.
  void (*did_die)(void *record);
};

enum cbr_watch_result {
  CBR_WATCHED,
  // The object is a block, a value's box, or something else that has no Swift class.
  CBR_WATCH_NO_CLASS,
  // The object's last reference is gone.
  CBR_WATCH_DYING,
  // The class's metadata cannot be written.
  CBR_WATCH_PROTECTED,
  CBR_WATCH_NO_MEMORY,
};

// Watches the class of a live object. The first call's handlers are kept, all others must be equal.
enum cbr_watch_result cbr_watch_class_of(const void *object,
                                         const struct cbr_destruction_handlers *handlers);

// Whether the object, one of a Swift class, has lost its last reference.
bool cbr_object_is_dying(const void *object);

// Counts a record of the object, under a hash of its address, so that objects without any need not
// be looked for in a table. Each is undone by one `cbr_unmark_object`.
void cbr_mark_object(const void *object);
void cbr_unmark_object(const void *object);

// Whether there may be a record of the object. False only where there is none.
bool cbr_object_is_marked(const void *object);

// The record of an object whose deinit this thread is running, or NULL.
void *cbr_dying_record(const void *object);

// A word of this thread's: the handlers' list of what is to end after what ends now.
void *cbr_ended_within(void);
void cbr_set_ended_within(void *list);
