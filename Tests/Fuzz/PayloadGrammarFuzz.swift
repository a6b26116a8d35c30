import KasiaProtocol
import Kaspa

/// Classifies whatever libFuzzer comes up with and stops at the first broken invariant.
///
/// Built by `Tests/Fuzz/run.sh` and by nothing else; the invariants are those of `KasiaProtocolTests`. The input is
/// also read as an address, a hash, a network and a script, which must not trap either.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPayloadGrammar(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    let payload = Array(buffer)
    let classification = PayloadGrammar.classify(buffer)
    if let violation = PayloadInvariants.violation(by: classification, of: payload) {
        fatalError(violation)
    }

    let text = String(decoding: payload, as: UTF8.self)
    if let address = try? Address(parsing: text), address.description != text.lowercased() {
        fatalError("an address is not written as it was read")
    }
    if let hash = Hash(text), hash.description != text.lowercased() {
        fatalError("a hash is not written as it was read")
    }
    if let network = Network(text), Network(network.description) != network {
        fatalError("a network is not read as it is written")
    }
    let script = Script(bytes: payload)
    if let address = script.address(on: .mainnet), Script(paying: address) != script {
        fatalError("a script's address pays to another script")
    }
    return 0
}
