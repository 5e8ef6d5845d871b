import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { AuditFinding, AuditVerificationView } from '../../src/audit-chain/audit-chain.schema.ts';
import { issueToken } from '../support/issue-token.ts';
import { median } from './measure.ts';
import { withClient } from './stage-set.ts';

const ENTRIES = Number(process.env['BENCH_ENTRIES'] ?? 1_000_000);
/** Entries of a transaction. */
const AT_ONCE = 1_000;
const TAMPERED = 1_000;
const GOAL_SECONDS = 60;
/** Pairs of single inserts. */
const WRITES = 6_000;

interface AuditBench {
  http: string;
  /** Connects as the owner of the database. */
  database: string;
  print(line?: string): void;
}

/** Cost of a write, speed of sealing and verification, and whether each change by the owner of the table is found. */
export async function benchAuditVerify(bench: AuditBench): Promise<void> {
  await withClient(bench.database, async (client) => {
    const token = await issueToken(client, 'operator', []);
    await compareWrites(bench, client);
    await seal(bench, client);
    const clean = await verify(bench.http, token);
    if (clean.findings.length > 0) throw new Error(`differences before a change: ${JSON.stringify(clean.findings[0])}`);
    bench.print(`\nverification of ${clean.entries} audit entries (goal: ${GOAL_SECONDS} s)`);
    bench.print(`  ${clean.seconds.toFixed(1)} s, ${(clean.entries / clean.seconds).toFixed(0)} entries/s`);
    const tampered = await tamper(client);
    const dirty = await verify(bench.http, token);
    const found = new Set(dirty.findings.map(({ entry_id: id }) => id));
    const missed = tampered.filter((id) => !found.has(id));
    bench.print(`  found ${TAMPERED - missed.length} of ${TAMPERED} changed entries in ${dirty.seconds.toFixed(1)} s`);
  });
}

/** The columns and indexes of an entry before the chain, and those of today, with single inserts in turn. */
async function compareWrites({ print }: AuditBench, client: pg.Client): Promise<void> {
  await client.query(`
    create table audit_plain (like audit_entry including all);
    alter table audit_plain drop column xid, drop column salt`);
  const took: Record<string, number[]> = { audit_plain: [], audit_entry: [] };
  // In turn, so that a noisy moment affects both alike.
  for (let write = 0; write < WRITES; write += 1) {
    for (const [table, times] of Object.entries(took)) {
      const began = performance.now();
      await insertOne(client, table);
      times.push(performance.now() - began);
    }
  }
  const [before, now] = [median(took['audit_plain']!), median(took['audit_entry']!)];
  print(`\none audit entry in a transaction of its own (goal: at most 1.05 of one without chain)`);
  print(
    `  without ${(before * 1_000).toFixed(0)} us, with ${(now * 1_000).toFixed(0)} us, ${(now / before).toFixed(3)}`,
  );
  await client.query('drop table audit_plain');
}

async function insertOne(client: pg.Client, table: string): Promise<void> {
  await client.query({
    name: `insert-${table}`,
    text: `insert into ${table} (id, actor_key_id, actor_name, action, subject, before, after, reason) values (uuidv7(), null, $1, $2, $3, $4, $5, $6)`,
    values: ['Support / console', 'note.pinned', 'accounts/ACME/A-1/notes', { pinned: false }, { pinned: true }, null],
  });
}

/** Inserts entries, and waits until the worker has sealed them. */
async function seal({ print }: AuditBench, client: pg.Client): Promise<void> {
  const began = performance.now();
  for (let from = 0; from < ENTRIES; from += AT_ONCE) {
    await client.query(
      `insert into audit_entry (id, actor_name, action, subject, before, after, reason)
       select uuidv7(), 'Support / ' || n % 20, case n % 4 when 0 then 'note.pinned' else 'account.read' end, 'accounts/ACME/A-' || n,
         case n % 4 when 0 then jsonb_build_object('pinned', false, 'n', n) end, case n % 4 when 0 then jsonb_build_object('pinned', true, 'detail', 'text ' || n) end,
         case n % 8 when 0 then 'requested by the customer, ticket ' || n end
       from generate_series($1::integer, $2::integer) n`,
      [from + 1, Math.min(from + AT_ONCE, ENTRIES)],
    );
  }
  const inserted = performance.now();
  for (;;) {
    const { rows } = await client.query<{ entries: string }>('select entries from audit_chain');
    if (Number(rows[0]!.entries) >= ENTRIES) break;
    await sleep(250);
  }
  print(`\n${ENTRIES} audit entries, ${AT_ONCE} in a transaction, sealed beside them`);
  print(
    `  written in ${((inserted - began) / 1_000).toFixed(1)} s, the last one sealed ${((performance.now() - inserted) / 1_000).toFixed(1)} s later`,
  );
}

/** Changes entries as the owner of the table: edits, deletions, insertions, and exchanged times. @returns the ids that must be found */
async function tamper(client: pg.Client): Promise<string[]> {
  const each = TAMPERED / 4;
  const { rows } = await client.query<{ id: string }>(
    `select id::text from audit_entry where actor_name like 'Support / %' and subject <> 'audit' order by sha256(id::text::bytea) limit $1`,
    [3 * each],
  );
  const ids = rows.map(({ id }) => id);
  const [edited, deleted, exchanged] = [ids.slice(0, each), ids.slice(each, 2 * each), ids.slice(2 * each)];
  await client.query(`update audit_entry set subject = subject || '0' where id = any ($1)`, [edited]);
  await client.query('delete from audit_entry where id = any ($1)', [deleted]);
  await client.query(
    `with pairs as (select one, other from unnest($1::uuid[], $2::uuid[]) p (one, other)), ways as (select one, other from pairs union all select other, one from pairs)
     update audit_entry e set at = o.at, actor_name = o.actor_name || '!' from ways b join audit_entry o on o.id = b.other where e.id = b.one`,
    [exchanged.slice(0, each / 2), exchanged.slice(each / 2)],
  );
  const inserted = await client.query<{ id: string }>(
    `insert into audit_entry (id, at, actor_name, action, subject, xid)
     select uuidv7(e.at - now()), e.at, e.actor_name, 'account.read', 'accounts/ACME/forged', e.xid from audit_entry e where e.id = any ($1) returning id::text`,
    [edited],
  );
  return [...ids, ...inserted.rows.map(({ id }) => id)];
}

/** Verifies as the command line does. */
async function verify(
  http: string,
  token: string,
): Promise<{ seconds: number; entries: number; findings: AuditFinding[] }> {
  const began = performance.now();
  const findings: AuditFinding[] = [];
  for (let id: string | undefined; ;) {
    const answer = await fetch(`${http}/v1/operations/audit/verifications/`, {
      method: 'POST',
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ verification_id: id }),
    });
    if (!answer.ok) throw new Error(`verification: ${answer.status} ${await answer.text()}`);
    const step = (await answer.json()) as AuditVerificationView;
    findings.push(...step.findings);
    id = step.verification_id;
    if (step.completed_at === null) continue;
    return { seconds: (performance.now() - began) / 1_000, entries: step.entries, findings };
  }
}
