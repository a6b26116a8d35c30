import SampleOperations
import Store
import Testing

@testable import Push

@Suite("InFlightDevices", .timeLimit(.minutes(10)))
struct InFlightDevicesTests {
    private let device = DeviceID(token: Samples.token(1))

    @Test("A device is begun once at a time")
    func beginsOnce() {
        let devices = InFlightDevices()
        #expect(devices.begin(device))
        #expect(!devices.begin(device))
        #expect(devices.begin(DeviceID(token: Samples.token(2))))
        #expect(devices.count == 2)
        devices.end(device)
        #expect(devices.begin(device))
        devices.end(device)
        devices.end(device)
        #expect(devices.count == 1)
    }

    @Test("Who waits for an idle device does not wait")
    func idle() async {
        await InFlightDevices().waitUntilIdle(device)
    }

    @Test("All who wait go on when the notification is answered, and not before")
    func waits() async {
        let devices = InFlightDevices()
        let gone = Tally()
        _ = devices.begin(device)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { [device] in
                    await devices.waitUntilIdle(device)
                    gone.add()
                }
            }
            for _ in 0..<200 { await Task.yield() }
            #expect(gone.count == 0)
            devices.end(device)
        }
        #expect(gone.count == 20)
    }

    @Test("Many tasks begin and end one device: never two at once, and every waiter returns")
    func races() async {
        let devices = InFlightDevices()
        let inside = Tally()
        let begun = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [device] in
                    for _ in 0..<500 {
                        if devices.begin(device) {
                            let count = inside.add()
                            #expect(count == 1)
                            await Task.yield()
                            inside.add(-1)
                            begun.add()
                            devices.end(device)
                        } else {
                            await devices.waitUntilIdle(device)
                        }
                    }
                }
            }
        }
        #expect(begun.count > 0)
        #expect(devices.count == 0)
    }

    @Test("Whoever waits until a time stops then, and sooner when the device is idle")
    func until() async {
        let devices = InFlightDevices()
        let device = DeviceID(token: [1])
        await devices.waitUntilIdle(device, until: .now + .seconds(3_600))
        #expect(devices.begin(device))
        for wait in [Duration.zero, .milliseconds(1), .seconds(-1)] {
            await devices.waitUntilIdle(device, until: .now + wait)
        }
        #expect(devices.count == 1)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { await devices.waitUntilIdle(device, until: .now + .seconds(3_600)) }
            }
            await Task.yield()
            devices.end(device)
        }
        #expect(devices.count == 0)
    }
}
