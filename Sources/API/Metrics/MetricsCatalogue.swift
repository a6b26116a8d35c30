/// Every metric of the service, with its kind, help text and buckets.
///
/// Operators rely on the names.
package enum MetricsCatalogue {
    /// The prefix of all names.
    ///
    /// The JSON snapshot leaves it out.
    package static let prefix = "kasia_"

    /// Counts the instruments that the registry refused because of its limits.
    package static let refusedInstruments = MetricDefinition(
        "kasia_metrics_refused_total", .counter,
        "Instruments folded into \"other\" or left out because a metric has too many series or another kind.")

    /// Counts the unsigned changes that `push.auth_mode: mixed` accepts.
    package static let unsignedRegistrations = MetricDefinition(
        "kasia_registrations_unsigned_total", .counter, "Unsigned changes of registrations let in by auth mode mixed.",
        labels: ["call"])

    /// The machine's memory, disk and files, for alerts before something breaks.
    ///
    /// Names without `kasia_` are those that Prometheus' own client libraries use.
    package static let machine = [
        MetricDefinition("kasia_store_free_bytes", .gauge, "Bytes free on the store's file system."),
        MetricDefinition(
            "kasia_store_memory_bytes", .gauge,
            "What the store keeps in memory: RocksDB's unflushed_writes, block_cache and tables (outside the cache), "
                + "and hot_rows.",
            labels: ["part"]),
        MetricDefinition(
            "kasia_heap_bytes", .gauge,
            "The C heap, RocksDB's part included: used, and freed but still held, with gaps and the allocator's records.",
            labels: ["state"]),
        MetricDefinition(
            "kasia_store_write_stalled", .gauge, "1 while RocksDB slows writes down or stops them, else 0."),
        MetricDefinition(
            "kasia_store_engine", .gauge, "1; its label says what keeps the store's rows: rocksdb or postgresql.",
            labels: ["engine"]),
        MetricDefinition(
            "kasia_store_trouble", .gauge,
            "1 while the store takes in nothing new (disk, or a database server that is not reached), else 0."),
        MetricDefinition(
            "kasia_standby", .gauge, "1 while the process stands by and another one works, else 0."),
        MetricDefinition(
            "kasia_cluster_members", .gauge,
            "Processes that share the store in PostgreSQL, as this one sees them: working, standing_by, silent.",
            labels: ["state"]),
        MetricDefinition(
            "kasia_cluster_shards", .gauge,
            "Parts of the devices (store.shards above 1) that a process sends to, and that none does: sending, unattended.",
            labels: ["state"]),
        MetricDefinition(
            "kasia_store_removed_total", .counter,
            "Rows of history that were removed: operation and transfer (store.retention), never_accepted, acceptance.",
            labels: ["what"]),
        MetricDefinition(
            "kasia_build_info", .gauge, "1; its labels say which program runs.",
            labels: ["version", "swift", "revision"]),
        MetricDefinition("process_open_fds", .gauge, "Open file descriptors."),
        MetricDefinition("process_max_fds", .gauge, "File descriptors that may be open."),
        MetricDefinition("process_resident_memory_bytes", .gauge, "Memory in use."),
    ]

    /// All metrics, by subject.
    package static let definitions: [MetricDefinition] =
        chain + push + devices + http + machine + reads + [unsignedRegistrations, refusedInstruments]

    private static let chain = [
        MetricDefinition("kasia_blocks_total", .counter, "Blocks received from the node."),
        MetricDefinition("kasia_transactions_scanned_total", .counter, "Transactions looked at for a payload of ours."),
        MetricDefinition(
            "kasia_operations_total", .counter, "Payloads of ours that the virtual chain accepted, by kind.",
            labels: ["kind"]),
        MetricDefinition(
            "kasia_transactions_accepted_total", .counter,
            "Operations and indexed transfers accepted by the virtual chain."),
        MetricDefinition(
            "kasia_transactions_reverted_total", .counter, "Acceptances taken back by a reorganisation."),
        MetricDefinition("kasia_reorganizations_total", .counter, "Reorganisations of the virtual chain."),
        MetricDefinition(
            "kasia_reorganization_depth", .histogram, "Chain blocks removed by a reorganisation.",
            buckets: [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000]),
        MetricDefinition(
            "kasia_node_connected", .gauge, "1 while the node at this address is followed, else 0.", labels: ["url"]),
        MetricDefinition(
            "kasia_node_lag_seconds", .gauge, "Age of the newest block that the node has sent."),
        MetricDefinition(
            "kasia_clock_ahead_seconds", .gauge,
            "How far this machine's clock is ahead of the chain's time; negative: behind."),
        MetricDefinition(
            "kasia_virtual_chain_daa_score", .gauge, "DAA score of the newest chain block processed."),
        MetricDefinition("kasia_gaps", .gauge, "Stretches of the chain that the node could no longer deliver."),
        MetricDefinition("kasia_gaps_total", .gauge, "Old name of kasia_gaps; the next version is without it."),
    ]

    private static let push = [
        MetricDefinition("kasia_push_events_total", .counter, "Accepted operations queued for push.", labels: ["kind"]),
        MetricDefinition(
            "kasia_push_deliveries_total", .counter,
            "Deliveries by outcome, reason and carrier: delivered, dead, expired, suppressed, withdrawn or retried.",
            labels: ["outcome", "reason", "carrier"]),
        MetricDefinition(
            "kasia_push_reverted_total", .counter,
            "Transactions queued for push that a reorganisation took out, by kind; withdrawn ones are not among them.",
            labels: ["kind"]),
        MetricDefinition(
            "kasia_push_queue_depth", .gauge,
            "Deliveries queued or in flight now. This and the other levels of pushes: of a shard beside 0 with its number.",
            labels: ["state"]),
        MetricDefinition(
            "kasia_push_paused", .gauge,
            "1 while a carrier is sent single probes only, since it refuses our credentials or has too much to do.",
            labels: ["carrier"]),
        MetricDefinition(
            "kasia_push_books", .gauge,
            "Events and deliveries by the state they are in, from the store; each book's states sum up to its created.",
            labels: ["book", "state"]),
        MetricDefinition(
            "kasia_push_books_by_reason", .gauge,
            "Deliveries that are dead or suppressed, by reason, from the store: it outlives a restart.",
            labels: ["state", "reason"]),
        MetricDefinition(
            "kasia_push_rings_total", .counter, "VoIP pushes that ring phones, by what became of them.",
            labels: ["outcome"]),
        MetricDefinition("kasia_push_dead_letters", .gauge, "Deliveries that were given up and are kept."),
        MetricDefinition(
            "kasia_push_queue_oldest_seconds", .gauge,
            "Age of the oldest delivery in the queue; those of tokens that no push was ever accepted for do not count."),
        MetricDefinition(
            "kasia_push_send_seconds", .histogram, "Time from handing a push to a carrier to the carrier's answer.",
            labels: ["carrier"],
            buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
        MetricDefinition(
            "kasia_push_chain_to_wire_seconds", .histogram, "Time from the block's time stamp to the carrier's answer.",
            // Bounds are at most a quarter apart where pushes usually are, so that changes of a quantile are visible.
            buckets: [
                0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.18, 0.22, 0.25, 0.3,
                0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 4.5, 5,
                6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 60, 300, 1_800, 3_600,
            ]),
    ]

    private static let devices = [
        MetricDefinition("kasia_devices", .gauge, "Devices registered now."),
        MetricDefinition("kasia_watch_entries", .gauge, "Entries of the watch index now."),
        MetricDefinition(
            "kasia_registrations_total", .counter, "Registration calls by call and result.", labels: ["call", "result"]),
        MetricDefinition(
            "kasia_devices_removed_total", .counter, "Devices removed, by reason.", labels: ["reason"]),
    ]

    private static let http = [
        MetricDefinition(
            "kasia_http_requests_total", .counter, "Requests answered.", labels: ["route", "method", "status"]),
        MetricDefinition(
            "kasia_http_request_seconds", .histogram, "Time to answer a request.", labels: ["route"],
            buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]),
        MetricDefinition(
            "kasia_http_connections_closed_total", .counter,
            "Connections closed before their client did, by reason (client_limit, gave_way, slow_headers).",
            labels: ["reason"]),
        MetricDefinition(
            "kasia_store_bytes", .gauge, "Bytes on disk, by column family.", labels: ["column_family"]),
    ]

    /// Reads of the history.
    package static let reads = [
        MetricDefinition("kasia_reads_waiting", .gauge, "Reads of the history that wait for a thread now."),
        MetricDefinition(
            "kasia_reads_refused_total", .counter,
            "Reads of the history that were refused: queue_full (503), allowance (429).", labels: ["reason"]),
    ]
}
