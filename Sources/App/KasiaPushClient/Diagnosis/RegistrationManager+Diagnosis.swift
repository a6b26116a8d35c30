import KasiaPushCore

extension RegistrationManager {
    /// Finds out why no pushes come; it asks the service up to three times and changes nothing.
    ///
    /// - Parameters:
    ///   - permission: What the system says about notifications.
    ///   - lastPush: When the last push came, milliseconds since 1970; nil if none has.
    ///   - gaps: What the app has received; nil leaves the gap unknown.
    ///   - isSigned: Whether the wallet signs the questions; then the service tells more, and the device may ask the user
    ///     to unlock the key.
    /// - Returns: What was found.
    public func diagnose(
        permission: NotificationPermission, lastPush: Int64?, gaps: GapTracker? = nil, isSigned: Bool = false
    ) async -> Diagnosis {
        let readiness = await readiness()
        let device = wantedRegistration
        var status: Result<RegistrationStatus, IndexerError>?
        var missing: UInt64?
        if let device, case .success = readiness {
            status = await answer(device, isSigned: isSigned)
            missing = await self.missing(device, gaps, isSigned: isSigned)
        }
        return Diagnosis(
            DiagnosisFacts(
                now: environment.now(), permission: permission, lastPush: lastPush, progress: progress, wanted: device,
                readiness: readiness, status: status, missing: missing))
    }

    private func readiness() async -> Result<Readiness, IndexerError> {
        do throws(IndexerError) {
            return .success(try await calls.ready())
        } catch {
            return .failure(error)
        }
    }

    private func answer(
        _ device: DeviceRegistration, isSigned: Bool
    ) async -> Result<RegistrationStatus, IndexerError>? {
        do {
            return .success(try await status(of: device, isSigned: isSigned))
        } catch {
            return (error as? IndexerError).map { .failure($0) }
        }
    }

    private func missing(_ device: DeviceRegistration, _ gaps: GapTracker?, isSigned: Bool) async -> UInt64? {
        guard let last = await gaps?.last,
            let page = try? await missed(of: device, after: last, isSigned: isSigned)
        else { return nil }
        return page.latestSequence > last ? page.latestSequence - last : 0
    }
}
