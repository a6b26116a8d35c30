public import KasiaPushCore

extension IndexedMessage {
    /// What its writer has sealed, for `PushPayload.filled(with:)`; nil for what is public.
    public var sealed: SealedBody? {
        switch self {
        case .contextualMessage(let row): SealedBody(Array(row.payload.utf8))
        case .payment(let row): SealedBody(Array(row.message.utf8))
        case .handshake(let row): SealedBody(Array(row.payload.utf8))
        case .groupMessage(let row): SealedBody(Array(row.payload.utf8))
        case .groupControl(let row): SealedBody(Array(row.payload.utf8))
        case .selfStash, .broadcast, .other: nil
        }
    }
}
