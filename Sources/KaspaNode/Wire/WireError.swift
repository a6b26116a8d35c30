/// Why bytes are not a message of the node; always the node's fault.
enum WireError: String, Error, Hashable {
    /// A value runs past the end of its message.
    case truncated
    /// A tag, a varint or the end of a group that cannot be.
    case malformed
    /// More than `WireReader.maximumDepth` messages and groups in each other.
    case tooDeep
    /// A string that is not UTF-8.
    case invalidUTF8
    /// More of something than `VirtualChainScan.Limits` allow.
    case tooMany
}
