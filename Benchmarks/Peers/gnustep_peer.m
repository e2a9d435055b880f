// GNUstep's message send, NSInvocation and forwarding of `int (int, double)`, and an observed property:
// gnustep ROUNDS.
// Prints a line `name nanoseconds` a row, the median of the rounds.
#import <Foundation/Foundation.h>
#include <time.h>

enum { iterations = 20000, maximumRounds = 99 };
static const double second = 1.5;

@interface Adder : NSObject
- (int)add:(int)first to:(double)second;
@end

@implementation Adder
- (int)add:(int)first to:(double)second {
  return first + (int)second;
}
@end

@interface Model : NSObject {
  int _value;
}
- (int)value;
- (void)setValue:(int)value;
@end

@implementation Model
- (int)value {
  return _value;
}
- (void)setValue:(int)value {
  _value = value;
}
@end

@interface Observer : NSObject
@end

static Model *model;
static long observed;

@implementation Observer
- (void)observeValueForKeyPath:(NSString *)path
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context {
  observed += [[change objectForKey:NSKeyValueChangeNewKey] intValue];
}
@end

@interface Listener : NSObject
- (void)receive:(int)number;
@end

@implementation Listener
- (void)receive:(int)number {
  observed += number;
}
@end

// Sends every message on to its targets.
@interface Forwarder : NSObject {
  NSArray *_targets;
}
- (id)initWithTargets:(NSArray *)targets;
@end

@implementation Forwarder
- (id)initWithTargets:(NSArray *)targets {
  _targets = [targets retain];
  return [super init];
}
- (NSMethodSignature *)methodSignatureForSelector:(SEL)selector {
  return [[_targets objectAtIndex:0] methodSignatureForSelector:selector];
}
- (void)forwardInvocation:(NSInvocation *)invocation {
  NSUInteger count = [_targets count];
  for (NSUInteger i = 0; i < count; i++) {
    id target = [_targets objectAtIndex:i];
    if ([target respondsToSelector:[invocation selector]]) [invocation invokeWithTarget:target];
  }
}
@end

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static long expected(void) {
  long sum = 0;
  for (int i = 0; i < iterations; i++) sum += (i & 1023) + (int)second;
  return sum;
}

static long sendMessages(Adder *adder) {
  long sum = 0;
  for (int i = 0; i < iterations; i++) sum += [adder add:i & 1023 to:second];
  return sum;
}

static NSInvocation *invocation;

// Sets both arguments, invokes and reads the result, all with the same invocation.
static long invokeInvocation(Adder *adder) {
  (void)adder;
  long sum = 0;
  for (int i = 0; i < iterations; i++) {
    int first = i & 1023, result;
    double other = second;
    [invocation setArgument:&first atIndex:2];
    [invocation setArgument:&other atIndex:3];
    [invocation invoke];
    [invocation getReturnValue:&result];
    sum += result;
  }
  return sum;
}

// Sets a property with one observer that asks for the new value.
static long setObserved(Adder *adder) {
  (void)adder;
  observed = 0;
  // A program's event loop empties its pool as often.
  NSAutoreleasePool *pool = nil;
  for (int i = 0; i < iterations; i++) {
    if (i % 100 == 0) {
      [pool release];
      pool = [NSAutoreleasePool new];
    }
    [model setValue:(i & 1023) + (int)second];
  }
  [pool release];
  return observed;
}

// Looks up what a message runs, and calls it.
static long lookUp(Adder *adder) {
  SEL selector = @selector(add:to:);
  long sum = 0;
  for (int i = 0; i < iterations; i++) {
    int (*add)(id, SEL, int, double) = (void *)[adder methodForSelector:selector];
    sum += add(adder, selector, i & 1023, second);
  }
  return sum;
}

static id forwarder;

// Sends a message to who sends it on: to one target with a result, or to four without.
static long forward(Adder *adder) {
  (void)adder;
  long sum = 0;
  NSAutoreleasePool *pool = nil;
  for (int i = 0; i < iterations; i++) {
    if (i % 100 == 0) {
      [pool release];
      pool = [NSAutoreleasePool new];
    }
    sum += [forwarder add:i & 1023 to:second];
  }
  [pool release];
  return sum;
}

static long multicast(Adder *adder) {
  (void)adder;
  observed = 0;
  NSAutoreleasePool *pool = nil;
  for (int i = 0; i < iterations; i++) {
    if (i % 100 == 0) {
      [pool release];
      pool = [NSAutoreleasePool new];
    }
    [forwarder receive:(i & 1023) + (int)second];
  }
  [pool release];
  return observed / 4;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

static void measure(const char *name, long (*operation)(Adder *), Adder *adder, int rounds) {
  double times[maximumRounds];
  operation(adder);
  for (int round = 0; round < rounds; round++) {
    double start = now();
    long sum = operation(adder);
    times[round] = (now() - start) / iterations;
    if (sum != expected()) {
      printf("%s: wrong sum %ld\n", name, sum);
      exit(1);
    }
  }
  qsort(times, rounds, sizeof *times, compare);
  printf("%s %.3f\n", name, times[rounds / 2]);
}

int main(int count, char **words) {
  int rounds = count > 1 ? atoi(words[1]) : 5;
  if (rounds < 1 || rounds > maximumRounds) return 64;
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  Adder *adder = [Adder new];
  SEL selector = @selector(add:to:);
  NSMethodSignature *signature = [adder methodSignatureForSelector:selector];
  invocation = [[NSInvocation invocationWithMethodSignature:signature] retain];
  [invocation setTarget:adder];
  [invocation setSelector:selector];
  measure("gnustep.send", sendMessages, adder, rounds);
  measure("gnustep.lookup", lookUp, adder, rounds);
  forwarder = [[Forwarder alloc] initWithTargets:[NSArray arrayWithObject:adder]];
  measure("gnustep.forward", forward, adder, rounds);
  Listener *listeners[] = {[Listener new], [Listener new], [Listener new], [Listener new]};
  forwarder = [[Forwarder alloc] initWithTargets:[NSArray arrayWithObjects:listeners count:4]];
  measure("gnustep.multicast4", multicast, adder, rounds);
  measure("gnustep.invoke", invokeInvocation, adder, rounds);
  model = [Model new];
  [model addObserver:[Observer new]
          forKeyPath:@"value"
             options:NSKeyValueObservingOptionNew
             context:NULL];
  measure("gnustep.kvo1", setObserved, adder, rounds);
  [pool release];
  return 0;
}
