// What only an app that rings has.
#if os(iOS)
import CallKit
import Foundation
import KasiaPushCore
import PushKit

final class CallDelegate: NSObject, PKPushRegistryDelegate {
    let provider: CXProvider
    let read: ([AnyHashable: Any]) -> ComposedCall?
    let tokenArrived: (PushToken?) -> Void

    init(
        provider: CXProvider, read: @escaping ([AnyHashable: Any]) -> ComposedCall?,
        tokenArrived: @escaping (PushToken?) -> Void
    ) {
        (self.provider, self.read, self.tokenArrived) = (provider, read, tokenArrived)
    }

    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        tokenArrived(try? .apns(credentials.token))
    }

    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let call = read(payload.dictionaryPayload)
        let id = call.flatMap { UUID(uuidString: $0.callID) } ?? UUID()
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: call?.address ?? "")
        update.localizedCallerName = call?.name
        update.hasVideo = call?.isVideo ?? false
        provider.reportNewIncomingCall(with: id, update: update) { _ in completion() }
        if call == nil || call?.refusal != nil { provider.reportCall(with: id, endedAt: nil, reason: .unanswered) }
    }
}
#endif
