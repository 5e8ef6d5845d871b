/** The door of access: who may call, and who changed what. */
export { createAuthenticator } from './check-token.store.ts';
export { createAuditedApiKey, type CreatedApiKey } from './create-api-key.route.ts';
export { revokeAuditedApiKey } from './revoke-api-key.route.ts';
export { apiKeyEntities, findApiKeys } from './api-key.store.ts';
export { addAuditedTeam } from './put-operations-team.route.ts';
export { findAllOperationsTeams, findOperationsTeamByName } from './operations-team.store.ts';
export { changeAuditedOrganisation } from './put-organisation.route.ts';
export { findAllOrganisations } from './organisation.store.ts';
export { findAuditEntries, findAuditOf, recordAudit, type Actor, type AuditEntryView } from './audit-entry.store.ts';
export { findAuditEntry, findAuditPage, type AuditPage } from './audit-page.store.ts';
export { auditReads } from './audit-reads.store.ts';
export { createTokenTries, type TokenRequest } from './token-tries.queue.ts';
export { isTokenRefusal } from './obtain-token.rules.ts';
export type { IdentifiedKey } from './access-token.store.ts';
export { endAuditedSession, endAuditedSessionsOf, findOpenSessions } from './open-sessions.store.ts';
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
} from './person-session.store.ts';
