import CLibpq

extension Connection {
    /// The next result of what was sent; nil where libpq marks an end.
    ///
    /// Sends what is still to be sent while it waits, and reads meanwhile, so that two full socket buffers cannot hold
    /// each other up.
    func next(_ handle: OpaquePointer) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if isEncrypted(handle) {
                // A read may leave bytes of a large TLS record behind that poll(2) does not see; a second gets them.
                try consume(handle)
                if PQisBusy(handle) == 0 { break }
            }
            let events: SocketEvents = unsent == 1 ? [.readable, .writable] : .readable
            guard SocketEvents.wait(for: events, on: PQsocket(handle), until: .now + deadline) else {
                close()
                throw PostgresError(.deadline, "\(target) did not answer within \(deadline).")
            }
            try consume(handle)
        }
        return PQgetResult(handle)
    }

    /// Reads what the socket has, without waiting.
    func consume(_ handle: OpaquePointer) throws(PostgresError) {
        if PQconsumeInput(handle) == 0 { throw lost() }
    }

    func isEncrypted(_ handle: OpaquePointer) -> Bool {
        PQsslInUse(handle) == 1 || PQgssEncInUse(handle) == 1
    }
}
