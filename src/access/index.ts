/** Public interface of access: authentication, authorization and audit. */
export { createAuthenticator } from './tokens/check-token.store.ts';
export { createAuditedApiKey, revokeAuditedApiKey } from './keys/api-keys.route.ts';
export {
  apiKeyEntities,
  findApiKeys,
  findKeyOfSupplier,
  findKeysOfViewer,
  findNextKeyEnd,
} from './keys/api-key.store.ts';
export { operationsTeams, organisations } from './organisations/organisation.route.ts';
export { nameOfActor, recordAudit } from './audit/audit-entry.store.ts';
export type { AuditEntryView } from './audit/audit-entry.schema.ts';
export type { Actor } from '../platform/http/route.ts';
export { findAuditEntries, findAuditEntry, findAuditOf, findAuditPage } from './audit/audit-page.store.ts';
export { auditReads, createReadAudit, type ReadAudit } from './audit/audit-entry.store.ts';
export { revealQuery, contactDataReadOf, type ContactDataRead } from './people/contact-data.validation.ts';
export { MASK, withoutContactData } from './people/contact-data.rules.ts';
export { countAttempt } from './tokens/failed-tries.store.ts';
export { createTokenTries, type TokenRequest } from './tokens/token-tries.queue.ts';
export { isTokenRefusal } from './tokens/obtain-token.rules.ts';
export type { IdentifiedKey } from './tokens/access-token.store.ts';
export { endAuditedSession, endAuditedSessionsOf, findOpenSessions } from './people/person-session.store.ts';
export {
  actorOf,
  beginPersonSession,
  endPersonSession,
  findPersonSession,
  SESSION_LIFE,
  setFlash,
  type Flash,
  type Person,
  type PersonSessionView,
} from './people/person-session.store.ts';
export type { OrganisationTable } from './organisations/organisation.entity.ts';
