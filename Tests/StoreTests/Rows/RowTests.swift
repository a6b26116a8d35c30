import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

@Suite("Rows")
struct RowTests {
    @Test("A row has exactly these bytes, and reads back as what was written", arguments: RowSample.all)
    func exactBytes(_ sample: RowSample) throws {
        #expect(Hex.encode(sample.encoded) == sample.hex)
        #expect(try sample.roundTrip(sample.encoded) == sample.encoded)
    }

    @Test("A row cut anywhere, or with a byte too many, is corrupt", arguments: RowSample.all)
    func wrongLength(_ sample: RowSample) {
        for count in 0..<sample.encoded.count {
            #expect(
                code { () throws(StoreError) in try sample.roundTrip(Array(sample.encoded.prefix(count))) } == .corrupt)
        }
        #expect(code { () throws(StoreError) in try sample.roundTrip(sample.encoded + [0]) } == .corrupt)
    }

    @Test("A row with any byte changed reads as another row or is corrupt, and never traps", arguments: RowSample.all)
    func changedBytes(_ sample: RowSample) {
        for index in sample.encoded.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] where value != sample.encoded[index] {
                var changed = sample.encoded
                changed[index] = value
                // One expectation a byte would take longer than all the rest.
                let result = Result { () throws(StoreError) in try sample.roundTrip(changed) }
                switch result {
                case .success(let row) where row == changed: break
                case .failure(let error) where error.code == .corrupt: break
                default: Issue.record("byte \(index) as \(value): \(result)")
                }
            }
        }
    }

    @Test("What is read of a device's row for a notification is what the whole row says", arguments: RowSample.devices)
    func deviceTarget(_ sample: RowSample) throws {
        let rows = [sample.encoded] + variants(of: sample.encoded)
        for row in rows {
            guard let device = try? DeviceRecord(encoded: row, network: .mainnet) else {
                // Damaged behind what is looked at, or before it: an error, or something; never a trap.
                _ = try? DeviceTarget(encoded: row)
                continue
            }
            let target = try DeviceTarget(encoded: row)
            #expect(target.token == device.token && target.payloadFormat == device.payloadFormat)
        }
        let sixth = Sample.device(
            6, watching: (1...20).map { Sample.address($0) }, primary: Sample.address(21))
        let target = try DeviceTarget(encoded: sixth.encoded)
        #expect(target.token == sixth.token && target.payloadFormat == sixth.payloadFormat)
    }

    @Test("The payload that is read of an operation's row is the whole row's", arguments: RowSample.operations)
    func operationPayload(_ sample: RowSample) throws {
        for row in [sample.encoded] + variants(of: sample.encoded) {
            let whole = try? OperationRecord(transactionID: Sample.hash(1), encoded: row, network: .mainnet)
            guard let whole else {
                _ = try? OperationRecord.payload(of: row)
                continue
            }
            let payload = try OperationRecord.payload(of: row)
            #expect(payload == OperationPayload(bytes: whole.payload, parsed: whole.parsed))
        }
    }

    /// The row cut anywhere, and with any byte changed.
    private func variants(of row: [UInt8]) -> [[UInt8]] {
        let cut = row.indices.map { Array(row[..<$0]) }
        let changed = row.indices.flatMap { index in
            ([0, 1, 2, 0x7f, 0x80, 0xff] as [UInt8]).map { value in
                var other = row
                other[index] = value
                return other
            }
        }
        return cut + changed
    }

    @Test("A field or a body beyond the payload's end is corrupt", arguments: [2, 3, 4])
    func fieldsWithinPayload(end: UInt32) throws {
        for range in [(UInt32(0), end), (end, 3)] as [(UInt32, UInt32)] {
            var writer = ByteWriter()
            writer.write(UInt32(3))
            writer.write(UInt8(1))
            writer.write(range.0)
            writer.write(range.1)
            writer.write(UInt8(0))
            var reader = ByteReader(writer.bytes)
            let isRight = range.0 <= range.1 && range.1 <= 3
            let found = code { () throws(StoreError) in try reader.readParsedPayload(.contextualMessage, of: 3) }
            #expect(found == (isRight ? nil : .corrupt))
        }
        var body = ByteWriter()
        body.write(end)
        var reader = ByteReader(body.bytes)
        let found = code { () throws(StoreError) in try reader.readParsedPayload(.payment, of: 3) }
        #expect(found == (end <= 3 ? nil : .corrupt))
    }

    @Test("Every kind of operation can be stored", arguments: OperationKind.allCases)
    func kinds(_ kind: OperationKind) throws {
        let record = Sample.operation(1, kind: kind, receiver: Sample.address(2), acceptedIn: 3)
        #expect(
            try OperationRecord(transactionID: record.transactionID, encoded: record.encoded, network: .mainnet)
                == record)
    }

    @Test("A network's addresses come back with its prefix")
    func networks() throws {
        let address = try #require(
            Address(prefix: .kaspatest, version: .schnorr, payload: [UInt8](repeating: 1, count: 32)))
        let device = Sample.device(1, watching: [address], primary: address)
        #expect(try DeviceRecord(encoded: device.encoded, network: .testnet(10)) == device)
    }

    @Test("Reading past the end, at the end and before it")
    func readerBounds() throws {
        for (count, expected) in [(2, nil), (3, nil), (4, StoreError.Code.corrupt)] {
            var reader = ByteReader([1, 2, 3])
            #expect(code { () throws(StoreError) in try reader.read(count: count) } == expected)
        }
        var negative = ByteReader([1])
        #expect(code { () throws(StoreError) in try negative.read(count: -1) } == .corrupt)
    }

    @Test("A length that promises more than there is costs nothing")
    func hugeLengths() {
        var list = ByteReader([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
        #expect(
            code { () throws(StoreError) in
                try list.readList { (reader) throws(StoreError) in try reader.readVariable() }
            } == .corrupt)
        var text = ByteReader([0, 0, 0, 2, 0xc3, 0x28])
        #expect(code { () throws(StoreError) in try text.readText() } == .corrupt)
    }

    @Test("A registration that is printed shows neither token nor addresses")
    func printedDevice() {
        let device = Sample.device(1, watching: [Sample.address(1)], primary: Sample.address(2))
        #expect("\(device)" == "device \(device.id)")
    }

    /// The code of the error that `body` throws, or nil.
    private func code<Result>(_ body: () throws(StoreError) -> Result) -> StoreError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }
}
