import API
import Carriers
import Clocks
import Logging
import Metrics
import PostgresStore
import Push
import ServiceLifecycle
import Store
import Troubles

/// Sends for shards other than 0 of a store that is shared out: takes those that nobody sends for, up to this process's
/// share, and gives one up when another process has fewer.
///
/// It goes on while the process stands by and while it works, and stops with it.
actor ShardRunner {
    private static let interval = Duration.milliseconds(250)
    /// A shard that has been free for so long is taken by anybody, whatever the shares.
    private static let patience = Duration.seconds(3)
    /// After a shard that was taken beyond the own share, as nobody else took it, none is given up for so long: the first
    /// time, and at most; twice as long each time, until processes come or go.
    private static let (firstGrace, longestGrace) = (Duration.seconds(15), Duration.seconds(3_600))
    /// The pause after an error that is not of a moment.
    private static let pause = Duration.seconds(5)
    /// A shard that is free for so long, and cannot be opened, is worth a line in the log.
    private static let longFree = Duration.seconds(20)
    /// How long the release of a shard that was given up is waited for.
    private static let closingTime = Duration.seconds(10)

    private struct Held {
        var group: ServiceGroup
        var ended: Task<Void, Never>
        var closing: StoreClosing
        /// It is being given up: it finishes what is in flight.
        var isLeaving = false

        /// Returns when nothing is sent any more, and others know.
        func wait() async {
            await ended.value
            _ = await closing.wait(atMost: ShardRunner.closingTime)
        }
    }

    private var configuration: IndexerConfiguration
    private let membership: Membership
    private let signals: StopSignals
    private let machine: MachineClock
    private let givenClock: ServiceClock?
    private let metrics: PrometheusRegistry
    private let logger = Logger(label: "kasia.shards")
    private let plan: ShardPlan
    private let reload: (@Sendable () throws(ConfigurationError) -> IndexerConfiguration)?
    private var signer: PushSigner?
    private let trouble = SharedTrouble()
    private let watch: ShardWatch
    private var held: [Int: Held] = [:]
    private var freeSince: [Int: ContinuousClock.Instant] = [:]
    private var notBefore: [Int: ContinuousClock.Instant] = [:]
    private var keepsUntil = ContinuousClock.now
    private var grace = firstGrace
    private var others: Set<String> = []
    /// Whether the store is shared out as configured.
    private var isShared = false
    /// How often the configuration was read.
    private var readings = 0
    private var loop: Task<Void, Never>?

    /// nil unless the store is shared out and there is a carrier.
    ///
    /// Errors: `StartError`, for the operator.
    init?(
        _ configuration: IndexerConfiguration, membership: Membership?, signals: StopSignals, machine: MachineClock,
        givenClock: ServiceClock?, metrics: PrometheusRegistry,
        reload: (@Sendable () throws(ConfigurationError) -> IndexerConfiguration)?
    ) throws {
        let hasCarrier = configuration.apns != nil || configuration.fcm != nil || configuration.webPush != nil
        let count = configuration.store.shards
        guard let membership, let server = configuration.store.server, count > 1, hasCarrier else { return nil }
        self.configuration = configuration
        self.membership = membership
        self.signals = signals
        self.machine = machine
        self.givenClock = givenClock
        self.metrics = metrics
        self.reload = reload
        plan = ShardPlan(count: count)
        watch = ShardWatch(server, count: count)
        signer = try IndexerParts.makeSigner(configuration.push)
    }

    /// Begins to look for shards.
    func begin() {
        loop = Task {
            while !Task.isCancelled {
                await look()
                try? await Task.sleep(for: ShardRunner.interval)
            }
        }
    }

    /// Gives up all shards, and returns when they are free.
    func end() async {
        loop?.cancel()
        await loop?.value
        await giveUpAll()
    }

    /// Reads the configuration again, as at SIGHUP: what sends is made anew, with other keys if they have changed.
    func readAgain() async {
        do {
            guard let reload else { return }
            let new = try reload()
            let signer = try IndexerParts.makeSigner(new.push)
            for (name, isGone) in [
                ("apns.*", configuration.apns != nil && new.apns == nil),
                ("fcm.*", configuration.fcm != nil && new.fcm == nil),
                ("web_push.*", configuration.webPush != nil && new.webPush == nil),
                ("push.signing_key_path", self.signer != nil && signer == nil),
            ] where isGone {
                throw StartError(description: "\(name) is not set any more; a restart without it ends sending by it")
            }
            readings += 1
            (configuration.apns, configuration.fcm, configuration.push) = (new.apns, new.fcm, new.push)
            self.signer = signer
        } catch {
            return logger.error("push.shards.kept", metadata: ["reason": "\(error)"])
        }
        await giveUpAll()
    }

    private var load: Int { held.values.count { !$0.isLeaving } + (membership.isWorking ? 1 : 0) }

    /// Takes a shard, or gives one up, if it is time for it.
    private func look() async {
        let members = membership.members
        let shares = ShardShares(count: plan.count, members: members)
        if others != shares.names { (others, keepsUntil, grace) = (shares.names, .now, ShardRunner.firstGrace) }
        // A database that is away is reported elsewhere.
        let found: Set<Int>?
        do { found = try await watch.free() } catch { return }
        isShared = found != nil
        tellMembers()
        guard let free = found?.subtracting(held.keys) else { return }
        note(free: free)
        if ContinuousClock.now >= keepsUntil, shares.givesUp(load: load, name: membership.name) {
            guard let shard = held.filter({ !$0.value.isLeaving }).keys.max() else { return }
            logger.notice("push.shard.leaving", metadata: ["shard": "\(shard)", "reason": "another process has fewer"])
            return await giveUp(shard)
        }
        // Before the first meeting nobody is known.
        guard !members.isEmpty else { return }
        for shard in free.sorted() where !Task.isCancelled && !signals.haveCome {
            let now = ContinuousClock.now
            let isLeft = freeSince[shard].map { now - $0 >= ShardRunner.patience } ?? false
            let isWithinShare = shares.mayTake(load: load)
            guard isLeft || isWithinShare, notBefore[shard] ?? now <= now else { continue }
            if !isWithinShare {
                keepsUntil = now + grace
                grace = min(grace * 2, ShardRunner.longestGrace)
            }
            await take(shard, isChainFollowed: members.contains { $0.state == .working })
        }
    }

    private func note(free: Set<Int>) {
        freeSince = freeSince.filter { free.contains($0.key) }
        for shard in free where freeSince[shard] == nil { freeSince[shard] = .now }
        for (state, count) in [("sending", plan.count - free.count), ("unattended", free.count)] {
            Gauge(label: "kasia_cluster_shards", dimensions: [("state", state)], factory: metrics).record(count)
        }
    }

    private func take(_ number: Int, isChainFollowed: Bool) async {
        guard let watch = watch.watch(of: number) else { return }
        let reading = readings
        do {
            var limits = configuration.store.limits
            limits.devices = UInt64(configuration.push.maxDevices)
            let shard = try await configuration.store.openShard(
                number, network: configuration.network.type, limits: limits, standby: watch)
            let parts = try await ShardParts(
                shard, configuration, signer: signer, machine: machine, givenClock: givenClock,
                isChainFollowed: isChainFollowed)
            // With keys that are not the present ones it is taken again.
            guard reading == readings else { return }
            run(number, parts, closing: shard.store.closing)
            if let summary = trouble.over() { logger.notice("push.shard.opened", metadata: summary) }
        } catch let error as StoreError where StoreWaiter.waits(after: error) {
            // Another process was faster, or the database is away, which is said elsewhere; but not for long.
            guard let since = freeSince[number], .now - since >= ShardRunner.longFree else { return }
            noteFailure(number, error)
        } catch {
            notBefore[number] = .now + ShardRunner.pause
            noteFailure(number, error)
        }
    }

    private func noteFailure(_ number: Int, _ error: any Error) {
        guard let summary = trouble.met("\(error)") else { return }
        let metadata: Logger.Metadata = ["shard": "\(number)", "error.message": "\(error)"]
        logger.error("push.shard.not_opened", metadata: metadata.adding(summary))
    }

    private func run(_ number: Int, _ parts: ShardParts, closing: StoreClosing) {
        let running = IndexerService.group(parts.services, configuration.push, logger)
        let ended = Task { [signals, logger] in
            do {
                try await signals.run(running)
                logger.notice("push.shard.given_up", metadata: ["shard": "\(number)"])
            } catch {
                logger.warning("push.shard.lost", metadata: ["shard": "\(number)", "reason": "\(error)"])
                self.notBefore[number] = .now + ShardRunner.pause
            }
            self.forget(number)
        }
        held[number] = Held(group: running, ended: ended, closing: closing)
        tellMembers()
        logger.notice("push.shard.taken", metadata: ["shard": "\(number)", "of": "\(plan.count)"])
    }

    private func forget(_ number: Int) {
        held[number] = nil
        tellMembers()
    }

    private func tellMembers() { membership.set(shards: isShared ? held.keys.sorted() : nil) }

    private func giveUp(_ number: Int) async {
        held[number]?.isLeaving = true
        await held[number]?.group.triggerGracefulShutdown()
    }

    private func giveUpAll() async {
        let shards = held
        for number in shards.keys { await giveUp(number) }
        for shard in shards.values { await shard.wait() }
    }
}
