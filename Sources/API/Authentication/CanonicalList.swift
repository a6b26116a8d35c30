import Crypto
import Kaspa
import Store

/// A list as signatures cover it: without repeats, sorted by bytes, hashed (app developer guide, "The text of a
/// registration").
///
/// Members are trimmed and, where case does not matter, in lower case, as in the stored registration.
struct CanonicalList: Equatable {
    static let empty = CanonicalList([String]())

    let isEmpty: Bool
    /// SHA-256 of the members joined by line feeds, in hex.
    let hash: String

    init(_ members: [[UInt8]]) {
        var text: [UInt8] = []
        self.init(members.map { text.append(member: $0) }, of: text)
    }

    init(_ members: [String]) {
        var text: [UInt8] = []
        self.init(members.map { text.append(member: $0.utf8) }, of: text)
    }

    /// The addresses as texts.
    init(_ members: [Address]) {
        var text: [UInt8] = []
        text.reserveCapacity(members.count * Address.maximumTextByteCount)
        let ranges = members.map { address in
            let start = text.count
            address.appendText(to: &text)
            return start..<text.count
        }
        self.init(ranges, of: text)
    }

    /// The members stand in one text, so that a list of some hundred takes a few buffers.
    private init(_ ranges: [Range<Int>], of text: [UInt8]) {
        var joined: [UInt8] = []
        joined.reserveCapacity(text.count + ranges.count)
        text.withUnsafeBytes { text in
            let members = ranges.map { UnsafeRawBufferPointer(rebasing: text[$0]) }
            var last: UnsafeRawBufferPointer?
            for member in members.sorted(by: KeyBytes.precedes)
            where !member.isEmpty && last?.elementsEqual(member) != true {
                if last != nil { joined.append(UInt8(ascii: "\n")) }
                joined.append(contentsOf: member)
                last = member
            }
        }
        isEmpty = joined.isEmpty
        hash = SHA256.hexDigest(of: joined)
    }
}

extension [UInt8] {
    /// Adds the bytes; returns where they stand.
    fileprivate mutating func append(member: some Collection<UInt8>) -> Range<Int> {
        let start = count
        append(contentsOf: member)
        return start..<count
    }
}

extension SHA256 {
    static func hexDigest(of bytes: [UInt8]) -> String { Hex.encode(hash(data: bytes)) }
}
