import StoreSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// For what RocksDB alone has; `reason` says why no other engine is asked.
    static func rocksDBAlone(_ reason: Comment) -> Self { .enabled(if: TestEngine.isRocksDB, reason) }
}
