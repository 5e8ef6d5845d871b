import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openCertificateKeys } from '../../../src/reconciliation/certificate-key.client.ts';
import { moveBlocksBack } from '../../support/audit-chain.ts';
import { startService, type Service } from '../../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../../support/operator-shell.ts';
import { startSite, type Site } from '../../support/support-site.ts';
import { until } from '../../support/until.ts';

const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const KEY = newKey();

let service: Service;
let shell: OperatorShell;
let site: Site;
let folder: string;
beforeAll(async () => {
  service = await startService({ worker: true, settings: { RECONCILIATION_KEY: KEY, DISPATCH_EVERY_MS: '200' } });
  shell = await openOperatorShell(service);
  site = await startSite(service);
  folder = mkdtempSync(join(tmpdir(), 'gangway-anchors-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  shell.remove();
  await site.stop();
  await service.stop();
});

const call = async (method: 'GET' | 'POST', path: string, body?: object) =>
  (await service.call(method, `/v1/operations/audit/${path}`, { token: service.operatorToken, ...(body && { body }) }))
    .body;
const query = async (text: string) => (await service.database.pool.query(text)).rows;

test('seals entries of requests, anchors days and verifies the audit, without a request', async () => {
  await call('GET', '?limit=1');
  await until(async () => {
    const chain = await call('GET', 'chain/');
    return chain.last_block > 0 && chain.unsealed_since === null;
  });
  expect(await call('GET', 'chain/')).toMatchObject({ is_signed: true, last_anchor: null, last_verification: null });
  // The blocks of today become those of two days ago.
  const blocks = await query('select number from audit_block');
  await moveBlocksBack(
    service.database.pool,
    blocks.map(() => 2),
    await openCertificateKeys(KEY),
  );
  await until(async () => (await call('GET', 'chain/')).last_verification !== null);
  const chain = await call('GET', 'chain/');
  expect(chain.last_verification).toMatchObject({ started_by: 'audit chain', finding_count: 0, findings: [] });
  expect(chain.last_verification.entries).toBeGreaterThan(0);
  const anchors = await call('GET', 'anchors/');
  expect(anchors).toHaveLength(2);
  expect(anchors[1]).toEqual(chain.last_anchor);
  expect(await call('GET', `anchors/?from=${anchors[1].day}`)).toEqual([anchors[1]]);
  const events = await query(
    `select distinct data ->> 'day' as day from (select type, data from event union all select type, data from event_outbox) e where type = 'audit.anchored.v1' order by 1`,
  );
  const suppliers = await query('select 1 from import_supplier');
  expect(events.map(({ day }) => day)).toEqual(suppliers.length === 0 ? [] : anchors.map(({ day }: any) => day));
});

test('verifies the audit in steps, by the API and by the command line', async () => {
  let step = await call('POST', 'verifications/', {});
  while (step.completed_at === null) {
    step = await call('POST', 'verifications/', { verification_id: step.verification_id });
  }
  expect(step).toMatchObject({ finding_count: 0, findings: [], unsigned_blocks: 0 });
  expect(await call('POST', 'verifications/', { verification_id: step.verification_id })).toMatchObject({
    findings: [],
  });
  const [entry] = await call('GET', '?action=audit.verified&limit=1');
  expect(entry.after).toMatchObject({ verification_id: step.verification_id, finding_count: 0 });

  const { stdout, status } = await shell.run('audit', 'verify');
  expect(stdout).toContain('The audit equals its chain.');
  expect(status).toBe(0);
  expect(await shell.json('audit', '--limit', '1')).toHaveLength(1);
});

test('compares stored anchors, and verifies their signatures without trust in the database', async () => {
  expect(await shell.json('audit', 'anchors', folder)).toEqual({ stored: 2, anchors: 2 });
  expect(await shell.json('audit', 'anchors', folder)).toEqual({ stored: 0, anchors: 2 });
  const keyFile = join(folder, 'keys.json');
  const keys = await openCertificateKeys(KEY);
  writeFileSync(keyFile, JSON.stringify({ keys: keys.publicKeys }));
  const good = await shell.json('audit', 'verify', '--anchors', folder, '--key', keyFile);
  expect(good).toMatchObject({ compared_anchors: 2, finding_count: 0 });

  const [first, second] = readdirSync(folder).filter((name) => name.startsWith('audit-anchor')) as [string, string];
  const anchor = { day: first.slice(13, 23), hash: '00'.repeat(32), jws: 'x.y.z' };
  writeFileSync(join(folder, first), JSON.stringify(anchor));
  writeFileSync(join(folder, 'audit-anchor-2020-01-01.json'), JSON.stringify({ ...anchor, day: '2020-01-01' }));
  const { stdout, status } = await shell.run('audit', 'verify', '--anchors', folder, '--key', keyFile, '--json');
  expect(status).toBe(1);
  const found = JSON.parse(stdout).findings.map(({ kind, day }: any) => `${kind} ${day}`);
  expect(found).toEqual([
    'anchor_missing 2020-01-01',
    'signature_invalid 2020-01-01',
    `anchor_changed ${anchor.day}`,
    `signature_invalid ${anchor.day}`,
  ]);
  writeFileSync(join(folder, second), '{}');
  expect((await shell.run('audit', 'verify', '--anchors', folder)).stderr).toContain('is not the anchor of its day');
  expect((await shell.run('audit', 'verify', '--anchors', join(folder, 'none'))).stderr).toContain('cannot be read');
  expect((await shell.run('audit', 'verify', '--key', keyFile)).status).toBe(2);
});

test('shows the state of the chain, and differences once they are found', async () => {
  const viewer = await site.signedIn('read');
  expect((await viewer.get('/audit')).text).toContain('no difference');
  const file = await viewer.get('/audit/anchors');
  expect(
    file.text
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line).last_block),
  ).toHaveLength(2);

  const [{ id }] = (await query('select ids[1] as id from audit_block order by number limit 1')) as [{ id: string }];
  await query(`update audit_entry set actor_name = 'nobody' where id = '${id}'`);
  const { stdout, status } = await shell.run('audit', 'verify');
  expect(status).toBe(1);
  expect(stdout).toContain(`${id}`);
  expect(stdout).toContain('entry_changed');
  const { text } = await viewer.get('/audit');
  expect(text).toContain('The audit differs from its chain of hashes');
  expect(text).toContain(id);
});
