/// The day in rows.
struct DayReport {
    private let course: DayCourse
    private let processes: DayProcesses
    private let traffic: DayTraffic
    private let cast: DayCast
    private let operations: [DayOperation]

    init(
        _ course: DayCourse, _ processes: DayProcesses, _ traffic: DayTraffic, _ cast: DayCast,
        _ operations: [DayOperation]
    ) {
        (self.course, self.processes, self.traffic) = (course, processes, traffic)
        (self.cast, self.operations) = (cast, operations)
    }

    /// Hours; after the first of four the service is warm.
    private var quarter: Int { course.samples.count / 4 }

    var rows: [Row] { memory + descriptors + deliveries + apps }

    private var memory: [Row] {
        let samples = course.samples
        guard quarter > 0, let last = samples.last else { return [] }
        let first = samples[quarter - 1]
        let warm = samples.dropFirst(quarter - 1)
        func slope(_ value: (DaySample) -> Double) -> LeastSquares? {
            LeastSquares(warm.map { ($0.hour, value($0)) })
        }
        var rows = [
            Row("resident at the end", one(last.resident), "MB", against: "after a quarter", one(first.resident)),
            Row("  of it anonymous", one(last.anonymous), "MB", against: "after a quarter", one(first.anonymous)),
        ]
        if let resident = slope(\.resident), let anonymous = slope(\.anonymous), let store = slope(\.storeSize) {
            rows += [
                Row(
                    "resident, slope from hour \(quarter) on", one(resident.slope), "MB/hour",
                    against: "the store's slope", one(store.slope)),
                Row("  its standard error", one(resident.error ?? 0), "MB/hour"),
                Row(
                    "  the same of the anonymous part", one(anonymous.slope), "MB/hour",
                    against: "the store's slope", one(store.slope)),
            ]
        }
        let parts: [(String, (DaySample) -> Double)] = [
            ("heap in use", \.heapUsed), ("heap freed", \.heapFreed), ("store: unflushed writes", \.unflushedWrites),
            ("store: block cache", \.blockCache), ("store: tables", \.tables),
        ]
        rows += parts.map { name, value in
            Row("  \(name) at the end", one(value(last)), "MB", against: "after a quarter", one(value(first)))
        }
        // Writes in memory are let go all at once when the log is full: their peaks say more than a line through them.
        let peaks = (0..<4).map { number -> Double in
            let hours = samples.dropFirst(number * quarter).prefix(quarter)
            return hours.map(\.resident).max() ?? 0
        }
        rows += zip(["second", "third", "last"], peaks.dropFirst()).map { quarter, peak in
            Row("most resident in the \(quarter) quarter", one(peak), "MB", against: "in the first", one(peaks[0]))
        }
        rows.append(
            Row(
                "threads, most", one(most { Double($0.threads) }), "", against: "fewest",
                one(least { Double($0.threads) })))
        return rows
    }

    private var descriptors: [Row] {
        func row(_ what: String, _ value: (DaySample) -> Int) -> Row {
            Row(what, one(most { Double(value($0)) }), "", against: "fewest", one(least { Double(value($0)) }))
        }
        var rows = [
            row("open descriptors, most") { $0.descriptors }, row("  sockets") { $0.sockets },
            row("  files of the store") { $0.storeFiles }, row("  others") { $0.others },
        ]
        if let last = course.last, let first = course.samples.first {
            rows.append(
                Row(
                    "  sockets and others when all is sent", one(Double(last.sockets + last.others)), "",
                    against: "at hour 1", one(Double(first.sockets + first.others))))
        }
        return rows
    }

    private var deliveries: [Row] {
        let metrics = ServiceMetrics(processes.http)
        let verdict = course.journal.compare(cast.residents, operations)
        let delivered = metrics.sum("kasia_push_deliveries_total", with: #"outcome="delivered""#)
        return [
            Row("operations that were accepted", one(Double(operations.count { $0.wasAccepted })), ""),
            Row("reorganisations", one(metrics.sum("kasia_reorganizations_total")), ""),
            Row("gaps in the chain", one(metrics.sum("kasia_gaps")), ""),
            Row(
                "pushes delivered, as the service counts", one(delivered), "", against: "the sandbox's journal",
                one(Double(course.journal.count))),
            Row("  retried", one(metrics.sum("kasia_push_deliveries_total", with: #"outcome="retried""#)), ""),
            Row("  due to devices that stayed", one(Double(verdict.required)), ""),
            Row(
                "  lost", one(Double(verdict.lost)), "", against: "the last one's place among the operations",
                one(Double(verdict.lastLost))),
            Row(
                "  not queued as Apple had accepted nothing for the device yet",
                one(metrics.sum("kasia_push_books_by_reason", with: #"reason="on_probation""#)), ""),
            Row("  doubled", one(Double(course.journal.doubles)), ""),
            Row("  to nobody's expectation", one(Double(verdict.unexpected)), ""),
            Row("  after an unregister", one(Double(course.journal.afterUnregister)), ""),
            Row("  to devices that are gone", one(Double(course.journal.count(of: cast.gone))), ""),
            Row("devices removed, as Apple said", one(metrics.sum("kasia_devices_removed_total")), ""),
            Row("queue at the end", one(course.last?.queue ?? -1), ""),
            Row("  drained after", one(course.drain / .seconds(1)), "s"),
        ]
    }

    private var apps: [Row] {
        let streams = traffic.streams.flatMap { [$0.steady, $0.broken] }
        func sum(_ value: (DayStream) -> Int) -> Samples { one(Double(streams.reduce(0) { $0 + value($1) })) }
        return [
            Row("reads, registers and unregisters", one(Double(traffic.reads + traffic.moves)), ""),
            Row("  refused or unanswered", one(Double(traffic.failures)), ""),
            Row("streams resumed", sum(\.resumptions), ""), Row("  items told", sum(\.items.count), ""),
            Row("  items missed by one that resumed", one(Double(course.missingItems)), ""),
            Row("  closed or reset by the service", sum { $0.refusals + $0.resets }, ""),
        ]
    }

    private func one(_ value: Double) -> Samples { Samples([value]) }

    private func most(_ value: (DaySample) -> Double) -> Double { course.samples.map(value).max() ?? 0 }

    private func least(_ value: (DaySample) -> Double) -> Double { course.samples.map(value).min() ?? 0 }
}
