import APNsSandbox
import ServiceLifecycle

/// Prints requests as they end, as cards, as lines of JSON, or as both, until the sandbox stops.
struct RequestPrinter: Service {
    let stream: AsyncStream<ReceivedNotification>
    let cards: Bool
    let json: Bool
    let colour: Bool

    func run() async {
        // Not cancelled by the shutdown: the last answers of the sandbox's drain are printed too, and then it ends
        // the stream. A slow terminal costs the oldest requests, never the sandbox's time.
        for await notification in stream {
            if cards { Console.write(NotificationCard(notification, colour: colour).description) }
            if json { Console.write(notification.json) }
        }
        // A service that returns before it is told to would look like a failure.
        try? await gracefulShutdown()
    }
}
