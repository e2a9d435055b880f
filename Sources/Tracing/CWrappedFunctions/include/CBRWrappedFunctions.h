// The functions of libdispatch, the blocks runtime and Swift's concurrency library that the tracer
// hooks: in a program which contains these libraries, the linker leads calls of them through words
// of StaticTracing.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

// Those of libdispatch and others that the program and its libraries call, and those that only the
// concurrency library calls itself.
#define CBR_WRAPPED_FUNCTIONS(OF_DISPATCH, OF_PROGRAM, OF_CONCURRENCY) \
  OF_PROGRAM(_Block_copy) \
  OF_PROGRAM(_Block_object_assign) \
  OF_DISPATCH(dispatch_sync) \
  OF_DISPATCH(dispatch_barrier_sync) \
  OF_DISPATCH(dispatch_async_and_wait) \
  OF_DISPATCH(dispatch_barrier_async_and_wait) \
  OF_DISPATCH(dispatch_apply) \
  OF_DISPATCH(dispatch_async) \
  OF_DISPATCH(dispatch_barrier_async) \
  OF_DISPATCH(dispatch_after) \
  OF_DISPATCH(dispatch_group_async) \
  OF_DISPATCH(dispatch_group_notify) \
  OF_DISPATCH(dispatch_source_set_event_handler) \
  OF_DISPATCH(dispatch_source_set_cancel_handler) \
  OF_DISPATCH(dispatch_source_set_registration_handler) \
  OF_DISPATCH(dispatch_block_notify) \
  OF_DISPATCH(dispatch_once) \
  OF_DISPATCH(dispatch_block_perform) \
  OF_DISPATCH(dispatch_data_apply) \
  OF_DISPATCH(dispatch_sync_f) \
  OF_DISPATCH(dispatch_barrier_sync_f) \
  OF_DISPATCH(dispatch_async_and_wait_f) \
  OF_DISPATCH(dispatch_barrier_async_and_wait_f) \
  OF_DISPATCH(dispatch_apply_f) \
  OF_DISPATCH(dispatch_async_f) \
  OF_DISPATCH(dispatch_barrier_async_f) \
  OF_DISPATCH(dispatch_after_f) \
  OF_DISPATCH(dispatch_group_async_f) \
  OF_DISPATCH(dispatch_group_notify_f) \
  OF_DISPATCH(dispatch_source_set_event_handler_f) \
  OF_DISPATCH(dispatch_source_set_cancel_handler_f) \
  OF_DISPATCH(dispatch_source_set_registration_handler_f) \
  OF_DISPATCH(dispatch_once_f) \
  OF_DISPATCH(dispatch_queue_create) \
  OF_DISPATCH(dispatch_queue_create_with_target) \
  OF_DISPATCH(dispatch_workloop_create) \
  OF_DISPATCH(dispatch_workloop_create_inactive) \
  OF_DISPATCH(dispatch_source_create) \
  OF_DISPATCH(dispatch_set_target_queue) \
  OF_DISPATCH(dispatch_block_cancel) \
  OF_DISPATCH(dispatch_group_wait) \
  OF_DISPATCH(dispatch_semaphore_wait) \
  OF_DISPATCH(dispatch_block_wait) \
  OF_PROGRAM(swift_job_run) \
  OF_PROGRAM(swift_job_run_on_task_executor) \
  OF_PROGRAM(swift_job_run_on_serial_and_task_executor) \
  OF_PROGRAM(swift_task_immediate) \
  OF_PROGRAM(swift_task_create) \
  OF_PROGRAM(swift_asyncLet_begin) \
  OF_PROGRAM(swift_task_switch) \
  OF_PROGRAM(swift_asyncLet_get) \
  OF_PROGRAM(swift_asyncLet_get_throwing) \
  OF_PROGRAM(swift_asyncLet_finish) \
  OF_PROGRAM(swift_asyncLet_consume) \
  OF_PROGRAM(swift_asyncLet_consume_throwing) \
  OF_PROGRAM(swift_continuation_resume) \
  OF_PROGRAM(swift_continuation_throwingResume) \
  OF_PROGRAM(swift_continuation_throwingResumeWithError) \
  OF_PROGRAM($sScT5valuexvg) \
  OF_PROGRAM($sScTss5NeverORs_rlE5valuexvg) \
  OF_PROGRAM($sScT6results6ResultOyxq_Gvg) \
  OF_PROGRAM($sScC6resume9returningyxn_tF) \
  OF_PROGRAM($sScC6resume8throwingyq_n_tF) \
  OF_CONCURRENCY(swift_task_enterThreadLocalContext) \
  OF_CONCURRENCY(swift_task_exitThreadLocalContext)

// The name of a function, by its number from 0; NULL behind the last one.
const char *_Nullable cbr_wrapped_name(size_t number);

#pragma clang assume_nonnull end
