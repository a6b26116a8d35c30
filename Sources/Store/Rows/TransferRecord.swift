public import Kaspa

/// Who gets and who spends in a plain transfer, as far as a device that watches an address for funds is concerned.
public struct Funds: Equatable, Sendable {
    /// More credited addresses, or more spenders, are left out: consensus allows no transaction with so many.
    public static let maximumAddresses = 2_048

    /// What an address gets.
    public struct Credit: Equatable, Sendable {
        public var address: Address
        /// Sompi; the sum of the outputs that go there.
        public var amount: UInt64

        public init(address: Address, amount: UInt64) {
            self.address = address
            self.amount = amount
        }
    }

    /// Once each, in the order of the outputs; only addresses that somebody may watch.
    public var credits: [Credit]
    /// Whose coins are spent, once each, in the order of the inputs; empty for a coinbase.
    public var spenders: [Address]

    public init(credits: [Credit], spenders: [Address]) {
        self.credits = credits
        self.spenders = spenders
    }

    func write(to writer: inout ByteWriter) {
        writer.write(list: credits) {
            $0.write(variable: $1.address.storageKey)
            $0.write($1.amount)
        }
        writer.write(list: spenders) { $0.write(variable: $1.storageKey) }
    }

    init(from reader: inout ByteReader, network: Network) throws(StoreError) {
        func address(_ reader: inout ByteReader) throws(StoreError) -> Address {
            guard let address = Address(storageKey: try reader.readVariable(), network: network) else {
                throw ByteReader.corrupt("funds")
            }
            return address
        }
        credits = try reader.readList { (reader) throws(StoreError) in
            Credit(address: try address(&reader), amount: try reader.readUInt64())
        }
        spenders = try reader.readList { (reader) throws(StoreError) in try address(&reader) }
    }
}

/// A plain transfer that credits a watched address: kept as long as the marker that says it was queued.
public struct TransferRecord: Equatable, Sendable {
    public var transactionID: TransactionID
    /// The time of the block that the accepting answer named, milliseconds since 1970.
    public var blockTime: UInt64
    /// nil after a reorganisation took it out.
    public var acceptance: OperationRecord.Acceptance?
    public var funds: Funds

    public init(
        transactionID: TransactionID, blockTime: UInt64, acceptance: OperationRecord.Acceptance?, funds: Funds
    ) {
        self.transactionID = transactionID
        self.blockTime = blockTime
        self.acceptance = acceptance
        self.funds = funds
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.write(blockTime)
        writer.write(optional: acceptance) { $0.write($1) }
        funds.write(to: &writer)
        return writer.bytes
    }

    init(transactionID: TransactionID, encoded: [UInt8], network: Network) throws(StoreError) {
        var reader = ByteReader(encoded)
        self.transactionID = transactionID
        blockTime = try reader.readUInt64()
        acceptance = try reader.readOptional { (reader) throws(StoreError) in try reader.readAcceptance() }
        funds = try Funds(from: &reader, network: network)
        try reader.finish()
    }
}
