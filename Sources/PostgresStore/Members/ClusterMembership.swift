import Foundation
import Postgres
public import Store

/// This process among those that share a store: it gives a sign of life to the others, and sees theirs.
///
/// It is for people only: which process works is decided by the row of the one that writes. As there, no clock of
/// another machine counts, only how long a sign of life has stood still before this process's eyes. Call `meet` about
/// once a second.
public actor ClusterMembership {
    private struct Seen {
        var beats: Int64
        var at: Duration
    }

    /// How long a silent member is listed.
    static let listing = Duration.seconds(3_600)

    private let executor = BlockingExecutor(label: "kasia.store.members")
    private let id: [UInt8]
    private let name: String
    private let version: String
    private let settings: ConnectionSettings
    private let lease: Duration
    /// Since the start of this process.
    private let uptime: @Sendable () -> Duration
    private var connection: Connection?
    private var seen: [[UInt8]: Seen] = [:]
    private var hasMet = false

    /// A thread of its own, as its calls wait for the server.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `name` is the host and the REST port, `watch` what else knows of the servers that have been replaced.
    public init(_ location: PostgresStore.Location, name: String, version: String, watch: StandbyWatch?) {
        let start = ContinuousClock.now
        self.init(location, name: name, version: version, watch: watch, times: .service) { ContinuousClock.now - start }
    }

    init(
        _ location: PostgresStore.Location, name: String, version: String, watch: StandbyWatch?, times: ServerTimes,
        uptime: @escaping @Sendable () -> Duration
    ) {
        var identity = UUID().uuid
        id = withUnsafeBytes(of: &identity) { Array($0) }
        var settings = location.settings(session: PostgresStore.session)
        settings.deadline = times.deadline
        settings.history = watch?.history ?? ServerHistory()
        self.settings = settings
        self.name = name
        self.version = version
        self.lease = times.lease
        self.uptime = uptime
    }

    /// Says that this process lives, and what it does, `shards` being those that it sends to besides the store's own,
    /// nil if it takes none; returns all members in the order of their names.
    ///
    /// Empty while the store has no list of them, as no process of this version has worked on it. Errors: `StoreError`,
    /// after which the next call connects anew.
    public func meet(isWorking: Bool, shards: [Int]? = nil) throws(StoreError) -> [ClusterMember] {
        let connection = try connected()
        do throws(StoreError) {
            return try meet(connection, isWorking: isWorking, shards: shards)
        } catch {
            self.connection = nil
            throw error
        }
    }

    /// Takes this process from the list, if the server is at hand.
    public func leave() {
        _ = try? connection?.run([(MemberStatements.leave, [.uuid(id)])])
        connection = nil
    }

    private func connected() throws(StoreError) -> Connection {
        if let connection, !connection.isLost, connection.timeline >= settings.history?.timeline ?? 0 {
            return connection
        }
        let settings = settings
        let new = try checked { () throws(PostgresError) in
            settings.history?.passOver()
            return try Connection(settings)
        }
        connection = new
        return new
    }

    private func meet(_ connection: Connection, isWorking: Bool, shards: [Int]?) throws(StoreError) -> [ClusterMember] {
        let now = uptime()
        return try checked { () throws(PostgresError) -> [ClusterMember] in
            guard try connection.run([(MemberStatements.isListed, [])])[0].bool(0, 0) else { return [] }
            var calls: [(Statement, [Parameter])] = [
                (
                    MemberStatements.beat,
                    [
                        .uuid(id), .text(name), .text(version), .bool(isWorking), .int64(now.components.seconds),
                        .bool(shards != nil), .int16Array((shards ?? []).map { Int16($0) }),
                    ]
                )
            ]
            // What stands under this name is what was here before.
            if !hasMet { calls.append((MemberStatements.replace, [.text(name), .uuid(id)])) }
            for (id, seen) in seen where now - seen.at >= ClusterMembership.listing {
                calls.append((MemberStatements.forget, [.uuid(id), .int64(seen.beats)]))
            }
            calls.append((MemberStatements.all, []))
            let rows = try connection.run(calls)[calls.count - 1]
            hasMet = true
            return try members(rows, now)
        }
    }

    private func members(_ rows: Rows, _ now: Duration) throws(PostgresError) -> [ClusterMember] {
        var latest: [[UInt8]: Seen] = [:]
        var members: [ClusterMember] = []
        for row in 0..<rows.count {
            let (id, beats) = (rows.bytes(row, 0), try rows.int64(row, 5))
            let current = seen[id].flatMap { $0.beats == beats ? $0 : nil } ?? Seen(beats: beats, at: now)
            latest[id] = id == self.id ? nil : current
            let silence = id == self.id ? .zero : now - current.at
            let isWorking = try rows.bool(row, 3)
            members.append(
                ClusterMember(
                    name: try rows.text(row, 1),
                    state: silence > lease ? .silent : isWorking ? .working : .standingBy,
                    version: try rows.text(row, 2), uptime: .seconds(try rows.int64(row, 4)),
                    shards: ClusterMembership.shards(try rows.text(row, 6)), silence: silence))
        }
        seen = latest
        return members
    }

    private static func shards(_ text: String) -> [Int]? {
        text == "-" ? nil : text.split(separator: " ").compactMap { Int($0) }
    }
}
