import { randomBytes, timingSafeEqual } from 'node:crypto';
import { parisInstant } from '../../platform/clock.ts';

/** Name of the hidden field of every form. */
export const FORM_TOKEN = 'form_token';

/** What the headers of a request say about the page that sent it. */
export interface Sender {
  origin: string;
  fetchSite: string;
  host: string;
}

/**
 * Whether a form was sent by a page of this site.
 * @param ownOrigin the public address of the site; undefined if it is in the Host header
 */
export function isFromThisSite({ origin, fetchSite, host }: Sender, ownOrigin: string | undefined): boolean {
  if (fetchSite !== '' && fetchSite !== 'same-origin') return false;
  // Chromium may omit Origin in a script's request to its own site. No page can set Sec-Fetch-Site.
  if (origin === '') return fetchSite === 'same-origin';
  return ownOrigin === undefined ? URL.parse(origin)?.host === host : origin === ownOrigin;
}

/**
 * Writes the secret of a session for a form, under a random mask. With an equal token in every response, the size of compressed responses
 * would reveal it (BREACH).
 */
export function maskedToken(secret: Buffer): string {
  const mask = randomBytes(secret.length);
  return Buffer.concat([mask, masked(secret, mask)]).toString('base64url');
}

/** Compares the token of a form with the secret of the session in constant time. */
export function isFormToken(sent: string | null, secret: Buffer): boolean {
  const bytes = Buffer.from(sent ?? '', 'base64url');
  if (bytes.length !== 2 * secret.length) return false;
  return timingSafeEqual(masked(bytes.subarray(secret.length), bytes), secret);
}

const masked = (bytes: Buffer, mask: Buffer) => bytes.map((byte, index) => byte ^ mask[index]!);

/** The path of this site to open after sign-in; the first page for any other address. */
export function pathWithin(wanted: string | null): string {
  const at = wanted?.startsWith('/') ? URL.parse(wanted, 'http://site.invalid') : null;
  // `/.//elsewhere.example` resolves to a path with two slashes, which leads to another host.
  return at?.host === 'site.invalid' && !at.pathname.startsWith('//') ? `${at.pathname}${at.search}` : '/';
}

/** The fields of a form as the body of a call of the operator API, trimmed, without empty ones and the form token. */
export function fieldsIn(form: URLSearchParams): Record<string, string> {
  const fields = [...form].map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(fields.filter(([name, value]) => name !== FORM_TOKEN && value !== ''));
}

/** A time in France that a browser sent without its zone, as an instant. Other texts stay, so that validation rejects them. */
export function localTimeIn(text: string): string {
  const local = text.slice(0, 16);
  return Number.isNaN(Date.parse(`${local}Z`)) ? text : parisInstant(local).toISOString();
}

/** The form of a request as a call of the operator API. */
export function orderOf<Request extends { form: URLSearchParams }>(request: Request) {
  return { ...request, body: fieldsIn(request.form) };
}
