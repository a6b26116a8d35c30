import Store

/// The section `store`.
struct StoreSettings: Sendable, Equatable {
    /// The RocksDB directory, created if it is missing; with `url` only the folder of the service's own small files.
    var path = "./data"
    /// Where the rows are, if not in `path`: a `postgresql://` URL without a password.
    var url: String?
    /// A file whose first line is the password of `url`; nil: libpq's own means.
    var passwordPath: String?
    /// Whether the service waits while another process works on the store of `url`, and takes over after it.
    ///
    /// Without it, a start beside another process is an error.
    var standby = false
    /// Into how many parts the devices are shared out, each of which another process may send to: 1 to 16.
    var shards = 1
    /// The free disk space below which nothing new is accepted: 0 (off) to 1024 TiB, bytes; of no meaning with `url`.
    var minFreeSpace: UInt64 = 256 << 20
    /// How long operations are kept, from their block's time: 24 h to 100 years, and at least `push.max_age`; nil for
    /// ever.
    ///
    /// The least is twice as long as any reorganisation reaches back, so that no operation is deleted that one could
    /// revert.
    var retention: Duration?

    /// The store's limits from these settings.
    var limits: StoreLimits {
        var limits = StoreLimits()
        limits.minimumFreeBytes = minFreeSpace
        return limits
    }

    mutating func update(from reader: inout SettingsReader) {
        reader.update(&path, from: .storePath, as: .path)
        reader.update(&url, from: .storeURL, as: .postgresURL)
        reader.update(&passwordPath, from: .storePasswordPath, as: .passwordFile)
        if reader.isSet(.storePasswordPath), !reader.isSet(.storeURL) {
            reader.report(
                .storePasswordPath, "store.password_path is set without store.url; allowed: both, or store.url alone")
        }
        reader.update(&standby, from: .storeStandby, as: .boolean)
        if standby, !reader.isSet(.storeURL) {
            reader.report(
                .storeStandby,
                "store.standby is true without store.url; allowed: false, as a directory belongs to one machine")
        }
        reader.update(&shards, from: .storeShards, as: .integer(in: 1...ShardPlan.most))
        if shards > 1, !reader.isSet(.storeURL) {
            reader.report(
                .storeShards,
                "store.shards is \(shards) without store.url; allowed: 1, as a directory belongs to one process")
        }
        reader.update(&minFreeSpace, from: .storeMinFreeSpace, as: .byteCount(in: 0...(1 << 50)))
        let day = Duration.seconds(86_400)
        reader.update(&retention, from: .storeRetention, as: .duration(in: day...(day * 36_500)))
    }

    /// Checks that deleted operations are too old to be pushed if the chain is read again.
    func checkRetention(against maximumAge: Duration, in reader: inout SettingsReader) {
        guard let retention, retention < maximumAge else { return }
        reader.report(
            .storeRetention,
            "store.retention is \(DurationText.format(retention)), push.max_age \(DurationText.format(maximumAge)); "
                + "allowed: a retention that is not shorter than push.max_age")
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [
            (.storePath, path),
            (.storeURL, url ?? ""),
            (.storePasswordPath, passwordPath ?? ""),
            (.storeStandby, String(standby)),
            (.storeShards, String(shards)),
            (.storeMinFreeSpace, ByteCountText.format(minFreeSpace)),
            (.storeRetention, retention.map { DurationText.format($0) } ?? ""),
        ]
    }
}
