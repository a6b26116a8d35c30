import KasiaProtocol

/// What a payload says, as it stands behind it in the row of an operation, whose first byte is the kind.
extension ByteWriter {
    mutating func write(_ parsed: ParsedPayload) {
        write(UInt32(parsed.body.lowerBound))
        switch parsed.kind {
        case .handshake, .payment: break
        case .contextualMessage:
            write(range: parsed.alias)
            write(optional: parsed.inboxTag) { $0.write(fixed: $1) }
        case .selfStash: write(range: parsed.scope)
        case .groupMessage:
            write(optional: parsed.group) {
                $0.write(fixed: $1.blindedGroupID)
                $0.write($1.epoch)
                $0.write(fixed: $1.senderID)
                $0.write(fixed: $1.senderPublicKey)
                $0.write(fixed: $1.messageID)
            }
        case .groupControl: write(optional: parsed.recipient) { $0.write(fixed: $1) }
        case .broadcast:
            write(range: parsed.channel)
            write(optional: parsed.channelName) { $0.write(text: $1) }
            write(optional: parsed.form) { $0.write($1.rawValue) }
        }
    }

    private mutating func write(range: Range<Int>?) {
        write(optional: range) {
            $0.write(UInt32($1.lowerBound))
            $0.write(UInt32($1.upperBound))
        }
    }
}

extension ByteReader {
    /// `count` is how long the payload is: every range lies within it.
    mutating func readParsedPayload(_ kind: OperationKind, of count: Int) throws(StoreError) -> ParsedPayload {
        let start = Int(try readUInt32())
        guard start <= count else { throw ByteReader.corrupt("payload's body") }
        let body = start..<count
        switch kind {
        case .handshake, .payment: return ParsedPayload(kind, body: body)
        case .contextualMessage:
            let alias = try readRange(of: count)
            return ParsedPayload(kind, alias: alias, inboxTag: try readFixed(16), body: body)
        case .selfStash: return ParsedPayload(kind, scope: try readRange(of: count), body: body)
        case .groupMessage:
            let group = try readOptional { (reader) throws(StoreError) in try reader.readGroupFields() }
            return ParsedPayload(kind, group: group, body: body)
        case .groupControl: return ParsedPayload(kind, recipient: try readFixed(32), body: body)
        case .broadcast:
            let channel = try readRange(of: count)
            let name = try readOptional { (reader) throws(StoreError) in try reader.readText() }
            let form = try readOptional { (reader) throws(StoreError) in try reader.readBroadcastForm() }
            return ParsedPayload(kind, channel: channel, channelName: name, form: form, body: body)
        }
    }

    mutating func readBroadcastForm() throws(StoreError) -> BroadcastForm {
        guard let form = BroadcastForm(rawValue: try readUInt8()) else { throw ByteReader.corrupt("broadcast") }
        return form
    }

    /// A byte 0, or a byte 1 and so many bytes.
    mutating func readFixed(_ count: Int) throws(StoreError) -> [UInt8]? {
        try readOptional { (reader) throws(StoreError) in Array(try reader.read(count: count)) }
    }

    private mutating func readGroupFields() throws(StoreError) -> GroupFields {
        GroupFields(
            blindedGroupID: Array(try read(count: 32)), epoch: try readUInt64(), senderID: Array(try read(count: 32)),
            senderPublicKey: Array(try read(count: 32)), messageID: Array(try read(count: 24)))
    }

    private mutating func readRange(of count: Int) throws(StoreError) -> Range<Int>? {
        try readOptional { (reader) throws(StoreError) in
            let (lower, upper) = (Int(try reader.readUInt32()), Int(try reader.readUInt32()))
            guard lower <= upper, upper <= count else { throw ByteReader.corrupt("payload's field") }
            return lower..<upper
        }
    }
}
