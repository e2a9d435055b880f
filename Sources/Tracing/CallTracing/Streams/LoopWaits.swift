/// The functions in which event loops wait for something to do, as NIO's and GLib's.
package enum LoopWaits {
  package static let names: Set = [
    "__poll_chk", "__ppoll_chk", "epoll_pwait", "epoll_pwait2", "epoll_wait", "poll", "ppoll",
    "pselect", "select",
  ]
}
