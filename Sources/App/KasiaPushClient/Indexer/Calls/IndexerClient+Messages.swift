/// Lists of operations, oldest first: continue with the last row's `cursor` until a page is empty.
extension IndexerClient {
    /// Handshakes that an address sent.
    public func handshakes(
        sentBy address: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [HandshakeRow] {
        try await list("/handshakes/by-sender", ("address", address), position)
    }

    /// Handshakes that an address received, those not accepted yet among them.
    public func handshakes(
        receivedBy address: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [HandshakeRow] {
        try await list("/handshakes/by-receiver", ("address", address), position)
    }

    /// Payments that an address sent.
    public func payments(
        sentBy address: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [PaymentRow] {
        try await list("/payments/by-sender", ("address", address), position)
    }

    /// Payments that an address received, those not accepted yet among them.
    public func payments(
        receivedBy address: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [PaymentRow] {
        try await list("/payments/by-receiver", ("address", address), position)
    }

    /// Messages that an address wrote; with an alias (in hex, at most 64 bytes), those of one conversation.
    public func contextualMessages(
        sentBy address: String, alias: String? = nil, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [ContextualMessageRow] {
        try await list("/contextual-messages/by-sender", ("address", address), position, ("alias", alias))
    }

    /// Notes that an address wrote to itself; with a scope (in hex, at most 64 bytes), those under it.
    public func selfStashes(
        of owner: String, scope: String? = nil, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [SelfStashRow] {
        try await list("/self-stash/by-owner", ("owner", owner), position, ("scope", scope))
    }

    /// Messages of a group, by its blinded id (64 hex digits).
    public func groupMessages(
        of blindedGroupID: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [GroupMessageRow] {
        try await list("/group-messages/by-blinded-group-id", ("blinded_group_id", blindedGroupID), position)
    }

    /// Control messages of groups that an address sent.
    public func groupControls(
        sentBy sender: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [GroupControlRow] {
        try await list("/group-control/by-sender", ("sender", sender), position)
    }

    /// Control messages of groups for an address, which is not a script's.
    public func groupControls(
        for recipient: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [GroupControlRow] {
        try await list("/group-control/by-recipient", ("recipient", recipient), position)
    }

    /// Broadcasts of a channel, by its name as it was written or trimmed and in lower case.
    public func broadcasts(
        in channel: String, from position: ListPosition = ListPosition()
    ) async throws(IndexerError) -> [BroadcastRow] {
        try await list("/broadcasts/by-channel", ("channel", channel), position)
    }

    /// One operation of any kind, by its transaction (64 hex digits).
    ///
    /// Errors: `not_found` when no operation of this transaction is known (yet).
    public func message(_ transactionID: String) async throws(IndexerError) -> IndexedMessage {
        try await value(Call(path: "/v1/messages/\(transactionID.percentEncoded)"))
    }

    private func list<Row: OperationRow>(
        _ path: String, _ subject: (String, String), _ position: ListPosition, _ narrowed: (String, String?)? = nil
    ) async throws(IndexerError) -> [Row] {
        var call = Call(path: path, query: [(subject.0, subject.1)])
        if let narrowed { call.query.append((narrowed.0, narrowed.1)) }
        call.query += position.query
        return try await value(call)
    }
}
