import KasiaPushClient
import Testing

@testable import struct KasiaPushClient.ActivityFilter

@Suite struct ActivityFilterTests {
    private let item = ActivityItem(
        id: "00", type: .payment, direction: .incoming, counterparty: "kaspa:q", amount: 1, status: .accepted,
        blockTime: 5)

    @Test(
        "Items of a stream are filtered as those of pages",
        arguments: [
            (ActivityFilter(), true), (ActivityFilter(types: [.payment]), true),
            (ActivityFilter(types: [.handshake]), false),
            (ActivityFilter(types: [.transfer]), false), (ActivityFilter(directions: [.incoming, .outgoing]), true),
            (ActivityFilter(directions: [.outgoing]), false), (ActivityFilter(statuses: [.accepted]), true),
            (ActivityFilter(statuses: [.pending]), false), (ActivityFilter(counterparty: "kaspa:q"), true),
            (ActivityFilter(counterparty: "KASPA:Q"), true), (ActivityFilter(counterparty: "kaspa:p"), false),
            (ActivityFilter(since: 5), true), (ActivityFilter(since: 6), false), (ActivityFilter(until: 5), true),
            (ActivityFilter(until: 4), false),
        ])
    func admitted(_ filter: ActivityFilter, _ isAdmitted: Bool) {
        #expect(filter.admits(item) == isAdmitted)
    }

    @Test("Transfers are admitted where they are asked for")
    func transfers() {
        var transfer = item
        transfer.type = .transfer
        #expect(!ActivityFilter().admits(transfer))
        #expect(ActivityFilter(includesTransfers: true).admits(transfer))
        #expect(ActivityFilter(types: [.transfer]).admits(transfer))
        #expect(!ActivityFilter(types: [.payment], includesTransfers: true).admits(transfer))
        #expect(ActivityFilter(types: [.transfer, .payment]).wantsTransfers)
        #expect(!ActivityFilter(types: [.payment], includesTransfers: true).wantsTransfers)
    }
}
