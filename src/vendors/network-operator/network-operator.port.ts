import type { SendSlot } from '../../platform/vendor-http/vendor-agent.ts';
import { VendorRejected, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';

/** What an operator says of a supply point, under our names. No address and no person: nothing here is personal data. */
export type SupplyPointFacts = Readonly<Record<string, string | number>>;

/** How a point is asked for. */
interface LookupOptions {
  /** The customer has authorised the question; false unless given. Only Enedis SGE takes it in the call. */
  customerAuthorisation?: boolean;
  signal?: AbortSignal;
  /** Holds every request for the point to the operator's speed, one that is sent again included. */
  slot?: SendSlot;
}

/** A network operator, independent of the protocol. */
export interface NetworkOperator {
  /** Kept with the facts: where they come from. */
  readonly source: 'enedis-sge' | 'enedis-data-connect' | 'grdf-adict';
  /**
   * Asks for one supply point.
   * @throws VendorRejected with a code (`EPRM...`, `EPCE...`), SupplyPointError, VendorUnavailable, VendorBusy, VendorMisconfigured, NotSent
   */
  lookup(identifier: string, options?: LookupOptions): Promise<SupplyPointFacts>;
  close(): Promise<void>;
}

/** The operator answers, and fails on this one identifier: a try of it is used up. */
export class SupplyPointError extends VendorUnavailable {
  override name = 'SupplyPointError';
  /** What the identifier ends with when it fails like this again and again: the sign may also mean that it is wrong. */
  readonly reasonInTheEnd: string | undefined;

  constructor(message: string, reasonInTheEnd?: string) {
    super(message);
    this.reasonInTheEnd = reasonInTheEnd;
  }
}

/** The point is not known to the operator, or is one of another network. */
export const UNKNOWN_POINT = { enedis: 'EPRM000', grdf: 'EPCE000' } as const;

/** Codes of the operators are short; other values are not stored. */
const OPERATOR_CODE = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * A refusal for good under the operator's own code, as suppliers know them: `EPRM-SGT4G3`, `EPCE-1000008`.
 * @param prefix EPRM for electricity, EPCE for gas
 */
export function rejectedWith(vendor: string, prefix: 'EPRM' | 'EPCE', code: string): VendorRejected {
  const plain = OPERATOR_CODE.test(code) ? code : 'UNKNOWN-CODE';
  return new VendorRejected(`${vendor} refuses the supply point (${plain}).`, `${prefix}-${plain}`);
}

/** Facts that the operator sent. Long strings and strings with control characters are dropped. */
export function factsOf(values: Record<string, unknown>): SupplyPointFacts {
  const facts: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number' && Number.isFinite(value)) facts[name] = value;
    else if (
      typeof value === 'string' &&
      value !== '' &&
      value.length <= 128 &&
      value.isWellFormed() &&
      !/\p{Cc}/u.test(value)
    ) {
      facts[name] = value;
    }
  }
  return facts;
}
