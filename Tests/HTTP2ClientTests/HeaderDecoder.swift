import CNghttp2

@testable import HTTP2Client

/// nghttp2's HPACK decoder: what a server reads.
final class HeaderDecoder {
    private let inflater: OpaquePointer

    init() {
        var inflater: OpaquePointer?
        guard nghttp2_hd_inflate_new(&inflater) == 0, let inflater else { preconditionFailure("out of memory") }
        self.inflater = inflater
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// SETTINGS_HEADER_TABLE_SIZE, acknowledged.
    func limitTable(to bytes: Int) { nghttp2_hd_inflate_change_table_size(inflater, bytes) }

    /// The fields of one whole header block; nil if it is not to be read.
    func decode(_ block: [UInt8]) -> [HeaderField]? {
        var fields: [HeaderField] = []
        var offset = 0
        while true {
            var field = nghttp2_nv()
            var flags: CInt = 0
            let count = block.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(
                    inflater, &field, &flags, $0.baseAddress.map { $0 + offset }, block.count - offset, 1)
            }
            guard count >= 0 else { return nil }
            offset += count
            if flags & CInt(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append(HeaderField(Self.text(field.name, field.namelen), Self.text(field.value, field.valuelen)))
            }
            if flags & CInt(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
            if count == 0, flags == 0 { return nil }
        }
    }

    private static func text(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
