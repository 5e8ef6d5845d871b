import { membersIn, textOf } from '../vocabulary/loose-payload.ts';

/** Longer texts, and those that no column holds, are no numbers. */
const IS_NUMBER = /^[^\0]{1,255}$/;

/**
 * The account that the body of a request names, before anything of it was checked.
 * @returns undefined if it names none
 */
export function accountNamedIn(body: unknown): { importSupplier: string; externalAccountNumber: string } | undefined {
  const members = membersIn(body);
  const importSupplier = textOf(members['import_supplier'] ?? members['import_supplier_code']).trim();
  const externalAccountNumber = textOf(members['external_account_number']).trim();
  return IS_NUMBER.test(importSupplier) && IS_NUMBER.test(externalAccountNumber)
    ? { importSupplier, externalAccountNumber }
    : undefined;
}
