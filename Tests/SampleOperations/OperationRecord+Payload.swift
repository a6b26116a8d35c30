package import KasiaProtocol
package import Kaspa
package import Store

extension OperationRecord {
    /// An operation with its payload parsed, as the indexer makes it.
    package init(
        transactionID: TransactionID, kind: OperationKind, sender: Address?, receiver: Address?, amount: UInt64,
        blockHash: BlockHash, blockTime: UInt64, acceptance: Acceptance?, acceptedAt: UInt64? = nil,
        fee: UInt64? = nil, payload: [UInt8]
    ) {
        self.init(
            transactionID: transactionID, sender: sender, receiver: receiver, amount: amount, blockHash: blockHash,
            blockTime: blockTime, acceptance: acceptance, acceptedAt: acceptedAt, fee: fee, payload: payload,
            parsed: ParsedPayload(payload, as: kind))
    }

    /// The same operation with another payload of its kind.
    package func with(payload: [UInt8]) -> OperationRecord {
        var record = self
        (record.payload, record.parsed) = (payload, ParsedPayload(payload, as: kind))
        return record
    }
}

extension OperationPayload {
    /// A payload as it is kept with its operation; one that is no operation says nothing.
    package init(parsing payload: [UInt8]) {
        guard case .operation(let parsed) = PayloadGrammar.classify(payload) else {
            self.init(bytes: payload)
            return
        }
        self.init(bytes: payload, parsed: parsed)
    }
}

extension ParsedPayload {
    /// What a payload of this kind says; one of another kind, or of none, has nothing but a body.
    package init(_ payload: [UInt8], as kind: OperationKind) {
        guard case .operation(let parsed) = PayloadGrammar.classify(payload), parsed.kind == kind else {
            self.init(kind, body: payload.startIndex..<payload.endIndex)
            return
        }
        self = parsed
    }
}

extension OperationKind {
    /// A payload of this kind, told apart by a small number; `key` is an x-only key in hexadecimal.
    package func samplePayload(_ number: Int, key: String, group: [UInt8]) -> [UInt8] {
        let body =
            switch self {
            case .handshake: "handshake:\(number)"
            case .payment: "payment:\(number)"
            case .contextualMessage: "comm:alias\(number % 2):\(number)"
            case .selfStash: number % 2 == 0 ? "self_stash:scope:\(number)" : "self_stash:\(number)"
            case .groupMessage:
                "gcomm:\(Hex.encode(group)):\(number):\(key):\(key):\(String(repeating: "cc", count: 24)):ab:"
                    + String(repeating: "d", count: 128)
            case .groupControl: number % 2 == 0 ? "gctl:\(key):ab" : "gctl:ab"
            case .broadcast: "bcast:news\(number % 2):\(number)"
            }
        return Array("ciph_msg:1:\(body)".utf8)
    }
}
