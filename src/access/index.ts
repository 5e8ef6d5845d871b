/** The door of access: who may call, and who changed what. */
export { createAuthenticator } from './check-token.store.ts';
export { createAuditedApiKey, type CreatedApiKey } from './create-api-key.route.ts';
export { apiKeyEntities } from './api-key.store.ts';
export { findOperationsTeamByName } from './operations-team.store.ts';
export { recordAudit } from './audit-entry.store.ts';
export { auditReads } from './audit-reads.store.ts';
