/// The lists that the KaChat apps and their servers agreed on; all but the first continue by block time.
extension IndexerClient {
    /// Messages of many groups in one call, at most 64: a page for each query, in their order.
    public func groupMessages(_ queries: [GroupQuery]) async throws(IndexerError) -> [GroupPage] {
        let call = Call.sending(
            GroupQueriesBody(queries: queries), to: "/group-messages/by-blinded-group-ids")
        return try await value(call, as: GroupPages.self).results
    }

    /// What was written to any of some groups, at most 256, after a block time.
    ///
    /// - Parameters:
    ///   - blindedGroupIDs: The groups, 64 hex digits each.
    ///   - blockTime: Milliseconds since 1970, exclusive; `latestBlockTime` of the answer before.
    ///   - limit: The most rows; more than 500 are 500, nil is 200.
    /// - Returns: The rows, oldest first.
    /// - Throws: `IndexerError`.
    public func groupMessages(
        in blindedGroupIDs: [String], since blockTime: UInt64, limit: Int? = nil
    ) async throws(IndexerError) -> NewGroupMessages {
        let body = GroupMessagesSinceBody(
            blindedGroupIds: blindedGroupIDs, sinceBlockTime: blockTime, limit: limit)
        return try await value(.sending(body, to: "/group-messages/since"))
    }

    /// Control messages by any of some senders or for a recipient, after a block time.
    ///
    /// - Parameters:
    ///   - senders: Addresses, at most 256; may be empty if there is a recipient.
    ///   - recipient: An address, not a script's.
    ///   - blockTime: Milliseconds since 1970, exclusive; `latestBlockTime` of the answer before.
    ///   - limit: The most rows; more than 500 are 500, nil is 200.
    /// - Returns: The rows, oldest first.
    /// - Throws: `IndexerError`.
    public func groupControls(
        sentBy senders: [String], orFor recipient: String?, since blockTime: UInt64, limit: Int? = nil
    ) async throws(IndexerError) -> NewGroupControls {
        let body = GroupControlsSinceBody(
            senders: senders.isEmpty ? nil : senders, recipient: recipient, sinceBlockTime: blockTime, limit: limit)
        return try await value(.sending(body, to: "/group-control/since"))
    }

    /// Messages to an inbox, whoever wrote them, oldest first.
    ///
    /// - Parameters:
    ///   - tag: The inbox's tag, 32 hex digits.
    ///   - blockTime: Milliseconds since 1970, exclusive; the last row's of the page before.
    ///   - limit: The most rows; more than 500 are 500, nil is 100. A page is a little longer rather than end between
    ///     two rows of one time.
    /// - Returns: The rows; none at the end, and for a tag that nobody wrote to.
    /// - Throws: `IndexerError`.
    public func contextualMessages(
        toInbox tag: String, since blockTime: UInt64? = nil, limit: Int? = nil
    ) async throws(IndexerError) -> [ContextualMessageRow] {
        try await value(
            Call(
                path: "/contextual-messages/by-inbox",
                query: [
                    ("tag", tag), ("block_time", blockTime.map(String.init)), ("limit", limit.map(String.init)),
                ]))
    }

    /// One message by its transaction (64 hex digits).
    ///
    /// Errors: `not_found` when the transaction is not known, or is something else.
    public func contextualMessage(_ transactionID: String) async throws(IndexerError) -> ContextualMessageRow {
        try await value(Call(path: "/contextual-messages/by-txid", query: [("tx_id", transactionID)]))
    }

    /// A channel's broadcasts, newest first.
    ///
    /// - Parameters:
    ///   - channel: The channel's name, in any case.
    ///   - blockTime: Milliseconds since 1970, exclusive; the last row's of the page before, nil for the newest.
    ///   - limit: The most rows; more than 500 are 500, nil is 200.
    /// - Returns: A page; it is a little longer rather than end between two broadcasts of one time.
    /// - Throws: `IndexerError`.
    public func channelBroadcasts(
        of channel: String, before blockTime: UInt64? = nil, limit: Int? = nil
    ) async throws(IndexerError) -> ChannelBroadcasts {
        try await value(
            Call(
                path: "/get-broadcasts",
                query: [
                    ("channel", channel), ("limit", limit.map(String.init)), ("before", blockTime.map(String.init)),
                ]))
    }
}
