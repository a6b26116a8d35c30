import Foundation
import Kaspa
import KasiaPushCore
import KaspaNode
import Recordings
import ReplaySupport
import Testing

/// Six people, and what is written to them.
struct AppStory {
    /// Somebody with a wallet of the vectors.
    struct Owner: Sendable {
        let address: String
        let secret: [UInt8]
        /// The groups that the owner is a member of, and the blinded ids to watch.
        var groups: [GroupKeys] = []
        var groupIDs: [String] = []
        /// What is shown, by transaction.
        var texts: [String: String] = [:]
    }

    private(set) var owners: [Owner]
    let recording: Recording
    /// Whose messages are watched.
    let writers: [String]

    /// Takes the messages of the vectors.
    init() throws {
        let vectors = try Vectors.read()
        var owners = try vectors.sealed.compactMap { vector -> Owner? in
            guard let address = vector.receiver_address else { return nil }
            return Owner(address: address, secret: try #require(Hex.decode(vector.receiver_secret)))
        }
        let messages = try vectors.sealed.prefix(owners.count).map { try #require(Hex.decode($0.sealed)) }
        let writer = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 7, count: 32)))
        let stranger = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 8, count: 32)))
        // The first group's writer is the first owner.
        let group = vectors.groups[1]
        let groupWriter = try Address(parsing: group.sender_address)
        var script = RecordingScript()
        var transactions: [Transaction] = []
        func write(_ payload: [UInt8], from: Address, to: Address, shown: [(owner: Int, text: String)]) {
            let number = UInt64(1_000 + transactions.count)
            let payer = Script(paying: from)
            transactions.append(
                RecordingScript.transaction(
                    number, payload: payload, spending: number + 1_000, from: payer,
                    to: [(Script(paying: to), 700_000_000), (payer, 100)]))
            for (owner, text) in shown { owners[owner].texts[RecordingScript.hash(number).description] = text }
        }
        func message(_ body: some Sequence<UInt8>, _ head: String) -> [UInt8] { Array(head.utf8) + body }
        let texts = vectors.sealed.prefix(owners.count).map { $0.text ?? "" }
        // To each of them only the message that its key opens can be read; the others see that there is one.
        for (index, sealed) in messages.enumerated() {
            let base64 = Data(sealed).base64EncodedData()
            let text = AppStory.shownText(texts[index])
            let isInbox = index == 1
            let tag = try #require(InboxTag.text(of: owners[index].address))
            let head = isInbox ? "kchat:1:dm:\(tag):8f3a1c2b9d4e:" : "ciph_msg:1:comm:8f3a1c2b9d4e:"
            // One is written as it is, without base64.
            let body = index == 2 ? Array(sealed) : Array(base64)
            let others = owners.indices.filter { $0 != index && !isInbox }
            write(
                message(body, head), from: isInbox ? stranger : writer, to: isInbox ? stranger : writer,
                shown: [(index, text)] + others.map { ($0, "New message") })
        }
        let owner = try Address(parsing: owners[0].address)
        write(
            message(#"{"message":"Coffee ☕"}"#.utf8, "ciph_msg:1:payment:"), from: writer, to: owner,
            shown: [(0, "Received 7 KAS: Coffee ☕")])
        let seed = try #require(Hex.decode(group.group_seed))
        let keys = try #require(GroupKeys(seed: seed, name: "Hikers"))
        owners[0].groups = [keys]
        owners[0].groupIDs = [group.blinded_group_id]
        write(Array(group.payload.utf8), from: groupWriter, to: groupWriter, shown: [(0, group.text)])
        // The start: the indexer asks for its header.
        script.tell(0, on: 999)
        script.tell(1, on: 0, transactions: transactions)
        script.change(adding: [1])
        script.extend(from: 2, count: 20)
        self.owners = owners
        recording = script.recording
        writers = [writer.description]
    }

    private typealias Transaction = Protowire_RpcTransaction

    /// What a notification says of a text.
    private static func shownText(_ text: String) -> String {
        if text.hasPrefix("aud:") { return "Voice message" }
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            return String(text.prefix(NotificationComposer.maximumBodyCharacters))
        }
        return object["text"] as? String ?? ""
    }
}

/// `messages.json`.
private struct Vectors: Decodable {
    struct Sealed: Decodable {
        let receiver_secret: String
        let receiver_address: String?
        let sealed: String
        let text: String?
    }

    struct Group: Decodable {
        let group_seed: String
        let sender_address: String
        let blinded_group_id: String
        let payload: String
        let text: String
    }

    let sealed: [Sealed]
    let groups: [Group]

    static func read() throws -> Vectors {
        let file = Fixture.folder.appendingPathComponent("vectors/messages.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }
}
