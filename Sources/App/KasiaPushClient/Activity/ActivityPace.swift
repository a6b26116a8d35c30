/// When a feed tries what: a stream that ended is opened again, and while there is none, pages are asked for.
///
/// It holds no clock: it is told how long was waited.
struct ActivityPace: Sendable {
    /// The pauses between two polls; the last one repeats.
    static let pauses: [Duration] = [.seconds(5), .seconds(15), .seconds(30)]
    /// The pause before a stream that was alive is opened again.
    static let reopening = Duration.seconds(1)

    /// Rounds in a row without a stream that was alive.
    private(set) var failures = 0
    /// How long the service asked to leave its streams alone.
    private var streamPause = Duration.zero

    /// Whether the stream may be tried now.
    var mayStream: Bool { streamPause <= .zero }
    /// Whether pages are asked for now.
    var polls: Bool { failures > 0 }

    /// The stream ended, or was not tried; `wasAlive` says whether it brought a change or a heartbeat.
    mutating func streamEnded(wasAlive: Bool, error: IndexerError?) {
        failures = wasAlive ? 0 : failures + 1
        if let wait = error?.retryAfter { streamPause = wait }
    }

    /// The pause before the next round; nil when only the user can help.
    ///
    /// `error` is why the pages could not be had, if so.
    func pause(after error: IndexerError?) -> Duration? {
        guard let error else {
            return polls ? ActivityPace.pauses[min(failures, ActivityPace.pauses.count) - 1] : ActivityPace.reopening
        }
        guard error.isTemporary else { return nil }
        return max(pause(after: nil) ?? .zero, error.retryAfter ?? .zero)
    }

    /// The pause is over.
    mutating func waited(_ time: Duration) {
        streamPause -= min(time, streamPause)
    }
}
