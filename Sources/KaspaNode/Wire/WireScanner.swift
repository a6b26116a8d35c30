package import Kaspa
import SwiftProtobuf

/// Decodes a message of the node as swift-protobuf would, but without the transactions, and the parts of headers and
/// blocks, that the indexer does not use.
///
/// A transaction is kept when its payload begins with one of our roots. An accepted one is also kept when the filter
/// may contain the script of one of its outputs or spent outputs; a block alone moves no coins yet. The others are
/// checked in place: the scanner accepts exactly what swift-protobuf accepts, up to `VirtualChainScan.Limits`. Their
/// values are not checked: invalid hex in a transaction that is not needed does no harm.
package struct WireScanner: Sendable {
    // Fields of `KaspadResponse` (proto/kaspad.proto).
    static let idTag: UInt32 = 101 << 3
    static let firstContentField: UInt32 = 1000

    private let filter: any ScriptFilter

    /// `filter` matches the watched scripts.
    ///
    /// Each message asks it anew whether it is empty.
    package init(watching filter: any ScriptFilter) {
        self.filter = filter
    }

    /// Decodes a `KaspadResponse`.
    ///
    /// The memory is needed only until this returns.
    ///
    /// Throws when the bytes are no such message: the node's fault.
    package func read(_ response: UnsafeRawBufferPointer) throws -> NodeResponse {
        switch try contentToScan(of: response) {
        case BlockScan.field: try scan(response, into: BlockScan())
        case VirtualChainScan.field: try scan(response, into: VirtualChainScan(filter: filter))
        default: try NodeResponse(serializedBytes: response)
        }
    }

    /// The response's only content field, possibly in several parts; 0 if it has several content fields.
    ///
    /// Of several fields the last counts. No node sends such a message, so it is left to swift-protobuf, in full.
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

/// Collects what is needed of one kind of content.
protocol WireScan {
    /// The number of the content's field in a response.
    static var field: UInt32 { get }

    /// Reads the content, or a further part of content that is sent in several parts.
    mutating func read(_ bytes: UnsafeRawBufferPointer, depth: Int) throws

    /// The collected content.
    var payload: Protowire_KaspadResponse.OneOf_Payload { get }

    /// Transactions that were checked and not kept.
    var passedOverTransactionCount: Int { get }
}

extension WireScan {
    /// swift-protobuf's options for decoding a nested message by itself: the depth limit less its depth.
    static func options(depth: Int) -> BinaryDecodingOptions {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = WireReader.maximumDepth + 1 - depth
        return options
    }
}
