import Clocks
public import Store

extension DeviceRegistry {
    /// What the device was told after `seq` within the last seven days, in order, at most `limit`.
    ///
    /// Nil when the token is not registered: its numbering, and its log, went with the registration.
    public func missed(token: [UInt8], after seq: UInt64, limit: Int) throws(StoreError) -> DeliveryLogPage? {
        let time = clock.now()
        return try store.deliveryLog(
            of: DeviceID(token: token), after: seq, queuedSince: time - min(time, StoreLimits.logAge), limit: limit)
    }
}
