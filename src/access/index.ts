/** The door of access: who may call, and who changed what. */
export { createAuthenticator, type Authenticator } from './check-token.store.ts';
export { createAuditedApiKey, type CreatedApiKey } from './create-api-key.route.ts';
export { apiKeyEntities } from './api-key.store.ts';
export { operationsTeamExists } from './operations-team.store.ts';
export { insertAudit, recordAudit, recordRead, type Actor, type AuditedChange } from './audit-entry.store.ts';
export { auditReads } from './audit-reads.store.ts';
export { tokenRefusals } from './obtain-token.rules.ts';
