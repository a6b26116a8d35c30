import Metrics
import Testing

@testable import API

@Suite("PrometheusRegistry")
struct PrometheusRegistryTests {
    let registry = PrometheusRegistry(catalogue: [])

    /// The lines of the exposition that are samples of a metric.
    private func samples(_ name: String, of registry: PrometheusRegistry? = nil) -> [String] {
        (registry ?? self.registry).renderPrometheus().split(separator: "\n").map(String.init).filter {
            $0.hasPrefix(name) && ($0.dropFirst(name.count).first.map { " {_".contains($0) } ?? false)
        }
    }

    @Test("a counter adds up and never goes down")
    func counter() {
        let counter = Counter(label: "jobs_total", factory: registry)
        counter.increment()
        counter.increment(by: 41)
        counter.increment(by: -7)
        #expect(samples("jobs_total") == ["jobs_total 42"])
        counter.reset()
        #expect(samples("jobs_total") == ["jobs_total 0"])
    }

    @Test("a counter is exact up to 2^53")
    func counterIsExact() {
        let counter = Counter(label: "bytes_total", factory: registry)
        counter.increment(by: (1 << 53) - 2)
        counter.increment()
        #expect(samples("bytes_total") == ["bytes_total 9007199254740991"])
    }

    @Test("a floating-point counter adds fractions and ignores what is not a finite gain")
    func floatingPointCounter() {
        let counter = FloatingPointCounter(label: "seconds_total", factory: registry)
        for amount in [0.5, 0.25, -1, .nan, .infinity] { counter.increment(by: amount) }
        #expect(samples("seconds_total") == ["seconds_total 0.75"])
    }

    @Test("a gauge keeps the last value, a meter goes up and down")
    func gaugeAndMeter() {
        let gauge = Gauge(label: "depth", factory: registry)
        gauge.record(7)
        gauge.record(2.5)
        let meter = Meter(label: "open", factory: registry)
        meter.set(10)
        meter.increment(by: 2)
        meter.decrement(by: 15)
        #expect(samples("depth") == ["depth 2.5"])
        #expect(samples("open") == ["open -3"])
    }

    @Test(
        "numbers that are not finite are written as the format wants",
        arguments: [
            (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (-0.0, "0"), (1e-7, "1e-07"),
            (1e300, "1e+300"),
        ])
    func numbers(value: Double, text: String) {
        Gauge(label: "g", factory: registry).record(value)
        #expect(samples("g") == ["g \(text)"])
    }

    @Test("a histogram counts at its bounds, below them and above the last")
    func histogram() {
        let registry = PrometheusRegistry(catalogue: [
            MetricDefinition("depth", .histogram, "Depth.", buckets: [1, 2.5])
        ])
        let recorder = Recorder(label: "depth", factory: registry)
        for value in [0.5, 1.0, 1.5, 2.5, 3, .nan, .infinity] { recorder.record(value) }
        #expect(
            samples("depth", of: registry) == [
                #"depth_bucket{le="1"} 2"#, #"depth_bucket{le="2.5"} 4"#, #"depth_bucket{le="+Inf"} 5"#,
                "depth_sum 8.5", "depth_count 5",
            ])
    }

    @Test("a timer counts in seconds, a backward clock as zero")
    func timer() {
        let timer = Timer(label: "call_seconds", dimensions: [("route", "/a")], factory: registry)
        timer.recordNanoseconds(20_000_000)
        timer.recordNanoseconds(-5)
        let lines = samples("call_seconds")
        #expect(lines.contains(#"call_seconds_bucket{route="/a",le="0.001"} 1"#))
        #expect(lines.contains(#"call_seconds_bucket{route="/a",le="0.05"} 2"#))
        #expect(lines.contains(#"call_seconds_sum{route="/a"} 0.02"#))
        #expect(lines.contains(#"call_seconds_count{route="/a"} 2"#))
    }

