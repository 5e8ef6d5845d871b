/** The door of access: who may call, and who changed what. */
export { createAuthenticator, type Authenticate } from './check-token.store.ts';
export { createAuditedApiKey, type CreatedApiKey } from './create-api-key.route.ts';
export { operationsTeamExists } from './operations-team.store.ts';
export { recordAudit, recordRead, writeAudit, type Actor, type AuditedChange } from './audit-entry.store.ts';
export { tokenRefusals } from './obtain-token.rules.ts';
