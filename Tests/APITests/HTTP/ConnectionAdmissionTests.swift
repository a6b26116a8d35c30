import NIOCore
import NIOPosix
import Testing

@testable import API

@Suite("ConnectionAdmission")
struct ConnectionAdmissionTests {
    /// A connection without a socket; it tells the test what it is told.
    private final class Peer: Sendable {
        let told: AsyncStream<String>
        private let tell: AsyncStream<String>.Continuation

        init() { (told, tell) = AsyncStream.makeStream(of: String.self) }

        var id: ObjectIdentifier { ObjectIdentifier(self) }

        func open(_ admission: ConnectionAdmission, as client: [UInt8]?) -> ConnectionAdmission.Entry {
            admission.connectionOpened(
                ConnectionAdmission.Connection(
                    id: id, client: client, eventLoop: MultiThreadedEventLoopGroup.singleton.any(),
                    admit: { [tell] in _ = tell.yield("admitted") }, closeIfIdle: { [tell] in _ = tell.yield("close") })
            )
        }

        /// What it is told next.
        func next() async -> String? {
            var iterator = told.makeAsyncIterator()
            return await iterator.next()
        }
    }

    private func client(_ number: Int) -> [UInt8] { [1, UInt8(number >> 8), UInt8(number & 0xff)] }

    @Test(
        "one client has a quarter of the places, at least 32", arguments: [(1, 32), (128, 32), (132, 33), (512, 128)])
    func quarter(maximum: Int, share: Int) {
        let admission = ConnectionAdmission(maximum: maximum)
        var peers: [Peer] = []
        for number in 1...share + 1 {
            let peer = Peer()
            let entry = peer.open(admission, as: client(0))
            #expect(entry == (number > share ? .refused : number > maximum ? .waiting : .admitted), "\(number)")
            if entry == .admitted { admission.requestBegan(peer.id) }
            peers.append(peer)
        }
        let other = Peer()
        #expect(other.open(admission, as: client(1)) != .refused)
        for _ in 0..<share + 1 {
            let peer = Peer()
            #expect(peer.open(admission, as: nil) != .refused, "a trusted proxy has no share")
            peers.append(peer)
        }
        admission.connectionClosed(peers[0].id)
        let again = Peer()
        #expect(again.open(admission, as: client(0)) != .refused)
    }

    @Test("at its share a client's own idle connection is closed, the one idle for longest")
    func ownIdle() async {
        let admission = ConnectionAdmission(maximum: 512)
        let peers = (0..<128).map { _ in Peer() }
        for peer in peers { #expect(peer.open(admission, as: client(0)) == .admitted) }
        for peer in peers { admission.requestBegan(peer.id) }
        for number in [7, 3, 9] { #expect(!admission.requestsEnded(peers[number].id)) }
        let newcomer = Peer()
        #expect(newcomer.open(admission, as: client(0)) == .admitted)
        #expect(await peers[7].next() == "close")
        admission.connectionClosed(peers[7].id)
        #expect(admission.counts == (128, 0))
    }

    @Test("who waits gets the place of an idle connection of the client that has the most")
    func crowd() async {
        let admission = ConnectionAdmission(maximum: 4)
        let (honest, many) = (Peer(), [Peer(), Peer(), Peer()])
        #expect(honest.open(admission, as: client(0)) == .admitted)
        for peer in many { #expect(peer.open(admission, as: client(1)) == .admitted) }
        let newcomers = [Peer(), Peer(), Peer(), Peer(), Peer()]
        #expect(newcomers[0].open(admission, as: client(2)) == .waiting)
        #expect(await many[0].next() == "close")
        // A request came in between: another has to go.
        admission.requestBegan(many[0].id)
        #expect(await many[1].next() == "close")
        admission.connectionClosed(many[1].id)
        #expect(await newcomers[0].next() == "admitted")
        admission.requestBegan(newcomers[0].id)
        #expect(newcomers[1].open(admission, as: client(3)) == .waiting)
        #expect(await many[2].next() == "close")
        #expect(newcomers[2].open(admission, as: client(4)) == .waiting)
        #expect(await honest.next() == "close")
        // All are busy now: whoever becomes idle next goes at once, and no more than wait.
        #expect(newcomers[3].open(admission, as: client(5)) == .waiting)
        #expect(admission.needsRoom)
        #expect(admission.requestsEnded(many[0].id))
        #expect(!admission.needsRoom)
        #expect(!admission.requestsEnded(newcomers[0].id))
        for peer in [many[2], honest, many[0]] { admission.connectionClosed(peer.id) }
        for peer in newcomers[1...3] { #expect(await peer.next() == "admitted") }
        #expect(admission.counts == (4, 0))
    }

    @Test("who stops waiting leaves no trace")
    func impatient() async {
        let admission = ConnectionAdmission(maximum: 1)
        let (first, second, third) = (Peer(), Peer(), Peer())
        #expect(first.open(admission, as: client(0)) == .admitted)
        admission.requestBegan(first.id)
        #expect(second.open(admission, as: client(1)) == .waiting)
        #expect(third.open(admission, as: client(2)) == .waiting)
        admission.connectionClosed(second.id)
        #expect(admission.counts == (1, 1))
        admission.connectionClosed(first.id)
        #expect(await third.next() == "admitted")
        admission.connectionClosed(third.id)
        admission.connectionClosed(third.id)
        #expect(admission.counts == (0, 0))
    }

    @Test("one client has a quarter of the streams, at least 16", arguments: [(1, 16), (64, 16), (68, 17), (256, 64)])
    func streams(maximum: Int, share: Int) throws {
        let slots = EventStreams.Slots(maximum: maximum)
        #expect(slots.perClient == share)
        var taken: [EventStreams.Slot] = []
        for _ in 0..<min(maximum, share) { taken.append(try slots.take(for: client(0))) }
        #expect(throws: APIError.self) { try slots.take(for: client(0)) }
        if maximum > share {
            taken.append(try slots.take(for: client(1)))
            taken.append(try slots.take(for: nil))
            #expect(slots.count == share + 2)
            taken.removeFirst()
            taken.append(try slots.take(for: client(0)))
            #expect(throws: APIError.self) { try slots.take(for: client(0)) }
        }
        taken = []
        #expect(slots.count == 0)
        _ = try slots.take(for: client(0))
        #expect(slots.count == 0)
    }
}
