import Testing

@testable import Store

@Suite("SipHash-1-3")
struct SipHashTests {
    @Test(
        "Under the key zero it is what Python makes of the bytes 0, 1, 2 … with PYTHONHASHSEED=0",
        arguments: [
            (1, 0x68a9_1412_8e01_e473), (7, 0x2f09_8ab0_c751_325a), (8, 0xead4_11e6_7ebe_2eea),
            (15, 0xf30e_b725_bb91_c9ea), (16, 0x8972_1884_33a5_c5b7), (35, 0x3c39_3cf6_f085_3bc3),
            (36, 0xac77_921f_cc64_2bd3),
        ] as [(UInt8, UInt64)])
    func vectors(_ count: UInt8, _ expected: UInt64) {
        let hash = Array(0..<count).withUnsafeBytes { SipHash(key: (0, 0)).hash($0) }
        #expect(hash == expected)
    }

    @Test("Both halves of the key matter, and each one made has another")
    func keys() {
        let hashes = [(0, 0), (1, 0), (0, 1)].map { key in
            [1, 2, 3].withUnsafeBytes { SipHash(key: key).hash($0) }
        }
        #expect(Set(hashes).count == 3)
        #expect(SipHash() != SipHash())
    }
}
