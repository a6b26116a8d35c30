import Kaspa
import Store

/// Who is told of a plain transfer: the devices that watch a credited address for funds, each with its own sum.
///
/// Pure, as `Audience` is, of which it is a part.
struct FundsAudience: Sendable {
    private let funds: Funds

    init(_ funds: Funds) {
        self.funds = funds
    }

    /// One list for each credited address, in the order of the outputs.
    var lists: [WatchKey] { funds.credits.map { .funds($0.address) } }

    /// Told once, in the list of the first of its addresses; the owner's own coins that move are no news.
    func decide(_ device: DeviceRecord, list: Int, isBeforeRegistration: Bool) -> WatcherDecision {
        let watched = Set(device.watchOnlyAddresses)
        guard let share = share(of: watched), share.first == list else { return .skip }
        guard !funds.spenders.contains(where: { watched.contains($0) || device.owns($0) }) else {
            return .suppress(.ownTransfer)
        }
        guard !isBeforeRegistration else { return .suppress(.beforeRegistration) }
        return .notifyFunds(address: share.address, amount: share.amount)
    }

    /// The first of these addresses that is credited, where it stands, and what all of them get; nil when none is.
    func share(of addresses: Set<Address>) -> (first: Int, address: Address, amount: UInt64)? {
        guard let first = funds.credits.firstIndex(where: { addresses.contains($0.address) }) else { return nil }
        let amount = funds.credits.reduce(Sompi.zero) {
            addresses.contains($1.address) ? $0 + Sompi($1.amount) : $0
        }
        return (first, funds.credits[first].address, amount.amount)
    }
}
