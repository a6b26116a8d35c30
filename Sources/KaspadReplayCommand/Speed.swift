import ArgumentParser
import KaspadReplay

/// How fast to play, as it is written on the command line: `2.5` times real time, or `max`.
struct Speed: ExpressibleByArgument {
    let pace: ReplayPace

    init?(argument: String) {
        if argument == "max" {
            pace = .asFastAsPossible
        } else {
            guard let factor = Double(argument), factor.isFinite, factor >= 0.001, factor <= 1_000_000 else {
                return nil
            }
            pace = .realTime(factor: factor)
        }
    }

    var defaultValueDescription: String {
        switch pace {
        case .realTime(let factor): "\(factor)"
        case .asFastAsPossible, .stepped: "max"
        }
    }

    static let real = Speed(pace: .realTime(factor: 1))

    private init(pace: ReplayPace) {
        self.pace = pace
    }
}
