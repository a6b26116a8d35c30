import Kaspa
import Testing

@testable import Store

@Suite("Maintenance of the store", .rocksDBAlone("a server compacts and copies by itself"))
struct StoreMaintenanceTests {
    @Test("Devices are listed in pages without gaps or repeats, and found by the beginning of their names")
    func devices() async throws {
        let fixture = try StoreFixture()
        for number in 0..<5 { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        var listed: [DeviceRecord] = []
        while true {
            let page = try await fixture.store.registry.devices(after: listed.last?.id, limit: 2)
            listed += page
            guard page.count == 2 else { break }
        }
        #expect(Set(listed.map(\.token)) == Set((0..<5).map(Sample.token)))
        #expect(listed.count == 5)
        for device in listed {
            #expect(
                try await fixture.store.registry.devices(namePrefix: Array(device.id.bytes.prefix(4)), limit: 9) == [
                    device
                ])
        }
        #expect(try await fixture.store.registry.devices(namePrefix: [], limit: 3).count == 3)
    }

    @Test("A compaction keeps every row, and the numbers name every family")
    func compaction() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        for family in ColumnFamily.allCases { await fixture.store.compact(family) }
        #expect(try fixture.store.checkBooks().isSound)
        let statistics = try await fixture.store.statistics()
        #expect(statistics.map(\.family) == ColumnFamily.allCases)
        #expect(statistics.first { $0.family == .deliveries }?.rows == 3)
        #expect((statistics.first { $0.family == .deliveries }?.diskBytes ?? 0) > 0)
        #expect(!fixture.store.isWriteStalled)
    }

    @Test("A compaction ends with its task, and the next one is done")
    func cancelledCompaction() async throws {
        let fixture = try StoreFixture()
        _ = try await fixture.deviceWithDeliveries(3)
        let store = fixture.store
        for _ in 0..<2 {
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await store.compact(.deliveries)
            }.value
            #expect(try await store.diskBytes(of: .deliveries) == 0)
        }
        await store.compact(.deliveries)
        #expect(try await store.diskBytes(of: .deliveries) > 0)
        #expect(try store.checkBooks().isSound)
    }
}
