import { accountKeySchema, type AccountKey } from '../../accounts/account-key.schema.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import type { Person } from './erase-person.store.ts';

/** A person as an address or a form names them. */
export interface SentPerson {
  import_supplier: string | undefined;
  external_account_number: string | undefined;
  /** Place among the customers of the account, as a text; null for all of them. */
  customer: string | null;
}

/** Largest position of a customer that a request can name. */
export const CUSTOMER_MAX = 999_999;

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

/** Reads a person. @returns a refusal of a place that is none, or of a number that no account can have */
export function personIn({ customer, ...sent }: SentPerson): Person | Refused {
  if (customer !== null && !/^\d{1,6}$/.test(customer)) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['customer'], `Send the position of a customer, from 0 to ${CUSTOMER_MAX}.`)],
    });
  }
  const key = checkKey(sent);
  if (isRefused(key)) return unknownPerson();
  return {
    importSupplier: key.import_supplier,
    externalAccountNumber: key.external_account_number,
    customer: customer === null ? null : Number(customer),
  };
}

/** There is nobody under this number. */
export function unknownPerson(): Refused {
  return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
}
