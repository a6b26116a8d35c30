/// Timing.
enum Measure {
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Takes turns between a measurement and its yardstick, so that what disturbs the machine disturbs both; the first
    /// turn warms up and is not counted.
    static func inTurns(
        _ repetitions: Int, _ ours: () throws -> Double, _ yardstick: () throws -> Double
    ) rethrows -> (ours: Samples, yardstick: Samples) {
        var result = (ours: Samples(), yardstick: Samples())
        for repetition in 0...repetitions {
            let (first, second) = (try ours(), try yardstick())
            guard repetition > 0 else { continue }
            result.ours.add(first)
            result.yardstick.add(second)
        }
        return result
    }

    /// The same of measurements that wait.
    static func inTurns(
        _ repetitions: Int, _ ours: () async throws -> Double, _ yardstick: () async throws -> Double
    ) async rethrows -> (ours: Samples, yardstick: Samples) {
        var result = (ours: Samples(), yardstick: Samples())
        for repetition in 0...repetitions {
            let (first, second) = (try await ours(), try await yardstick())
            guard repetition > 0 else { continue }
            result.ours.add(first)
            result.yardstick.add(second)
        }
        return result
    }
}
