import { MalformedAnswer } from '../../platform/vendor-http/vendor-http.ts';
import { ownMember, type Table } from '../../foundation/table.ts';
import { VendorRejected } from '../../vocabulary/vendor-errors.ts';
import type { InstructionState } from './payment-vendor.port.ts';

/** The meaning of each published status of a vendor. An unlisted status counts as not usable. */
export type StatusTable = Table<'usable' | 'not-yet' | 'refused'>;

/** Checks a status. @throws VendorRejected */
export function classifyStatus(vendor: string, table: StatusTable, status: string): InstructionState {
  // An unpublished status is not passed on.
  const state = table.get(status);
  if (state === 'usable') return { kind: 'usable' };
  if (state === 'not-yet') return { kind: 'not-yet', status };
  throw rejection(vendor, state === undefined ? 'unknown_status' : status);
}

/** A final rejection with one of our reasons. */
export function rejection(vendor: string, reason: string): VendorRejected {
  return new VendorRejected(`${vendor} cannot use the instruction (${reason}).`, reason);
}

/** The object at a path of a response; errors do not quote it. @throws MalformedAnswer */
export function objectIn(value: unknown, ...path: string[]): Record<string, unknown> {
  const found = at(value, path);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new MalformedAnswer(`no object at ${path.join('.') || 'its top'}`);
  }
  return found as Record<string, unknown>;
}

/** The string at a path of a response. @throws MalformedAnswer */
export function textIn(value: unknown, ...path: string[]): string {
  const found = at(value, path);
  if (typeof found !== 'string' || found === '') throw new MalformedAnswer(`no text at ${path.join('.')}`);
  return found;
}

/** The list of objects at a path of a response. @throws MalformedAnswer */
export function objectsIn(value: unknown, ...path: string[]): Record<string, unknown>[] {
  const found = at(value, path);
  if (!Array.isArray(found)) throw new MalformedAnswer(`no list at ${path.join('.')}`);
  return found.map((item) => objectIn(item));
}

/** The value at a path of a response, or undefined. */
export function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? ownMember(inner, name) : undefined),
    value,
  );
}

/** Encodes a reference as one path segment. @throws VendorRejected for a reference that cannot be one */
export function pathPart(vendor: string, reference: string): string {
  if (/^\.+$/.test(reference)) throw rejection(vendor, 'not_found');
  return encodeURIComponent(reference);
}
