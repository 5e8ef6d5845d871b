/** A fault of a request, with its place. */
export interface Violation {
  attr: string;
  code: string;
  detail: string;
}

/** The service cannot be reached now. Sending the request again may help. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

/** The address or the network is set up wrongly, so that retrying does not help. */
export class AddressError extends Error {
  override name = 'AddressError';
}

/** The service issued no token for the API key or the refresh token. */
export class TokenRefusedError extends Error {
  override name = 'TokenRefusedError';
}

/** The service rejected a request. `code` is stable and explained by the page `doc_url`; the message is for people. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly status: number;
  readonly code: string | undefined;
  /** All faults of an invalid request. */
  readonly errors: readonly Violation[];
  /** Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the same request is sent again. */
  readonly retryAfter: number | undefined;
  /** The whole body of the response. */
  readonly body: unknown;

  constructor(status: number, body: unknown, retryAfter: number | undefined) {
    const { detail, code, errors, request_id: requestId } = (body ?? {}) as Record<string, unknown>;
    super(typeof detail === 'string' ? detail : `The service answered with status ${status}.`);
    this.status = status;
    this.code = typeof code === 'string' ? code : undefined;
    this.errors = Array.isArray(errors) ? (errors as Violation[]) : [];
    this.requestId = typeof requestId === 'string' ? requestId : undefined;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}
