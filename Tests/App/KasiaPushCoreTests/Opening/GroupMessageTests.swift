import Crypto
import KasiaPushSecp256k1
import Kaspa
import TestRandom
import Testing

@testable import KasiaPushCore

@Suite("Group messages")
struct GroupMessageTests {
    private let reader = Person("reader")
    private let writer = Person("writer")

    private func group(_ first: UInt8 = 1, members: Set<String>? = nil) throws -> GroupKeys {
        try #require(GroupKeys(seed: [first] + Array(repeating: 5, count: 31), name: "Friends", members: members))
    }

    private func open(
        _ body: [UInt8], sender: String? = nil, _ groups: [GroupKeys]
    ) throws -> OpenedMessage {
        try reader.opener.open(groupMessage: try #require(SealedBody(body)), sender: sender, groups: groups)
    }

    @Test("open with the keys of the vectors, from a member's keys and from the seed")
    func vectors() throws {
        let groups = try MessageVectors.load().groups
        #expect(groups.count == 3)
        for vector in groups {
            let seed = try #require(GroupKeys(seed: hex(vector.groupSeed)))
            #expect(seed.id == vector.groupId)
            #expect(seed.root(ofEpoch: vector.epoch).map { Hex.encode($0) } == vector.groupRoot)
            let member = hex(vector.senderKeyXonly)
            #expect(seed.blindedID(ofMember: member).map { Hex.encode($0) } == vector.blindedGroupId)
            let given = try #require(
                GroupKeys(
                    id: hex(vector.groupId),
                    blindingKey: hex(vector.blindingKey),
                    roots: [vector.epoch: hex(vector.groupRoot)], name: "Given",
                    members: [vector.senderAddress]))
            for keys in [seed, given] {
                let opened = try open(Array(vector.payload.utf8), sender: vector.senderAddress, [try group(), keys])
                #expect(opened.text == vector.text)
                #expect(opened.group == .init(id: vector.groupId, name: keys.name, sender: vector.senderAddress))
            }
        }
    }

    @Test("open when the bytes themselves are signed, as KaChat does")
    func rawSignature() throws {
        let vector = try #require(try MessageVectors.load().groups.first)
        let keys = try #require(GroupKeys(seed: hex(vector.groupSeed)))
        // Made with deploy/docs/sign.py over the additional data and the ciphertext, without randomness.
        let signature =
            "15e110c97d678c301016f99552b781d30072f4a50054253c12d7ea7964491a26"
            + "ce8d32e855b03491c0309cacdb5fb7c6c19587da96219b2e8fca6d28fa37314a"
        let body = vector.payload.split(separator: ":").dropLast().joined(separator: ":") + ":" + signature
        #expect(try open(Array(body.utf8), [keys]).text == vector.text)
    }

    @Test("open from every shape of push")
    func shapes() async throws {
        let group = try group()
        let body = try await Seal.group(Array("hello".utf8), to: group, epoch: 3, by: writer)
        let text = String(decoding: body, as: UTF8.self)
        let payload = Hex.encode(Array("kchat:1:gcomm:".utf8) + body)
        let pushes = [
            try Pushes.read(Pushes.kasia("group_message", sender: writer.address, payload: payload)),
            try Pushes.read(Pushes.kachat("group_message", sender: writer.address, payload: text)),
            try Pushes.read(Pushes.web("group_message", sender: nil, payload: text)),
            PushPayload(
                data: Pushes.fcm("group_message", sender: writer.address, extra: ["enc_payload": Base64.encode(body)])),
        ]
        for push in pushes {
            let opened = try reader.opener.open(push, groups: [group])
            #expect(opened.text == "hello" && opened.group?.sender == writer.address)
        }
        let stranger = try Pushes.read(Pushes.kachat("group_message", payload: text))
        #expect(throws: OpeningError.wrongSender) { try reader.opener.open(stranger, groups: [group]) }
    }

