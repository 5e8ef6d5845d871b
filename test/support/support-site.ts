import { createAuditedApiKey } from '../../src/access/index.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { createLog, type Log } from '../../src/platform/log.ts';
import { startSupportSite } from '../../src/processes/start-support-site.ts';
import type { KeyScope } from '../../src/vocabulary/key-roles.ts';
import type { Service } from './harness.ts';
import { testSettings } from './test-settings.ts';

export interface Site {
  url: string;
  /** Issues a new key. */
  key(scope?: KeyScope, role?: 'operator' | 'supplier'): Promise<string>;
  /** Creates a client that keeps cookies, and does not follow redirects. */
  visitor(): Visitor;
  /** Creates a client that is signed in with a new key. */
  signedIn(scope?: KeyScope): Promise<Visitor>;
  stop(): Promise<void>;
}

export interface Visitor {
  cookie: string;
  get(path: string, headers?: Record<string, string>): Promise<SiteAnswer>;
  /** Submits a form with the token of the last page that had one. */
  post(path: string, fields: [string, string][], headers?: Record<string, string>): Promise<SiteAnswer>;
  signIn(key: string): Promise<SiteAnswer>;
}

interface SiteAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The address of the redirect. */
  location: string | null;
}

/** Starts the support site on the database and the Temporal namespace of a service. */
export async function startSite(
  service: Service,
  settings: Record<string, string> = {},
  log: Log = createLog({ level: 'silent', process: 'test' }),
): Promise<Site> {
  const ofSite = testSettings({
    SUPPORT_SITE_PORT: '0',
    SUPPORT_SITE_KEY_SIGN_IN: 'true',
    TEMPORAL_UI_URL: 'http://127.0.0.1:8233',
    API_URL: service.url,
    SHUTDOWN_DRAIN_MS: '0',
    TEMPORAL_NAMESPACE: service.settings.TEMPORAL_NAMESPACE,
    ...settings,
  });
  const site = await startSupportSite({
    settings: { ...ofSite, DATABASE_URL: service.settings.DATABASE_URL },
    gateway: service.gateway,
    log,
  });
  const key: Site['key'] = async (scope = 'all', role = 'operator') => {
    const rights = role === 'operator' ? { scope } : { import_suppliers: ['SUPPLIER_FR'] };
    const wanted = { organisation: `staff ${scope}`, name: 'Ada', role, ...rights };
    const made = await createAuditedApiKey(service, { keyName: 'test' }, wanted);
    if (isRefused(made)) throw new Error(JSON.stringify(made));
    return made.api_key;
  };
  const visitor = () => createVisitor(site.url);
  const signedIn = async (scope?: KeyScope) => {
    const newVisitor = visitor();
    await newVisitor.signIn(await key(scope));
    return newVisitor;
  };
  return { url: site.url, key, visitor, signedIn, stop: site.stop };
}

/** Applies a Set-Cookie header to the cookies of a browser; removes an expired cookie. */
function withCookie(cookies: string, line: string): string {
  const [set, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
  const others = cookies.split('; ').filter((one) => one !== '' && !one.startsWith(`${name}=`));
  return [...others, ...(value === '' ? [] : [set])].join('; ');
}

/** Creates a client that is not signed in. */
export function createVisitor(url: string): Visitor {
  let token = '';
  const visitor: Visitor = {
    cookie: '',
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, fields, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { origin: url, ...headers },
        body: new URLSearchParams([['form_token', token], ...fields]),
      }),
    signIn: (key) => visitor.post('/sign-in', [['key', key]]),
  };
  const request = async (
    path: string,
    init: RequestInit & { headers: Record<string, string> },
  ): Promise<SiteAnswer> => {
    const headers = { ...(visitor.cookie === '' ? {} : { cookie: visitor.cookie }), ...init.headers };
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) visitor.cookie = withCookie(visitor.cookie, line);
    const text = await response.text();
    token = /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? token;
    return { status: response.status, headers: response.headers, text, location: response.headers.get('location') };
  };
  return visitor;
}
