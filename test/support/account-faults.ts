import { checkAccount } from '../../src/account-import/validate/account-payload.validation.ts';
import type { ClosedValueSets } from '../../src/suppliers/supplier-options.rules.ts';
import { businessAccount, domesticAccount } from './account-payload.ts';

/** Facts besides the payload that the validation needs. */
export const facts = { today: '2026-11-21', supplierCodes: new Set(['BOREAL']) };

/** `code attr` of every violation, in the order given. */
export function faultsOf(payload: unknown, closed?: ClosedValueSets): string[] {
  const { violations } = checkAccount(payload, { ...facts, closedValueSets: () => closed });
  return violations.map(({ code, attr }) => `${code} ${attr}`);
}

/** A domestic account with the value at a dotted path replaced, or removed if `value` is undefined. */
export function changed(base: 'domestic' | 'business', place: string, value: unknown): unknown {
  const payload = structuredClone(base === 'domestic' ? domesticAccount() : businessAccount()) as never;
  const segments = place.split('.');
  const last = segments.pop()!;
  const holder = segments.reduce<Record<string, unknown>>(
    (node, segment) => node[segment] as Record<string, unknown>,
    payload,
  );
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return payload;
}

/** Path of the first supply point. */
export const point = 'supply_addresses.0.supply_points.0';
/** Path of the terms of the first contract. */
export const term = 'account_contracts.0.versions.0.terms';
