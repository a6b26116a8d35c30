package import Kaspa
import SwiftProtobuf

/// Reads a message of the node as swift-protobuf would, less the transactions that nobody needs and the parts of headers
/// and blocks that the indexer does not use.
///
/// A transaction is kept when its payload begins with a root of ours, or, among those that a chain block accepts, when
/// the filter may contain the script of one of its outputs or spent outputs: what blocks carry moves nobody's coins yet.
/// The others are checked in place: the scanner accepts exactly what swift-protobuf accepts, up to
/// `VirtualChainScan.Limits`. Their values are not: hex that is none in a transaction of strangers troubles nobody.
package struct WireScanner: Sendable {
    // Fields of a response (kaspad-grpc.md, oneof numbers).
    static let idTag: UInt32 = 101 << 3
    static let firstContentField: UInt32 = 1000

    private let filter: any ScriptFilter

    /// Takes what is watched besides our payloads; whether it is empty is asked anew for each message.
    package init(watching filter: any ScriptFilter) {
        self.filter = filter
    }

    /// Reads a whole `KaspadResponse`; the memory is needed only until this returns.
    ///
    /// Throws when the bytes are no such message: the node's fault.
    package func read(_ response: UnsafeRawBufferPointer) throws -> NodeResponse {
        switch try contentToScan(of: response) {
        case BlockScan.field: try scan(response, into: BlockScan())
        case VirtualChainScan.field: try scan(response, into: VirtualChainScan(filter: filter))
        default: try NodeResponse(serializedBytes: response)
        }
    }

    /// The one field with transactions that the response holds, possibly in parts; 0 if it holds another or several.
    ///
    /// Of several the last counts; no node sends them, so that is left to swift-protobuf, and nothing is left out.
    private func contentToScan(of response: UnsafeRawBufferPointer) throws(WireError) -> UInt32 {
        var reader = WireReader(response, depth: 1)
        var content: UInt32 = 0
        while let tag = try reader.nextTag() {
            try reader.passOver(tag)
            guard tag >> 3 >= WireScanner.firstContentField, tag & 7 == WireReader.WireType.lengthDelimited else {
                continue
            }
            guard content == 0 || content == tag >> 3 else { return 0 }
            content = tag >> 3
        }
        return content
    }

    private func scan<Scan: WireScan>(_ response: UnsafeRawBufferPointer, into scan: Scan) throws -> NodeResponse {
        var scan = scan
        var reader = WireReader(response, depth: 1)
        var id: UInt64 = 0
        let contentTag = Scan.field << 3 | WireReader.WireType.lengthDelimited
        while let tag = try reader.nextTag() {
            switch tag {
            case WireScanner.idTag: id = try reader.varint()
            case contentTag: try scan.read(try reader.bytes(), depth: 2)
            default: try reader.passOver(tag)
            }
        }
        return NodeResponse(
            id: id, payload: scan.payload, passedOverTransactionCount: scan.passedOverTransactionCount)
    }
}

/// Gathers what is needed of one kind of content.
protocol WireScan {
    /// The number of the content's field in a response.
    static var field: UInt32 { get }

    /// Reads the content, or more of content that is written in several parts.
    mutating func read(_ bytes: UnsafeRawBufferPointer, depth: Int) throws

    /// What was read.
    var payload: Protowire_KaspadResponse.OneOf_Payload { get }

    /// Transactions that were read and not kept.
    var passedOverTransactionCount: Int { get }
}

extension WireScan {
    /// swift-protobuf's limit for a message that is decoded by itself and stands this deep.
    static func options(depth: Int) -> BinaryDecodingOptions {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = WireReader.maximumDepth + 1 - depth
        return options
    }
}
