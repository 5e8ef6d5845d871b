/** Raised when Temporal has not been reached yet: nothing was started. */
export class TemporalUnavailable extends Error {
  override name = 'TemporalUnavailable';
}
