import type { SupplierRoute } from '../platform/http/route.ts';
import { type Slots, createSlots } from '../platform/slots.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { type Refused, refuse } from '../vocabulary/refusals.ts';

/**
 * What adds to an account locks its row. One request works, one waits in the database to be the next; more of them would hold connections that
 * the requests of others need.
 */
const LIMITS = { atOnce: 2, heldMs: 20_000, waitMs: 5_000 };
const RETRY_SECONDS = 5;

/** Slots among the requests that add something to one account; all such routes share one. */
export function createAccountSlots(): Slots {
  return createSlots(LIMITS);
}

/** The same route, whose requests for one account wait for each other before they take a connection. */
export function serializedByAccount(route: SupplierRoute, slots: Slots): SupplierRoute {
  const { within } = route;
  const serialized =
    (handle: SupplierRoute['handle']): SupplierRoute['handle'] =>
    async (request) => {
      const account = accountNamedIn(request.body);
      if (account === undefined) return handle(request);
      const key = JSON.stringify([request.caller.organisation, account.importSupplier, account.externalAccountNumber]);
      const release = await slots.take(key, request.hungUp());
      if (release === undefined) return tooMany();
      try {
        return await handle(request);
      } finally {
        release();
      }
    };
  return {
    ...route,
    handle: serialized(route.handle),
    ...(within && { within: (database, onceCommitted) => serialized(within(database, onceCommitted)) }),
  };
}

function tooMany(): Refused {
  return refuse('service_unavailable', {
    retryAfterSeconds: RETRY_SECONDS,
    detail:
      'Too many requests of yours for this account are under way, so this one was not begun; send the same request again after the time in Retry-After, few at a time, or with more in each.',
  });
}

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
