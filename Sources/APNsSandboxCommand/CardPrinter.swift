import APNsSandbox
import ServiceLifecycle

/// Prints requests as they end, until the sandbox stops.
struct CardPrinter: Service {
    let stream: AsyncStream<ReceivedNotification>
    let colour: Bool

    func run() async {
        // Not cancelled by the shutdown: the last answers of the sandbox's drain are printed too, and then it ends
        // the stream. A slow terminal costs the oldest cards, never the sandbox's time.
        for await notification in stream {
            Console.write(NotificationCard(notification, colour: colour).description)
        }
        // A service that returns before it is told to would look like a failure.
        try? await gracefulShutdown()
    }
}
