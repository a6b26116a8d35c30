import Foundation

/// An event of the stream of the service's status.
public enum ServiceStatusEvent: Hashable, Sendable {
    /// The last hour: the first event.
    case history(StatusHistory)
    /// How the service is, each second, without its history.
    case status(ServiceStatus)
    /// What to add to the history, each ten seconds.
    case sample(StatusSample)

    /// Reads a block of the stream; nil for comments and events of other names.
    init?(_ block: StreamBlock) throws(IndexerError) {
        guard case .event(let event) = block else { return nil }
        switch event.name {
        case "history": self = .history(try event.value())
        case "status": self = .status(try event.value())
        case "sample": self = .sample(try event.value())
        default: return nil
        }
    }
}

extension ServerSentEvent {
    /// The data as a value.
    func value<Value: Decodable>(as type: Value.Type = Value.self) throws(IndexerError) -> Value {
        let data = Data((data ?? "").utf8)
        guard data.isShallowJSON, let value = try? JSONDecoder().decode(Value.self, from: data) else {
            throw IndexerError(.unexpectedAnswer, message: "The stream has an event that cannot be read.")
        }
        return value
    }
}
