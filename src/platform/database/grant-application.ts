import type { PoolClient } from 'pg';

/** The role that the service runs as does not exist. The message says how to create it. */
export class ApplicationRoleMissing extends Error {
  override name = 'ApplicationRoleMissing';
}

/**
 * Grants the service's role only what it needs (docs/running/security.md): it reads and writes rows, owns nothing, and can neither change
 * nor delete audit entries and their chain. Repeated at each migration to include new tables.
 * @param client a connection of the owner of the tables
 * @throws ApplicationRoleMissing
 */
export async function grantToApplication(client: PoolClient, role: string): Promise<void> {
  const {
    rows: [owner],
  } = await client.query<{ me: string; exists: boolean }>(
    'select current_user as me, exists (select from pg_roles where rolname = $1) as exists',
    [role],
  );
  // One role owns the tables and serves, so there is nothing to grant.
  if (owner?.me === role) return;
  const name = client.escapeIdentifier(role);
  if (!owner?.exists) {
    throw new ApplicationRoleMissing(
      `The role ${role} of DATABASE_URL does not exist. Create it first: CREATE ROLE ${name} LOGIN PASSWORD '...'`,
    );
  }
  await client.query(`
    grant usage on schema public to ${name};
    grant select, insert, update, delete on all tables in schema public to ${name};
    grant usage, select, update on all sequences in schema public to ${name};
    revoke update, delete on audit_entry, audit_block, audit_anchor from ${name};
    revoke insert, update, delete on wave_approval from ${name};
    grant insert (id, wave_id, purpose, requested_by, requested_by_id, request_reason, content_hash, members, rehearsal_job_id, planned, plan_revision),
      update (decided_by, decided_by_id, decided_at, decision, decision_reason) on wave_approval to ${name};
    revoke insert, update, delete on mikro_orm_migrations, applied_sql_file from ${name}`);
}
