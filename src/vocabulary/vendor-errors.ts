/**
 * What an outside party's port throws. The kind decides how the caller continues; the message is for operators and
 * holds nothing that the party or a client sent.
 */
export class VendorError extends Error {
  override name = 'VendorError';
}

/** The party is unreachable or has failed; the same call succeeds later. */
export class VendorUnavailable extends VendorError {
  override name = 'VendorUnavailable';
  /** False when the party was not asked at all: it failed too often lately, or too much is under way to it. */
  readonly wasAsked: boolean;

  constructor(message: string, { wasAsked = true }: { wasAsked?: boolean } = {}) {
    super(message);
    this.wasAsked = wasAsked;
  }
}

/** The party rejects permanently; `reason` is one of our codes or of the party's published list. Never retried unchanged. */
export class VendorRejected extends VendorError {
  override name = 'VendorRejected';
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** The party asks us to slow down. */
export class VendorBusy extends VendorError {
  override name = 'VendorBusy';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The party refuses us: credentials, address or rights are wrong on our side. An alarm; waits like an unavailable party. */
export class VendorMisconfigured extends VendorError {
  override name = 'VendorMisconfigured';
}
