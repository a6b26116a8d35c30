public import Kaspa

/// Who gets and who spends in a plain transfer, as far as those are concerned who watch an address.
public struct Funds: Equatable, Sendable {
    /// More credited addresses, or more spenders, are left out: consensus allows no transaction with so many.
    public static let maximumAddresses = 2_048

    /// What an address gets.
    public struct Credit: Equatable, Sendable {
        /// Who gets it.
        public var address: Address
        /// Sompi; the sum of the outputs that go there.
        public var amount: UInt64

        /// What goes to an address in all, in sompi.
        public init(address: Address, amount: UInt64) {
            self.address = address
            self.amount = amount
        }
    }

    /// Once each, in the order of the outputs; in an event only addresses that somebody watches for funds.
    public var credits: [Credit]
    /// Whose coins are spent, once each, in the order of the inputs; empty for a coinbase.
    public var spenders: [Address]

    /// Takes both lists as they are: each address once, in order and within the bound, is the caller's part.
    public init(credits: [Credit], spenders: [Address]) {
        self.credits = credits
        self.spenders = spenders
    }

    /// What some of the credited addresses get together.
    public struct Share: Equatable, Sendable {
        /// Where the first of them stands among the credits.
        public var first: Int
        /// The first of them.
        public var address: Address
        /// Sompi; what all of them get.
        public var amount: UInt64
    }

    /// What of the credits goes to these addresses; nil when nothing does.
    public func share(of addresses: Set<Address>) -> Share? {
        guard let first = credits.firstIndex(where: { addresses.contains($0.address) }) else { return nil }
        let amount = credits.reduce(Sompi.zero) { addresses.contains($1.address) ? $0 + Sompi($1.amount) : $0 }
        return Share(first: first, address: credits[first].address, amount: amount.amount)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(list: credits) {
            $0.write(variable: $1.address)
            $0.write($1.amount)
        }
        writer.write(list: spenders) { $0.write(variable: $1) }
    }

    init(from reader: inout ByteReader, network: Network) throws(StoreError) {
        credits = try reader.readList { (reader) throws(StoreError) in
            Credit(address: try reader.readVariableAddress(on: network), amount: try reader.readUInt64())
        }
        spenders = try reader.readAddresses(on: network)
    }
}

/// A plain transfer that touches a watched address: a transaction, or a coinbase, that carries no operation.
public struct TransferRecord: Equatable, Sendable {
    /// So many credited addresses, and as many spenders, are kept besides the listed ones: enough to name the other side.
    public static let otherParties = 16

    /// The transaction that moves the coins.
    public var transactionID: TransactionID
    /// The time of the block that the accepting answer named, milliseconds since 1970.
    public var blockTime: UInt64
    /// nil after a reorganisation took it out.
    public var acceptance: OperationRecord.Acceptance?
    /// The accepting block's time, milliseconds since 1970; nil without acceptance, and in rows of an older version.
    public var acceptedAt: UInt64?
    /// Who gets and who spends, in the order of outputs and inputs: all listed addresses and some of the others.
    ///
    /// Of those others that are credited only such as do not spend: change says nothing.
    public var funds: Funds
    /// The addresses in whose lists it stands: those that were watched when it was accepted, in the order of `funds`.
    ///
    /// Empty in rows of an older version, which stand in no list and go with their markers.
    public var listed: [Address]
    /// Sompi that go back to addresses that spend.
    public var toSpenders: UInt64
    /// Sompi that go anywhere else.
    public var toOthers: UInt64
    /// Sompi that those who spend paid to have it mined.
    ///
    /// nil for a coinbase, where the answer did not name every coin that is spent, and in rows up to schema version 6.
    public var fee: UInt64?

    /// A transfer that stands in no list, unless given otherwise; the sums are of all outputs, not of `funds` alone.
    public init(
        transactionID: TransactionID, blockTime: UInt64, acceptance: OperationRecord.Acceptance?,
        acceptedAt: UInt64? = nil, funds: Funds, listed: [Address] = [], toSpenders: UInt64 = 0, toOthers: UInt64 = 0,
        fee: UInt64? = nil
    ) {
        self.transactionID = transactionID
        self.blockTime = blockTime
        self.acceptance = acceptance
        self.acceptedAt = acceptedAt
        self.funds = funds
        self.listed = listed
        self.toSpenders = toSpenders
        self.toOthers = toOthers
        self.fee = fee
    }

    /// Whether the virtual chain had accepted it, and has taken it out.
    public var isReverted: Bool { acceptance == nil }

