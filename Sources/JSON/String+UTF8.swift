extension String {
    /// Text of these bytes; nil when they are no UTF-8.
    ///
    /// The standard library's own initialiser that validates needs iOS 18, and the app library is for iOS 16.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // What is not valid was replaced by other bytes.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
