import { isAllowedHost } from './address.rules.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';

/** Violations of the address of an endpoint. @param allowsPrivate accepts plain HTTP and private addresses too */
export function findUrlViolations(url: string, allowsPrivate: boolean): Violation[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !(parsed.protocol === 'https:' || (allowsPrivate && parsed.protocol === 'http:'))) {
    return [violation('invalid', ['url'], 'A whole address that begins with https:// is expected.')];
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') {
    return [violation('invalid', ['url'], 'The address may hold no user, no password and no part behind #.')];
  }
  if (!isAllowedHost(url, allowsPrivate)) {
    return [violation('invalid', ['url'], 'Events are not delivered to this address, which is not public.')];
  }
  return [];
}
