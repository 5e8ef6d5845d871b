import type { Reply } from '../../platform/http/route.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import { count } from '../frame/cells.ts';
import { accepted } from '../frame/page.ts';

/** A number in the reply of the operator API. */
export function numberIn(reply: Reply | Refused, member: string): number {
  const value = (accepted(reply).body as Record<string, unknown>)[member];
  return typeof value === 'number' ? value : 0;
}

/** The number of identifiers in the reply of the operator API, in words. */
export function identifiersIn(reply: Reply | Refused, member: string): string {
  const number = numberIn(reply, member);
  return number === 1 ? '1 identifier' : `${count(number)} identifiers`;
}
