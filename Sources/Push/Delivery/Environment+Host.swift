import APNs
import Store

extension DeviceRecord.Environment {
    init(_ host: APNsHost) {
        switch host {
        case .development: self = .development
        case .production: self = .production
        }
    }

    var host: APNsHost {
        switch self {
        case .development: .development
        case .production: .production
        }
    }
}

extension DeviceRecord.KnownEnvironment? {
    /// Where a notification goes first, nil for the operator's own host, and whether the other may be tried after it.
    ///
    /// An app that says where its token is good is believed: a refusal there is one.
    var route: (host: APNsHost?, mayTryOther: Bool) {
        map { ($0.environment.host, !$0.isSaid) } ?? (nil, true)
    }
}
