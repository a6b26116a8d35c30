import Clocks

extension Dispatcher {
    /// That sending is paused, why, and when Apple is asked again, or what else holds deliveries up; nil while all is well.
    public var sendingTrouble: String? {
        if let sentence = pause.sentence(now: clock.now()) { return "Sending is paused: \(sentence)." }
        return trouble.map { "The store holds deliveries up: \($0)." }
    }
}
