import { violation, type Violation } from '../vocabulary/violations.ts';

/** What is wrong with the address of an endpoint. @param allowsPlain takes plain HTTP too */
export function findUrlViolations(url: string, allowsPlain: boolean): Violation[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !(parsed.protocol === 'https:' || (allowsPlain && parsed.protocol === 'http:'))) {
    return [violation('invalid', ['url'], 'A whole address that begins with https:// is expected.')];
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') {
    return [violation('invalid', ['url'], 'The address may hold no user, no password and no part behind #.')];
  }
  return [];
}
