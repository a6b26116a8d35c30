/// How long the store waits for a server that does not answer; tests have their own.
package struct ServerTimes: Sendable {
    /// The service's own.
    package static let service = ServerTimes()

    /// How long one host may take to let us in, and how long an awaited answer may stay silent.
    package var deadline: Duration = .seconds(3)
    /// After so long without a server, a `StoreChange.registration` on its way is refused; no verb makes one yet, so all
    /// changes wait.
    var patience: Duration = .seconds(10)
    /// How long this process may act after its last heartbeat; then another may take over.
    package var lease: Duration = .seconds(5)
    /// How often it sends a heartbeat while nothing durable is written.
    package var renewal: Duration = .seconds(1)
    /// Between two attempts to connect.
    var pause: Duration = .milliseconds(50)
    /// So long after the server had no space, it is tried again.
    var spaceCheck: Duration = .seconds(5)
}
