import type { SendSlot } from '../../platform/vendor-http/vendor-agent.ts';
import { VendorRejected, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';

/** Facts of a network operator about a supply point, under our names. They contain no address and no person, so they are not personal data. */
export type SupplyPointFacts = Readonly<Record<string, string | number>>;

/** Options of a lookup. */
interface LookupOptions {
  /** Whether the customer has authorised the lookup; false by default. Only Enedis SGE accepts it in the request. */
  customerAuthorisation?: boolean;
  signal?: AbortSignal;
  /** Limits all requests for the point, including retries, to the operator's speed. */
  slot?: SendSlot;
}

/** A network operator, independent of the protocol. */
export interface NetworkOperator {
  /** Stored with the facts as their source. */
  readonly source: 'enedis-sge' | 'enedis-data-connect' | 'grdf-adict';
  /**
   * Looks up one supply point.
   * @throws VendorRejected with a code (`EPRM...`, `EPCE...`), SupplyPointError, VendorUnavailable, VendorBusy, VendorMisconfigured,
   * NotSent
   */
  lookup(identifier: string, options?: LookupOptions): Promise<SupplyPointFacts>;
  close(): Promise<void>;
}

/** The operator responds, but fails for this identifier. Counts as one of its tries. */
export class SupplyPointError extends VendorUnavailable {
  override name = 'SupplyPointError';
  /** The errored reason if this failure repeats: it may also mean that the identifier is wrong. */
  readonly reasonInTheEnd: string | undefined;

  constructor(message: string, reasonInTheEnd?: string) {
    super(message);
    this.reasonInTheEnd = reasonInTheEnd;
  }
}

/** Codes of a point that the operator does not know, or that belongs to another network. */
export const UNKNOWN_POINT = { enedis: 'EPRM000', grdf: 'EPCE000' } as const;

/** Codes of the operators are short; other values are not stored. */
const OPERATOR_CODE = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * A permanent rejection with the operator's own code, as suppliers know it: `EPRM-SGT4G3`, `EPCE-1000008`.
 * @param prefix EPRM for electricity, EPCE for gas
 */
export function rejectedWith(vendor: string, prefix: 'EPRM' | 'EPCE', code: string): VendorRejected {
  const plain = OPERATOR_CODE.test(code) ? code : 'UNKNOWN-CODE';
  return new VendorRejected(`${vendor} refuses the supply point (${plain}).`, `${prefix}-${plain}`);
}

/** Selects the valid facts of a response. Drops long strings and strings with control characters. */
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
