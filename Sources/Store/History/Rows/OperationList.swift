import Crypto
import KasiaProtocol
public import Kaspa

/// What operations are listed under: the first 52 bytes of a key in `operation_lists`.
public enum OperationList: Equatable, Sendable {
    case handshakesBySender(Address)
    case handshakesByReceiver(Address)
    case paymentsBySender(Address)
    case paymentsByReceiver(Address)
    /// The messages of a sender; with an alias (its bytes), those of one conversation.
    case contextualMessages(sender: Address, alias: [UInt8]?)
    /// The notes of an owner; with a scope (its bytes), those under it. A note without a scope is not under the empty one.
    case selfStashes(owner: Address, scope: [UInt8]?)
    /// A blinded group id, 32 bytes.
    case groupMessages([UInt8])
    case groupControlsBySender(Address)
    /// The recipient's x-only key, 32 bytes.
    case groupControlsByRecipient([UInt8])
    /// The channel's name: as it was written, or as names are compared (`ChannelName`).
    case broadcasts(channel: [UInt8])
    case groupMessagesBySender(Address)
    case broadcastsBySender(Address)
    /// Plain transfers from and to an address, from when it was watched.
    case transfers(Address)
    /// The messages to an inbox: an address's tag (`Address.inboxTag`), 16 bytes.
    case inboxMessages([UInt8])

    static let transfersTag: UInt8 = 14

    static let prefixBytes = 1 + 35 + 16

    /// A tag, the subject padded with zeros to the longest address, and the digest of what narrows the list down.
    var prefix: [UInt8] {
        switch self {
        case .handshakesBySender(let address): key(0, address.storageKey)
        case .handshakesByReceiver(let address): key(1, address.storageKey)
        case .paymentsBySender(let address): key(2, address.storageKey)
        case .paymentsByReceiver(let address): key(3, address.storageKey)
        case .contextualMessages(let sender, nil): key(4, sender.storageKey)
        case .contextualMessages(let sender, let alias?): key(5, sender.storageKey, alias)
        case .selfStashes(let owner, nil): key(6, owner.storageKey)
        case .selfStashes(let owner, let scope?): key(7, owner.storageKey, scope)
        case .groupMessages(let id): key(8, id)
        case .groupControlsBySender(let address): key(9, address.storageKey)
        case .groupControlsByRecipient(let recipient): key(10, recipient)
        case .broadcasts(let channel): key(11, [], channel)
        case .groupMessagesBySender(let address): key(12, address.storageKey)
        case .broadcastsBySender(let address): key(13, address.storageKey)
        case .transfers(let address): key(OperationList.transfersTag, address.storageKey)
        case .inboxMessages(let tag): key(15, tag)
        }
    }

    private func key(_ tag: UInt8, _ subject: [UInt8], _ narrowedBy: [UInt8]? = nil) -> [UInt8] {
        var bytes = [tag]
        bytes.reserveCapacity(OperationList.prefixBytes + OperationPosition.byteCount)
        bytes += subject
        bytes += [UInt8](repeating: 0, count: 36 - bytes.count)
        // Names have any length; half of a SHA-256 is as good as the name itself.
        if let narrowedBy { bytes += SHA256.hash(data: narrowedBy).prefix(16) }
        bytes += [UInt8](repeating: 0, count: OperationList.prefixBytes - bytes.count)
        return bytes
    }
}

/// A place in any list: lists are in the order of block time, and of transaction id where times are the same.
public struct OperationPosition: Equatable, Sendable {
    /// Milliseconds since 1970.
    public var blockTime: UInt64
    /// The transaction that stands there.
    public var transactionID: TransactionID

    static let byteCount = 8 + Hash.byteCount

    /// A place, whether or not anything stands there: with `.zero` the first of its time.
    public init(blockTime: UInt64, transactionID: TransactionID) {
        self.blockTime = blockTime
        self.transactionID = transactionID
    }

    /// 40 bytes that `init(bytes:)` reads.
    public var bytes: [UInt8] {
        var writer = ByteWriter(capacity: OperationPosition.byteCount)
        writer.write(blockTime)
        writer.write(transactionID)
        return writer.bytes
    }

    /// nil for anything but 40 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == OperationPosition.byteCount, let id = Hash(bytes: Array(bytes.dropFirst(8))) else {
            return nil
        }
        blockTime = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        transactionID = id
    }
}

extension OperationRecord {
    /// Where the operation stands in each of its lists.
    public var position: OperationPosition {
        OperationPosition(blockTime: blockTime, transactionID: transactionID)
    }

    /// The lists that an operation stands in before the virtual chain has accepted it: who sent it is not verified, so
    /// only those of whom it is for.
    var listsBeforeAcceptance: [OperationList] {
        switch kind {
        case .handshake: return receiver.map { [.handshakesByReceiver($0)] } ?? []
        case .payment: return receiver.map { [.paymentsByReceiver($0)] } ?? []
        case .groupControl: return parsed.recipient.map { [.groupControlsByRecipient($0)] } ?? []
        case .contextualMessage, .selfStash, .groupMessage, .broadcast: return []
        }
    }

    /// The lists that it stands in now.
    var presentLists: [OperationList] { acceptance == nil ? listsBeforeAcceptance : lists }

    /// All lists that an accepted operation stands in; by sender only if it is known.
    var lists: [OperationList] {
        var lists = listsBeforeAcceptance
        switch kind {
        case .handshake: if let sender { lists.append(.handshakesBySender(sender)) }
        case .payment: if let sender { lists.append(.paymentsBySender(sender)) }
        case .groupControl: if let sender { lists.append(.groupControlsBySender(sender)) }
        case .contextualMessage:
            guard let sender else { break }
            lists.append(.contextualMessages(sender: sender, alias: nil))
            if let alias = parsed.alias {
                lists.append(.contextualMessages(sender: sender, alias: Array(payload[alias])))
            }
            if let tag = parsed.inboxTag { lists.append(.inboxMessages(tag)) }
        case .selfStash:
            guard let sender else { break }
            lists.append(.selfStashes(owner: sender, scope: nil))
            if let scope = parsed.scope { lists.append(.selfStashes(owner: sender, scope: Array(payload[scope]))) }
        case .groupMessage:
            if let group = parsed.group { lists.append(.groupMessages(group.blindedGroupID)) }
            if let sender { lists.append(.groupMessagesBySender(sender)) }
        case .broadcast:
            if let sender { lists.append(.broadcastsBySender(sender)) }
            guard let channel = parsed.channel else { break }
            let written = Array(payload[channel])
            lists.append(.broadcasts(channel: written))
            if let name = parsed.channelName.map({ Array($0.utf8) }), name != written {
                lists.append(.broadcasts(channel: name))
            }
        }
        return lists
    }
}
