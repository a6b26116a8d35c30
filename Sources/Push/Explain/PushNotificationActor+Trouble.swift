import Clocks

extension PushNotificationActor {
    /// That sending is paused, why, and when Apple is asked again, or what else holds deliveries up; nil while all is well.
    public var sendingTrouble: String? {
        if let pause = gate.sentence(now: clock.now()) { return "Sending is paused: \(pause)." }
        return trouble.map { "The store holds deliveries up: \($0)." }
    }
}