    @Test("instruments with the same name and labels in any order share a series")
    func sharing() {
        Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
        Counter(label: "c", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        #expect(samples("c") == [#"c{a="1",b="2"} 2"#])
    }

    @Test("of a label that comes twice the first value stays")
    func repeatedLabel() {
        Counter(label: "c", dimensions: [("a", "1"), ("a", "2")], factory: registry).increment()
        #expect(samples("c") == [#"c{a="1"} 1"#])
    }

    @Test("label values are escaped, names made valid")
    func escaping() {
        Counter(label: "9 jobs.done", dimensions: [("0-é", "a\\b\"c\nd{}é"), ("le", "x")], factory: registry)
            .increment()
        #expect(samples("_9_jobs_done") == [#"_9_jobs_done{_0___="a\\b\"c\nd{}é",le_="x"} 1"#])
    }

    @Test(
        "a long label value is cut at 256 bytes, never inside a character",
        arguments: [
            (String(repeating: "x", count: 255), 255), (String(repeating: "x", count: 256), 256),
            (String(repeating: "x", count: 257), 256), (String(repeating: "é", count: 128) + "é", 256),
            ("x" + String(repeating: "é", count: 128), 255),
        ])
    func longValue(value: String, bytes: Int) {
        #expect(SeriesLabels([("a", value)]).labels.first?.value.utf8.count == bytes)
    }

    @Test("beyond the limit of series, new ones fold into other and are counted", arguments: [2, 3, 4])
    func folding(values: Int) {
        let registry = PrometheusRegistry(catalogue: [], seriesLimit: 3)
        for value in 0..<values {
            Counter(label: "c", dimensions: [("token", "t\(value)")], factory: registry).increment()
        }
        let plain = (0..<min(values, 3)).map { #"c{token="t\#($0)"} 1"# }
        #expect(samples("c", of: registry) == (values > 3 ? [#"c{token="other"} 1"#] : []) + plain)
        #expect(
            samples("kasia_metrics_refused_total", of: registry) == [
                "kasia_metrics_refused_total \(max(0, values - 3))"
            ])
    }

    @Test("the other series is shared and outlives a destroyed instrument")
    func foldedIsKept() {
        let registry = PrometheusRegistry(catalogue: [], seriesLimit: 1)
        let counters = (0..<3).map { Counter(label: "c", dimensions: [("a", "\($0)")], factory: registry) }
        counters.forEach { $0.increment() }
        counters[2].destroy()
        #expect(samples("c", of: registry) == [#"c{a="0"} 1"#, #"c{a="other"} 2"#])
    }

    @Test("a hundred thousand label values keep memory bounded")
    func bounded() {
        for value in 0..<100_000 { Counter(label: "c", dimensions: [("a", "\(value)")], factory: registry).increment() }
        #expect(samples("c").count == PrometheusRegistry.defaultSeriesLimit + 1)
    }

    @Test("too many metrics are left out and counted, and their instruments still work")
    func metricLimit() {
        for number in 0..<(PrometheusRegistry.metricLimit + 4) {
            Counter(label: "m\(number)", factory: registry).increment()
        }
        Gauge(label: "late_gauge", factory: registry).record(1)
        Recorder(label: "late_recorder", factory: registry).record(1)
        Timer(label: "late_timer", factory: registry).recordSeconds(1)
        let text = registry.renderPrometheus()
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("m") }.count == PrometheusRegistry.metricLimit)
        #expect(!text.contains("late_"))
        #expect(samples("kasia_metrics_refused_total") == ["kasia_metrics_refused_total 7"])
    }

    @Test("an instrument whose kind cannot serve its metric is counted, not shown, and traps nothing")
    func kindConflict() {
        Timer(label: "x", factory: registry).recordSeconds(1)
        Counter(label: "x", factory: registry).increment()
        Counter(label: "y", factory: registry).increment(by: 3)
        Timer(label: "y", factory: registry).recordSeconds(1)
        #expect(samples("x").last == "x_count 1")
        #expect(samples("y") == ["y 3"])
        #expect(samples("kasia_metrics_refused_total") == ["kasia_metrics_refused_total 2"])
    }

    @Test("a metric of the catalogue has the catalogue's kind, whatever made its instruments")
    func catalogueDecides() {
        let registry = PrometheusRegistry()
        Counter(label: "kasia_gaps", factory: registry).increment(by: 2)
        Gauge(label: "kasia_blocks_total", factory: registry).record(5)
        Gauge(label: "kasia_reorganization_depth", factory: registry).record(4)
        let text = registry.renderPrometheus()
        #expect(text.contains("# TYPE kasia_gaps gauge\nkasia_gaps 2\n"))
        #expect(text.contains("# TYPE kasia_blocks_total counter\nkasia_blocks_total 5\n"))
        #expect(text.contains("kasia_reorganization_depth_count 1\n"))
    }

    @Test("a destroyed instrument disappears, starts anew when made again, and an older twin does not take it along")
    func destroying() {
        let first = Counter(label: "c", dimensions: [("a", "1")], factory: registry)
        first.increment(by: 5)
        first.destroy()
        #expect(!registry.renderPrometheus().contains("c{"))
        #expect(!registry.renderPrometheus().contains("# TYPE c "))
        let second = Counter(label: "c", dimensions: [("a", "1")], factory: registry)
        second.increment()
        first.destroy()
        #expect(samples("c") == [#"c{a="1"} 1"#])
    }

    @Test("every kind of instrument can be destroyed")
    func destroyingAll() {
        FloatingPointCounter(label: "f", factory: registry).destroy()
        Gauge(label: "g", factory: registry).destroy()
        Meter(label: "m", factory: registry).destroy()
        Recorder(label: "r", factory: registry).destroy()
        Timer(label: "t", factory: registry).destroy()
        #expect(registry.renderPrometheus().split(separator: "\n").filter { $0.hasPrefix("# TYPE") }.count == 1)
    }

    @Test("a counter of the catalogue without labels stays at 0 when it is destroyed and never was used")
    func catalogueCounterStays() {
        let registry = PrometheusRegistry()
        Counter(label: "kasia_blocks_total", factory: registry).destroy()
        #expect(samples("kasia_blocks_total", of: registry) == ["kasia_blocks_total 0"])
    }

    @Test("concurrent updates and scrapes lose nothing", .timeLimit(.minutes(5)))
    func concurrency() async {
        let tasks = 8
        let rounds = 5_000
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask { [registry] in
                    let own = Counter(label: "own_total", dimensions: [("task", "\(task)")], factory: registry)
                    for round in 0..<rounds {
                        Counter(label: "all_total", factory: registry).increment()
                        FloatingPointCounter(label: "half_total", factory: registry).increment(by: 0.5)
                        Recorder(label: "sizes", factory: registry).record(1)
                        own.increment()
                        if round % 1_000 == 0 { _ = registry.renderPrometheus() }
                    }
                }
            }
        }
        #expect(samples("all_total") == ["all_total \(tasks * rounds)"])
        #expect(samples("half_total") == ["half_total \(tasks * rounds / 2)"])
        #expect(samples("sizes").last == "sizes_count \(tasks * rounds)")
        #expect(samples("own_total").count == tasks)
    }
}
