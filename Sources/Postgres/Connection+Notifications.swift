import CLibpq

extension Connection {
    /// The notifications that have arrived since the last call, oldest first, without waiting.
    ///
    /// - Throws: `connection` when it is lost.
    package func notifications() throws(PostgresError) -> [(channel: String, payload: String)] {
        let handle = try open()
        try consume(handle)
        collectNotifications(handle)
        defer { arrived = [] }
        return arrived
    }

    /// Waits until there is a notification to ask for; false when there is none after `duration`.
    ///
    /// - Throws: `connection` when it is lost.
    package func waitForNotification(for duration: Duration) throws(PostgresError) -> Bool {
        let handle = try open()
        let end = ContinuousClock.now + duration
        while true {
            // Twice where TLS may hold bytes back: see `next`.
            if isEncrypted(handle) { try consume(handle) }
            try consume(handle)
            collectNotifications(handle)
            if !arrived.isEmpty { return true }
            guard SocketEvents.wait(for: .readable, on: PQsocket(handle), until: end) else { return false }
        }
    }

    private func collectNotifications(_ handle: OpaquePointer) {
        while let notification = PQnotifies(handle) {
            arrived.append(
                (
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra)
                ))
            PQfreemem(notification)
        }
    }
}