    @Test("do not open without their group, their epoch's key, or for another than a member")
    func refusals() async throws {
        let group = try group()
        let body = try await Seal.group(Array("hello".utf8), to: group, epoch: 3, by: writer)
        #expect(throws: OpeningError.unknownGroup) { try open(body, []) }
        #expect(throws: OpeningError.unknownGroup) { try open(body, [try self.group(2)]) }
        let blinding = KeyDerivation.bytes(
            from: [1] + Array(repeating: 5, count: 31), salt: group.idBytes, info: Array("kasia:blinding_key".utf8))
        let other = try #require(
            GroupKeys(
                id: group.idBytes, blindingKey: blinding,
                roots: [2: Array(repeating: 0, count: 32), 4: Array(repeating: 0, count: 32)]))
        #expect(throws: OpeningError.unknownEpoch) { try open(body, [other]) }
        let wrong = try #require(
            GroupKeys(id: group.idBytes, blindingKey: blinding, roots: [3: Array(repeating: 0, count: 32)]))
        #expect(throws: OpeningError.wrongKey) { try open(body, [wrong]) }
        #expect(throws: OpeningError.wrongSender) { try open(body, [try self.group(members: [reader.address])]) }
        #expect(try open(body, [try self.group(members: [writer.address])]).text == "hello")
        #expect(throws: OpeningError.wrongSender) { try open(body, sender: reader.address, [group]) }
        #expect(throws: OpeningError.wrongSender) { try open(body, sender: "kaspa:q", [group]) }
    }

    @Test("name their writer by the hash of the address, which may be an ECDSA one")
    func senderID() async throws {
        let group = try group()
        let claimed = try await Seal.group(
            [1], to: group, epoch: 0, by: writer, senderID: Array(SHA256.hash(data: Array(reader.address.utf8))))
        #expect(throws: OpeningError.wrongSender) { try open(claimed, [group]) }
        let ecdsa = try #require(
            Address(prefix: .kaspa, version: .ecdsa, payload: [2] + writer.key.publicKey)
        ).description
        let body = try await Seal.group(
            Array("hi".utf8), to: group, epoch: 0, by: writer, senderID: Array(SHA256.hash(data: Array(ecdsa.utf8))))
        #expect(try open(body, sender: ecdsa, [group]).group?.sender == ecdsa)
        #expect(throws: OpeningError.wrongSender) { try open(body, [group]) }
    }

    @Test("do not open with another's signature, and the signature is looked at first")
    func signature() async throws {
        let group = try group()
        let body = try await Seal.group(Array("hello".utf8), to: group, epoch: 3, by: writer)
        let other = try await Seal.group(Array("hellO".utf8), to: group, epoch: 3, by: writer)
        let fields = String(decoding: body, as: UTF8.self).split(separator: ":")
        let foreign = String(decoding: other, as: UTF8.self).split(separator: ":")
        let swapped = (fields.dropLast() + foreign.suffix(1)).joined(separator: ":")
        #expect(throws: OpeningError.wrongSignature) { try open(Array(swapped.utf8), [group]) }
        // Even a body that does not open is told from one that its writer did not sign.
        let noTag = try await Seal.group(Array("x".utf8), to: group, epoch: 3, by: writer, tagBytes: 14)
        #expect(throws: OpeningError.wrongKey) { try open(noTag, [group]) }
        let notText = try await Seal.group([0xff], to: group, epoch: 3, by: writer)
        #expect(throws: OpeningError.notText) { try open(notText, [group]) }
        let empty = try await Seal.group([], to: group, epoch: .max, by: writer)
        #expect(try open(empty, [group]).text == "")
    }

    @Test("do not open when one digit of any field was changed")
    func everyDigit() async throws {
        let group = try group()
        let body = try await Seal.group(Array("hello".utf8), to: group, epoch: 3, by: writer)
        for index in body.indices where body[index] != UInt8(ascii: ":") {
            var changed = body
            changed[index] = body[index] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
            #expect(throws: OpeningError.self, "digit \(index)") { try open(changed, [group]) }
        }
    }

    @Test(
        "are malformed without their seven fields",
        arguments: ["", ":", "00:1:00:00:00:00:00", "kchat:1:gcomm:", "hello"])
    func malformed(text: String) throws {
        let sealed = try #require(SealedBody(Array(text.utf8)))
        #expect(throws: OpeningError.malformedGroupMessage) {
            try reader.opener.open(groupMessage: sealed, groups: [try group()])
        }
    }

    @Test("open in upper case, and nothing else that was changed opens, whatever strangers write")
    func fuzz() async throws {
        var random = SeededRandom()
        let group = try group()
        let body = try await Seal.group(Array("hello".utf8), to: group, epoch: 3, by: writer)
        let upper = Array(String(decoding: body, as: UTF8.self).uppercased().utf8)
        #expect(try open(upper, [group]).text == "hello")
        for _ in 0..<1_500 {
            var changed = body
            for _ in 0..<Int.random(in: 1...3, using: &random) { changed.mutate(using: &random) }
            guard let sealed = SealedBody(changed),
                let opened = try? reader.opener.open(groupMessage: sealed, groups: [group])
            else { continue }
            // Digits in upper case, and zeros before the epoch, mean the same.
            #expect(opened.text == "hello", "seed \(random.seed)")
            #expect(GroupEnvelope(changed)?.fields == GroupEnvelope(body)?.fields, "seed \(random.seed)")
        }
    }

    @Test("take keys of 32 bytes", arguments: [0, 31, 33])
    func lengths(count: Int) throws {
        let (good, bad) = (Array(repeating: UInt8(1), count: 32), Array(repeating: UInt8(1), count: count))
        #expect(GroupKeys(seed: bad) == nil)
        #expect(GroupKeys(id: bad, blindingKey: good, roots: [:]) == nil)
        #expect(GroupKeys(id: good, blindingKey: bad, roots: [:]) == nil)
        #expect(GroupKeys(id: good, blindingKey: good, roots: [0: good, 1: bad]) == nil)
        #expect(try group().blindedID(ofMember: bad) == nil)
    }

    @Test("have keys that are not printed")
    func printing() throws {
        let keys = try group()
        var dumped = ""
        dump(keys, to: &dumped)
        #expect("\(keys)" == "…" && dumped.split(separator: "\n").count == 1)
    }
}
