import { timingSafeEqual } from 'node:crypto';

/** Name of the hidden field of every form. */
export const FORM_TOKEN = 'form_token';

/** What the head of a request says about the page that sent it. */
export interface Sender {
  origin: string;
  fetchSite: string;
  host: string;
}

/**
 * Tells whether a form was sent by a page of ours.
 * @param ownOrigin the address of the site as browsers know it; undefined where it is that of the header Host
 */
export function isFromOurPage({ origin, fetchSite, host }: Sender, ownOrigin: string | undefined): boolean {
  if (fetchSite !== '' && fetchSite !== 'same-origin') return false;
  return ownOrigin === undefined ? URL.parse(origin)?.host === host : origin === ownOrigin;
}

/** Tells whether the token in a form is that of the session, in a time that says nothing about it. */
export function isFormToken(sent: string | null, secret: Buffer): boolean {
  const bytes = Buffer.from(sent ?? '', 'base64url');
  return bytes.length === secret.length && timingSafeEqual(bytes, secret);
}

/** A path of ours that a page may be left for after signing in; the first page for all else. */
export function pathWithin(wanted: string | null): string {
  const at = wanted?.startsWith('/') ? URL.parse(wanted, 'http://site.invalid') : null;
  // What `/.//elsewhere.example` comes to begins with two slashes, which lead to another host.
  return at?.host === 'site.invalid' && !at.pathname.startsWith('//') ? `${at.pathname}${at.search}` : '/';
}
