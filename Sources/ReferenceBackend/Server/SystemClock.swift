import LedgerModel
import LedgerPlatform

/// The system's clock, to the millisecond.
@Sendable func systemNow() -> Timestamp {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Timestamp(
    millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
}
