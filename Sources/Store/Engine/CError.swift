import CRocksDB

/// Runs a RocksDB call that reports failure through an error string, and frees that string.
func checked<Result>(
    _ action: @autoclosure () -> String,
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) throws(StoreError) -> Result {
    var error: UnsafeMutablePointer<CChar>?
    let result = body(&error)
    guard let error else { return result }
    let text = String(cString: error)
    rocksdb_free(error)
    throw StoreError.engine(text, doing: action())
}

extension Array where Element == UInt8 {
    /// Lends the bytes as the `const char *` that RocksDB takes; the pointer is valid inside the closure only.
    func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}
