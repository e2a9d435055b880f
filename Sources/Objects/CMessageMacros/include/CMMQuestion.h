// The question of the thread to an object: the innermost one that is not answered yet.
#pragma once

#pragma clang assume_nonnull begin

extern _Thread_local void *_Nullable cmm_thread_question;

static inline void *_Nullable cmm_question(void) { return cmm_thread_question; }

static inline void cmm_set_question(void *_Nullable question) { cmm_thread_question = question; }

#pragma clang assume_nonnull end
