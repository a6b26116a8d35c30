import Kaspa
import KasiaProtocol
import SwiftProtobuf

/// Scans whatever libFuzzer comes up with as a message of the node: it must be read as swift-protobuf reads it, less
/// what is not needed, or be refused by both.
///
/// Built by `Tests/Fuzz/run.sh` and by nothing else.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWire(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let message = Array(UnsafeBufferPointer(start: bytes, count: count))
    let filters: [any ScriptFilter] = [NothingWatched(), EverySecondScript(), EverySecondScript(parity: 0)]
    if let fault = ScanOracle.disagreement(on: message, filters[count % filters.count]) { fatalError(fault) }
    return 0
}

/// Half of all scripts, whatever libFuzzer makes of them.
private struct EverySecondScript: ScriptFilter {
    var parity: UInt8 = 1

    var isEmpty: Bool { false }

    func mayContain(_ script: UnsafeRawBufferPointer) -> Bool {
        script.reduce(0) { $0 ^ $1 } & 1 == parity
    }
}
