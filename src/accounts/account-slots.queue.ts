import type { SupplierRoute } from '../platform/http/route.ts';
import { type Slots, createSlots } from '../platform/slots.ts';
import { membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { type Refused, refuse } from '../vocabulary/refusals.ts';

/** Requests that add to an account lock its row. One works and one waits in the database; more would hold connections that other requests need. */
const LIMITS = { atOnce: 2, heldMs: 20_000, waitMs: 5_000 };
const RETRY_SECONDS = 5;

/** Creates the slots of requests that add to one account. All such routes share them. */
export function createAccountSlots(): Slots {
  return createSlots(LIMITS);
}

/** Wraps a route so that requests for one account wait for each other before they acquire a connection. */
export function serializedByAccount(route: SupplierRoute, slots: Slots): SupplierRoute {
  const { within } = route;
  const serialized =
    (handle: SupplierRoute['handle']): SupplierRoute['handle'] =>
    async (request) => {
      const account = accountNamedIn(request.body);
      if (account === undefined) return handle(request);
      const key = JSON.stringify([request.caller.organisation, account.importSupplier, account.externalAccountNumber]);
      const release = await slots.acquire(key, request.hungUp());
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
      'Too many of your requests for this account are in progress, so this one was not started. Send the same request again after the time in Retry-After, and send fewer requests concurrently, or larger ones.',
  });
}

/** Longer strings and strings with U+0000 are not account numbers. */
const IS_NUMBER = /^[^\0]{1,255}$/;

/** Returns the account that a request body refers to, before validation; undefined if it refers to none. */
export function accountNamedIn(body: unknown): { importSupplier: string; externalAccountNumber: string } | undefined {
  const members = membersIn(body);
  const importSupplier = textOf(members['import_supplier'] ?? members['import_supplier_code']).trim();
  const externalAccountNumber = textOf(members['external_account_number']).trim();
  return IS_NUMBER.test(importSupplier) && IS_NUMBER.test(externalAccountNumber)
    ? { importSupplier, externalAccountNumber }
    : undefined;
}
