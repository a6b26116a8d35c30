import Logging

extension StatusHistory {
    /// Columns of equal length, oldest first; null where nothing was observed.
    static func answer(_ samples: [Sample]) -> JSONAnswer {
        let columns = Sample.columns.map { name, value in (name, JSONAnswer.array(samples.map(value))) }
        return .object([("interval_seconds", .integer(UInt64(interval.components.seconds)))] + columns)
    }
}

extension StatusHistory.Sample {
    /// The columns of the plots, under the names that the page uses.
    fileprivate static let columns: [(String, @Sendable (Self) -> JSONAnswer)] = [
        ("time", { .integer($0.time) }), ("seconds", { .number($0.seconds) }),
        ("delivered", { .number($0.delivered) }), ("failed", { .number($0.failed) }),
        ("retried", { .number($0.retried) }), ("chain_to_wire_p50", { .optional($0.chainToWireP50) }),
        ("chain_to_wire_p99", { .optional($0.chainToWireP99) }), ("send_p50", { .optional($0.sendP50) }),
        ("send_p99", { .optional($0.sendP99) }), ("queue", { .number($0.queue) }),
        ("lag_seconds", { .optional($0.lagSeconds) }),
    ]

    /// One value for each column.
    var answer: JSONAnswer { .object(Self.columns.map { ($0.0, $0.1(self)) }) }
}

extension JSONAnswer {
    /// A number or null.
    static func optional(_ value: Double?) -> JSONAnswer { value.map { .number($0) } ?? .null }

    fileprivate static func optional(_ value: String?) -> JSONAnswer { value.map { .string($0) } ?? .null }
}

extension StatusFacts.Node {
    fileprivate var knownScore: UInt64? { virtualDAAScore > 0 ? virtualDAAScore : nil }

    var answer: JSONAnswer {
        .object([
            ("connected_url", .optional(connectedURL)), ("reason", .optional(reason)), ("version", .optional(version)),
            ("is_synced", .boolean(isSynced)),
            ("virtual_daa_score", knownScore.map { .integer($0) } ?? .null),
        ])
    }
}

extension StatusFacts.Chain {
    func answer(_ metrics: MetricsReading, node: StatusFacts.Node, at time: UInt64) -> JSONAnswer {
        let behind = node.knownScore.map { $0 - min($0, daaScore) }
        return .object([
            ("block", .optional(block)), ("daa_score", .integer(daaScore)), ("block_time", .integer(blockTime)),
            ("lag_seconds", .optional(lagSeconds(at: time))),
            ("daa_behind", behind.map { .integer($0) } ?? .null), ("catching_up", .boolean(isCatchingUp)),
            ("daa_per_second", .optional(daaScoresPerSecond)),
            ("seconds_left", secondsLeft.map { .integer($0) } ?? .null),
            ("waits_for_dispatcher", .boolean(waitsForDispatcher)),
            ("blocks", .number(metrics.sum("kasia_blocks_total"))),
            ("accepted", .number(metrics.sum("kasia_transactions_accepted_total"))),
            ("reverted", .number(metrics.sum("kasia_transactions_reverted_total"))),
            ("reorganizations", .number(metrics.sum("kasia_reorganizations_total"))),
            ("gaps", .number(metrics.sum("kasia_gaps"))),
        ])
    }
}

extension StatusFacts.Member {
    var answer: JSONAnswer {
        .object([
            ("name", .string(name)), ("state", .string(state)), ("version", .string(version)),
            ("uptime_seconds", .integer(uptimeSeconds)), ("silent_seconds", .integer(silentSeconds)),
            ("shards", .array(shards.map { .integer(UInt64($0)) })),
        ])
    }
}

extension MetricsReading {
    func pushAnswer(perSecond: Double?) -> JSONAnswer {
        .object([
            ("per_second", .optional(perSecond)),
            ("queued", .optional(total("kasia_push_queue_depth", ("state", "queued")))),
            ("in_flight", .optional(total("kasia_push_queue_depth", ("state", "in_flight")))),
            ("oldest_seconds", .optional(greatest("kasia_push_queue_oldest_seconds"))),
            ("dead_letters", .optional(total("kasia_push_dead_letters"))),
            ("deliveries", counts("kasia_push_deliveries_total", ["outcome", "reason", "carrier"])),
            ("events", counts("kasia_push_events_total", ["kind"])),
        ])
    }

    var storeAnswer: JSONAnswer {
        .object([
            ("bytes", .number(sum("kasia_store_bytes"))), ("free_bytes", .optional(value("kasia_store_free_bytes"))),
            ("write_stalled", .boolean(value("kasia_store_write_stalled") == 1)),
            ("families", counts("kasia_store_bytes", ["column_family"], as: "bytes")),
        ])
    }

    var processAnswer: JSONAnswer {
        .object([
            ("resident_bytes", .optional(value("process_resident_memory_bytes"))),
            ("open_files", .optional(value("process_open_fds"))),
            ("file_limit", .optional(value("process_max_fds"))),
            ("http_requests", .number(sum("kasia_http_requests_total"))),
        ])
    }

    /// A metric's series: its labels, and its value under `name`.
    private func counts(_ metric: String, _ labels: [String], as name: String = "count") -> JSONAnswer {
        .array(
            series(metric).map { series in
                .object(labels.map { ($0, .string(series.labels[$0] ?? "")) } + [(name, .number(series.value))])
            })
    }
}

extension RecentEvents.Event {
    var answer: JSONAnswer {
        .object([
            ("time", .integer(time)), ("since", .integer(since)), ("count", .integer(count)),
            ("level", .string(level.rawValue)), ("label", .string(label)), ("message", .string(message)),
            ("metadata", .object(metadata.map { ($0.key, .string($0.value)) })),
            ("guide", GuideSection.of(event: message).map { .string($0.link) } ?? .null),
        ])
    }
}