    /// Where the transfer stands in each of its lists.
    public var position: OperationPosition {
        OperationPosition(blockTime: blockTime, transactionID: transactionID)
    }

    var lists: [OperationList] { listed.map { .transfers($0) } }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.write(blockTime)
        // An acceptance with a time, and one that is lost, announce what rows of version 1 do not have.
        let isListed = !listed.isEmpty
        writer.write(
            acceptance, at: isListed ? acceptedAt ?? blockTime : nil, isReverted: isListed && isReverted,
            fee: isListed ? fee : nil)
        funds.write(to: &writer)
        guard isListed else { return writer.bytes }
        writer.write(list: listed) { $0.write(variable: $1) }
        writer.write(toSpenders)
        writer.write(toOthers)
        return writer.bytes
    }

    init(transactionID: TransactionID, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.transactionID = transactionID
        blockTime = try reader.readUInt64()
        let isListed: Bool
        (acceptance, acceptedAt, isListed, fee) = try reader.readAcceptanceState()
        funds = try Funds(from: &reader, network: network)
        (listed, toSpenders, toOthers) = ([], 0, 0)
        if isListed || acceptedAt != nil {
            listed = try reader.readAddresses(on: network)
            toSpenders = try reader.readUInt64()
            toOthers = try reader.readUInt64()
            guard !listed.isEmpty else { throw ByteReader.corrupt("transfer") }
        } else if fee != nil {
            throw ByteReader.corrupt("transfer")
        }
        try reader.finish()
    }
}

extension TransferRecord {
    /// What a transfer is to one of its addresses.
    public struct Side: Equatable, Sendable {
        /// Which way the coins go.
        ///
        /// Incoming: the address gets, and does not spend. Outgoing: it spends, and something goes to addresses that do
        /// not. To itself: it spends, and all goes back to addresses that do.
        public var direction: ActivityDirection
        /// Who is at the other end; nil if it is not known, and of what goes to itself.
        ///
        /// Incoming: the first spender. Outgoing: the first credited address that does not spend.
        public var counterparty: Address?
        /// Sompi that go this way.
        ///
        /// Incoming: what the address gets. Outgoing: what goes to addresses that do not spend; who spends together is
        /// taken for one owner, and the fee is left out. To itself: all outputs.
        public var amount: UInt64

        /// Takes what was found out; `TransferRecord.side(of:)` has the rule.
        public init(direction: ActivityDirection, counterparty: Address?, amount: UInt64) {
            self.direction = direction
            self.counterparty = counterparty
            self.amount = amount
        }
    }

    /// The transfer as the owner of `address` sees it; nil unless it is one of `listed`.
    public func side(of address: Address) -> Side? {
        guard listed.contains(address) else { return nil }
        guard funds.spenders.contains(address) else {
            let amount = funds.credits.first { $0.address == address }?.amount ?? 0
            return Side(direction: .incoming, counterparty: funds.spenders.first, amount: amount)
        }
        guard toOthers > 0 else { return Side(direction: .toSelf, counterparty: nil, amount: toSpenders) }
        let other = funds.credits.first { !funds.spenders.contains($0.address) }
        return Side(direction: .outgoing, counterparty: other?.address, amount: toOthers)
    }

    var activityState: ActivityTouch.State {
        ActivityTouch.State(
            addresses: listed.map(\.storageKey), acceptance: acceptance, isReverted: isReverted, amount: 0, fee: fee)
    }

    /// What is kept when those of `addresses` that take part are the ones to list; nil when none of them does.
    func narrowed(to addresses: Set<Address>) -> TransferRecord? {
        let spenders = Set(funds.spenders)
        var seen: Set<Address> = []
        let parties = funds.credits.map(\.address) + funds.spenders
        let listed = parties.filter { addresses.contains($0) && seen.insert($0).inserted }
        guard !listed.isEmpty else { return nil }
        var narrowed = self
        narrowed.listed = listed
        var (otherCredits, otherSpenders) = (0, 0)
        narrowed.funds.credits = funds.credits.filter { credit in
            if seen.contains(credit.address) { return true }
            guard !spenders.contains(credit.address), otherCredits < TransferRecord.otherParties else { return false }
            otherCredits += 1
            return true
        }
        narrowed.funds.spenders = funds.spenders.filter { spender in
            if seen.contains(spender) { return true }
            otherSpenders += 1
            return otherSpenders <= TransferRecord.otherParties
        }
        return narrowed
    }
}
