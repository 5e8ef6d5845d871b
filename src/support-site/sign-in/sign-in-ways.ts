import type { Context } from 'koa';
import {
  createTokenTries,
  findApiKeys,
  isTokenRefusal,
  type IdentifiedKey,
  type Person,
  type TokenRequest,
} from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { openIdConnect, type OpenIdConnect } from './open-id-connect.ts';
import { supplierCodes, type SupplierDirectory } from '../../suppliers/index.ts';
import { roleOfScope } from '../../vocabulary/key-roles.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';

/** A route outside of the pages, which need a session. */
export interface SignInRoute {
  method: 'GET' | 'POST';
  path: string;
  answer(ctx: Context): Promise<void>;
}

/** The available ways to sign in. */
export interface SignInWays {
  /** With the key of an operator or a supplier. */
  byKey: ((secret: string, from: { network: string; requestId: string }) => Promise<Person | Refused>) | undefined;
  /** With a provider of OpenID Connect. */
  provider: OpenIdConnect | undefined;
}

interface WaysDeps {
  settings: Settings;
  secrets: Secrets;
  database: Database;
  log: Log;
}

export function signInWays(deps: WaysDeps): SignInWays {
  const { settings, secrets } = deps;
  return {
    byKey: settings.SUPPORT_SITE_KEY_SIGN_IN ? signInByKey(deps) : undefined,
    provider: namesProvider(settings) ? openIdConnect(settings, secrets.of('OIDC_CLIENT_SECRET')) : undefined,
  };
}

/** Validation of the settings ensures that all of them are set. */
function namesProvider(settings: Settings): settings is Parameters<typeof openIdConnect>[0] {
  return settings.OIDC_ISSUER !== undefined;
}

function signInByKey({ database, log }: WaysDeps): NonNullable<SignInWays['byKey']> {
  // The same check and limit of failed attempts as for tokens.
  const tries = createTokenTries({ database, log, onIssued: () => {} });
  return async (secret, from) => {
    const request: TokenRequest = { ...from, hasTried: false };
    const holder = await tries.identify(secret, request);
    if (request.retryAfterSeconds !== undefined) {
      return refuse('throttled', {
        detail: 'Too many failed attempts with this key or from this address. Retry after a minute.',
        retryAfterSeconds: request.retryAfterSeconds,
      });
    }
    if (holder === 'service_unavailable') return refuse('service_unavailable', { retryAfterSeconds: 5 });
    return isTokenRefusal(holder) ? keyRefused() : personOf(holder, database);
  };
}

function keyRefused(): Refused {
  return refuse('permission_denied', { detail: 'This is not a valid key of an operator or a supplier.' });
}

/** The role of a person with their key: by the scope of an operator key, and with the import suppliers of a supplier key. */
async function personOf(key: IdentifiedKey, database: Database): Promise<Person | Refused> {
  const { keyId, organisation, keyName, role, scope } = key;
  const person = { subject: `api-keys/${keyId}`, name: `${organisation} / ${keyName}`, keyId };
  if (role === 'operator') return scope === 'market_messages' ? keyRefused() : { ...person, role: roleOfScope(scope) };
  const [stored] = await findApiKeys(database.em(), keyId);
  const importSuppliers = stored?.import_suppliers ?? [];
  return importSuppliers.length === 0 ? keyRefused() : named({ ...person, role, importSuppliers });
}

/** Adds the import suppliers to the name, so that each entry of the audit shows them. */
function named(person: Person & { importSuppliers: readonly string[] }): Person {
  return { ...person, name: `${person.name} (${person.importSuppliers.join(', ')})` };
}

/** A person with those import suppliers that are registered; refused without any. Staff have none. */
export async function withKnownSuppliers(
  person: Person | Refused,
  suppliers: SupplierDirectory,
): Promise<Person | Refused> {
  if (isRefused(person) || person.importSuppliers === undefined) return person;
  const codes = await supplierCodes(suppliers);
  const importSuppliers = codes.filter((code) => person.importSuppliers!.includes(code));
  if (importSuppliers.length > 0) return named({ ...person, importSuppliers });
  return refuse('permission_denied', {
    detail: 'The identity provider assigned you import suppliers that are not registered. Ask an operator.',
  });
}
