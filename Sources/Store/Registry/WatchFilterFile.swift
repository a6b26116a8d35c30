import Crypto
import Foundation

/// The filter of watched scripts as a stop leaves it for the next start, in a file beside RocksDB's.
///
/// It saves the walk through all registrations. A wrong one does harm: a filter that lacks an address loses what is paid
/// to it. So it is valid for exactly one state of one store. It names RocksDB's identity and the number of its last
/// write; every later write of any version has a greater one, and then the file is ignored. A number cannot come again:
/// the log is on disk before the file is written, and a program that knows the file removes it at every opening to
/// write. A digest tells what a power cut or a bad disk left of it.
struct WatchFilterFile {
    /// Which state of which store: RocksDB's identity and the number of its last write.
    struct Stamp: Equatable {
        var identity: [UInt8]
        var sequence: UInt64
    }

    static let name = "watched-scripts.filter"
    /// Says what the file is, in which version, and with `order` on which kind of machine.
    private static let magic = Array("kasia watched scripts 1\n".utf8)
    private static let order: UInt64 = 0x0102_0304_0506_0708
    fileprivate static let longestIdentity = 255

    var stamp: Stamp
    var hash: SipHash
    var filter: BlockedBloomFilter

    /// Reads the file of the store at `path` and removes it; nil when it is not there, damaged, or of another state.
    static func take(from path: String, _ stamp: Stamp?) -> WatchFilterFile? {
        let file = path + "/" + name
        let bytes = FileManager.default.contents(atPath: file)
        guard bytes == nil || (try? FileManager.default.removeItem(atPath: file)) != nil else { return nil }
        guard let bytes, let stamp, let kept = WatchFilterFile(decoding: bytes), kept.stamp == stamp else { return nil }
        return kept
    }

    /// Leaves the file in the store's directory.
    func write(to path: String) throws {
        try encoded.write(to: URL(filePath: path + "/" + WatchFilterFile.name), options: .atomic)
    }

    private var encoded: Data {
        var writer = ByteWriter(capacity: 512)
        writer.write(fixed: WatchFilterFile.magic)
        writer.write(variable: stamp.identity)
        writer.write(stamp.sequence)
        writer.write(hash.key.0)
        writer.write(hash.key.1)
        writer.write(UInt64(filter.capacity))
        writer.write(UInt64(filter.count))
        var bytes = Data(writer.bytes)
        // As the machine has them: tens of megabytes.
        withUnsafeBytes(of: WatchFilterFile.order) { bytes.append(contentsOf: $0) }
        filter.words.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: SHA256.hash(data: bytes))
        return bytes
    }

    private init?(decoding bytes: Data) {
        guard bytes.count > SHA256.byteCount else { return nil }
        let content = bytes.dropLast(SHA256.byteCount)
        guard SHA256.hash(data: content).elementsEqual(bytes.suffix(SHA256.byteCount)) else { return nil }
        // All but the words fits into this.
        let head = Array(content.prefix(512))
        var reader = ByteReader(head)
        do throws(StoreError) {
            guard try reader.read(count: WatchFilterFile.magic.count).elementsEqual(WatchFilterFile.magic) else {
                return nil
            }
            let identity = try reader.readVariable()
            stamp = Stamp(identity: identity, sequence: try reader.readUInt64())
            hash = SipHash(key: (try reader.readUInt64(), try reader.readUInt64()))
            let (capacity, count) = (Int(clamping: try reader.readUInt64()), Int(clamping: try reader.readUInt64()))
            let order = try reader.read(count: 8)
            guard withUnsafeBytes(of: WatchFilterFile.order, { $0.elementsEqual(order) }) else { return nil }
            let words = content.withUnsafeBytes { bytes in
                let words = UnsafeRawBufferPointer(rebasing: bytes[order.endIndex...])
                return [UInt64](unsafeUninitializedCapacity: words.count / 8) { target, count in
                    count = words.count / 8
                    UnsafeMutableRawBufferPointer(target).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: words[..<(count * 8)]))
                }
            }
            guard let filter = BlockedBloomFilter(capacity: capacity, count: count, words: words) else { return nil }
            self.filter = filter
        } catch {
            return nil
        }
    }

    init(stamp: Stamp, hash: SipHash, filter: BlockedBloomFilter) {
        (self.stamp, self.hash, self.filter) = (stamp, hash, filter)
    }
}

extension WatchFilterFile.Stamp {
    /// The present state of the store at `path`; nil when RocksDB has not written its identity down.
    init?(_ database: Database, at path: String) {
        guard let identity = FileManager.default.contents(atPath: path + "/IDENTITY"), !identity.isEmpty,
            identity.count <= WatchFilterFile.longestIdentity
        else { return nil }
        self.init(identity: Array(identity), sequence: database.lastSequence)
    }
}

extension Registry {
    /// Leaves the filter of watched scripts for the next start, which then need not read all registrations first.
    ///
    /// For a stop, when nothing is written any more: any later write makes the file worthless. Returns whether there was
    /// a filter to leave.
    @discardableResult
    public func keepWatchedScripts() async throws(StoreError) -> Bool {
        guard let rocks = engine.backend as? RocksBackend else { return false }
        let (database, admission, path, scripts) = (rocks.database, rocks.admission, rocks.path, watchedScripts)
        return try await write { (_) throws(StoreError) in
            guard let filter = scripts.completeFilter else { return false }
            // Behind what a power cut may undo, the number of the last write could come again.
            try admission.perform { () throws(StoreError) in try database.syncWriteAheadLog() }
            guard let stamp = WatchFilterFile.Stamp(database, at: path) else { return false }
            do {
                try WatchFilterFile(stamp: stamp, hash: scripts.keyedHash, filter: filter).write(to: path)
            } catch {
                throw StoreError(.inputOutput, "cannot write \(WatchFilterFile.name): \(error.localizedDescription)")
            }
            return true
        }
    }
}
