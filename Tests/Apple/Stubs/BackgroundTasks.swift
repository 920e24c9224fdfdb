// What is used of BackgroundTasks; signatures from developer.apple.com/documentation/backgroundtasks.
public import Foundation

open class BGTaskRequest: NSObject {
  open var earliestBeginDate: Date?
}

@available(macOS, unavailable)
open class BGAppRefreshTaskRequest: BGTaskRequest {
  public init(identifier: String) {}
}

@available(macOS, unavailable)
open class BGTaskScheduler: NSObject, @unchecked Sendable {
  open class var shared: BGTaskScheduler { fatalError() }
  open func submit(_ taskRequest: BGTaskRequest) throws {}
}
