#if Everything
/// A program in C that sends blocks and functions to queues in every way, each from a function of its
/// own, and prints how many of them ran.
enum QueueProgram {
  static let source = #"""
    #include <dispatch/dispatch.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <unistd.h>
    void dispatch_async_and_wait(dispatch_queue_t, dispatch_block_t);
    void dispatch_barrier_async_and_wait(dispatch_queue_t, dispatch_block_t);
    void dispatch_async_and_wait_f(dispatch_queue_t, void *, dispatch_function_t);
    void dispatch_barrier_async_and_wait_f(dispatch_queue_t, void *, dispatch_function_t);
    void *_Block_copy(const void *);
    void _Block_release(const void *);
    static atomic_int counter;
    static dispatch_queue_t serial, concurrent, targeted, suspended;
    static dispatch_group_t group;
    static dispatch_semaphore_t done;
    static void ran(void) { atomic_fetch_add(&counter, 1); }
    static void wait_done(void) { dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER); }
    static dispatch_time_t soon(void) { return dispatch_time(DISPATCH_TIME_NOW, 2000000); }
    #define BLOCK ^{ ran(); atomic_fetch_add(&sum, captured); }
    #define WAY(name, ...) static void by_##name(void) { int captured = 1; __VA_ARGS__; }
    #define F(name, ...) \
      static void name##_function(void *context) { ran(); } \
      static void by_##name(void) { dispatch_function_t function = name##_function; __VA_ARGS__; }
    static atomic_int sum;
    WAY(async, dispatch_async(serial, BLOCK))
    WAY(barrier_async, dispatch_barrier_async(concurrent, BLOCK))
    WAY(group_async, dispatch_group_async(group, concurrent, BLOCK))
    WAY(targeted_async, dispatch_group_async(group, targeted, BLOCK))
    WAY(global_async, dispatch_group_async(group, dispatch_get_global_queue(0, 0), BLOCK))
    WAY(sync, dispatch_sync(serial, BLOCK))
    WAY(barrier_sync, dispatch_barrier_sync(concurrent, BLOCK))
    WAY(async_and_wait, dispatch_async_and_wait(serial, BLOCK))
    WAY(barrier_async_and_wait, dispatch_barrier_async_and_wait(concurrent, BLOCK))
    WAY(apply, dispatch_apply(3, concurrent, ^(size_t index) { ran(); atomic_fetch_add(&sum, captured); }))
    WAY(apply_auto, dispatch_apply(3, DISPATCH_APPLY_AUTO, ^(size_t index) { ran(); atomic_fetch_add(&sum, captured); }))
    WAY(once, static dispatch_once_t once; dispatch_once(&once, BLOCK))
    WAY(notify, dispatch_group_notify(group, serial, ^{ ran(); atomic_fetch_add(&sum, captured); dispatch_semaphore_signal(done); }))
    WAY(after, dispatch_after(soon(), serial, ^{ ran(); atomic_fetch_add(&sum, captured); dispatch_semaphore_signal(done); }))
    WAY(after_now, dispatch_after(DISPATCH_TIME_NOW, serial, ^{ ran(); atomic_fetch_add(&sum, captured); dispatch_semaphore_signal(done); }))
    WAY(block_wait, dispatch_block_t made = dispatch_block_create(0, BLOCK); dispatch_async(serial, made);
        dispatch_block_wait(made, DISPATCH_TIME_FOREVER); _Block_release(made))
    WAY(block_notify, dispatch_block_t made = dispatch_block_create(0, BLOCK);
        dispatch_block_notify(made, concurrent, ^{ ran(); atomic_fetch_add(&sum, captured); dispatch_semaphore_signal(done); });
        dispatch_async(serial, made); wait_done(); _Block_release(made))
    WAY(block_cancel, dispatch_block_t made = dispatch_block_create(0, BLOCK); dispatch_suspend(serial);
        dispatch_async(serial, made); dispatch_block_cancel(made); dispatch_resume(serial); _Block_release(made))
    WAY(cancelled, dispatch_block_t made = dispatch_block_create(0, BLOCK); dispatch_block_cancel(made);
        dispatch_async(serial, made); _Block_release(made))
    WAY(several, dispatch_block_t block = _Block_copy(BLOCK); dispatch_suspend(serial);
        for (int round = 0; round < 3; round++) dispatch_async(serial, block);
        dispatch_resume(serial); _Block_release(block))
    WAY(pending, dispatch_async(suspended, BLOCK))
    F(async_f, dispatch_async_f(serial, 0, function))
    F(barrier_async_f, dispatch_barrier_async_f(concurrent, 0, function))
    F(group_async_f, dispatch_group_async_f(group, concurrent, 0, function))
    F(sync_f, dispatch_sync_f(serial, 0, function))
    F(barrier_sync_f, dispatch_barrier_sync_f(concurrent, 0, function))
    F(async_and_wait_f, dispatch_async_and_wait_f(serial, 0, function))
    F(barrier_async_and_wait_f, dispatch_barrier_async_and_wait_f(concurrent, 0, function))
    F(after_f, dispatch_after_f(soon(), serial, 0, function))
    F(pending_f, dispatch_async_f(suspended, 0, function))
    F(once_f, static dispatch_once_t once; dispatch_once_f(&once, 0, function))
    static void apply_f_function(void *context, size_t index) { ran(); }
    static void by_apply_f(void) { dispatch_apply_f(3, concurrent, 0, apply_f_function); }
    static void notify_f_function(void *context) { ran(); dispatch_semaphore_signal(done); }
    static void by_notify_f(void) { dispatch_group_notify_f(group, serial, 0, notify_f_function); }

    static dispatch_source_t source;
    static void by_handlers(void) {
      source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, serial);
      dispatch_source_set_registration_handler(source, ^{ ran(); });
      dispatch_source_set_event_handler(source, ^{ ran(); dispatch_source_cancel(source); });
      dispatch_source_set_cancel_handler(source, ^{ ran(); dispatch_semaphore_signal(done); });
    }
    static void registration_function(void *context) { ran(); }
    static void event_function(void *context) { if (context == source) ran(); dispatch_source_cancel(source); }
    static void cancel_function(void *context) { if (context == source) ran(); dispatch_semaphore_signal(done); }
    static void by_handlers_f(void) {
      source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, serial);
      dispatch_source_set_registration_handler_f(source, registration_function);
      dispatch_source_set_event_handler_f(source, event_function);
      dispatch_source_set_cancel_handler_f(source, cancel_function);
      dispatch_set_context(source, source);
    }
    static void fire(void) {
      dispatch_source_set_timer(source, DISPATCH_TIME_NOW, 1000000000, 0);
      dispatch_resume(source);
      wait_done();
    }
    int main(void) {
      done = dispatch_semaphore_create(0);
      group = dispatch_group_create();
      serial = dispatch_queue_create("c.serial", NULL);
      concurrent = dispatch_queue_create("c.concurrent", DISPATCH_QUEUE_CONCURRENT);
      targeted = dispatch_queue_create_with_target("c.targeted", NULL, serial);
      suspended = dispatch_queue_create("c.suspended", NULL);
      dispatch_suspend(suspended);
      by_async(); by_barrier_async(); by_group_async(); by_targeted_async(); by_global_async();
      by_sync(); by_barrier_sync(); by_async_and_wait(); by_barrier_async_and_wait();
      by_apply(); by_apply_auto(); by_once();
      by_notify(); wait_done();
      by_after(); wait_done();
      by_after_now(); wait_done();
      by_block_wait(); by_block_notify(); by_block_cancel(); by_cancelled(); by_several();
      by_async_f(); by_barrier_async_f(); by_group_async_f(); by_sync_f(); by_barrier_sync_f();
      by_async_and_wait_f(); by_barrier_async_and_wait_f(); by_after_f(); by_once_f(); by_apply_f();
      by_notify_f(); wait_done();
      by_handlers(); fire();
      by_handlers_f(); fire();
      by_pending(); by_pending_f();
      dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
      usleep(50000);
      dispatch_sync(serial, ^{});
      dispatch_barrier_sync(concurrent, ^{});
      printf("%d\n", atomic_load(&counter));
      return 0;
    }
    """#
}
#endif
