/**
 * Errors that the port of an outside party throws. The class decides how the caller continues. The message is for operators and
 * contains nothing that the party or a client sent.
 */
export class VendorError extends Error {
  override name = 'VendorError';
}

/** The party is unreachable or has failed. A retry can succeed. */
export class VendorUnavailable extends VendorError {
  override name = 'VendorUnavailable';
  /** False if the party was not called: its circuit breaker is open, or too many calls to it are in progress. */
  readonly wasCalled: boolean;

  constructor(message: string, { wasCalled = true }: { wasCalled?: boolean } = {}) {
    super(message);
    this.wasCalled = wasCalled;
  }
}

/** A permanent rejection by the party. `reason` is one of our codes or of the party's published codes. Never retried unchanged. */
export class VendorRejected extends VendorError {
  override name = 'VendorRejected';
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** The party rate limits us. */
export class VendorBusy extends VendorError {
  override name = 'VendorBusy';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The party rejects our credentials, address or rights. Operators are alerted; retried like an unavailable party. */
export class VendorMisconfigured extends VendorError {
  override name = 'VendorMisconfigured';
}
