import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findAuditPage, SCANNED_MAX } from '../../src/access/audit/audit-page.store.ts';
import { recordAudit } from '../../src/access/index.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

const NOISE = SCANNED_MAX + 5_000;
const HOSTILE = '=1+1<script>alert(1)</script>';

let service: Service;
let site: Site;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ temporal: false });
  site = await startSite(service);
  // Many reads by another person, one a second, around the wanted entries.
  await service.database.pool.query(
    `insert into audit_entry (id, at, actor_name, action, subject)
      select gen_random_uuid(), timestamptz '2026-01-10' + n * interval '1 second', case when n % 2 = 0 then 'Grid / poller' else 'Grid / other' end,
        'operations.read', 'stuck?n=' || n % 100
      from generate_series(1, $1::int) n`,
    [NOISE * 2],
  );
  const change = async (external: string, at: string, reason: string) => {
    const subject = `account-import-processes/S/${external}/skip`;
    const change = { action: 'skip_mark.set', subject, before: { a: 1, b: [2] }, after: { a: 1, b: [3] }, reason };
    await recordAudit(service.database, { keyName: 'Bob' }, change);
    await service.database.pool.query('update audit_entry set at = $1 where subject = $2 and reason = $3', [
      at,
      subject,
      reason,
    ]);
  };
  await change('A-1', '2026-01-05T10:00:00.000001Z', 'oldest');
  await change('A-1', '2026-01-05T10:00:00.000002Z', HOSTILE);
  await change('A-2', '2026-01-06T10:00:00Z', 'other account');
  await recordAudit(service.database, { keyName: 'Bob' }, { action: 'account.read', subject: 'accounts/S/A-1' });
  await service.database.pool.query('analyze audit_entry');
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

/** Reasons, or accounts of entries without a reason, in the order of the page. */
const linesOf = (text: string) =>
  [...text.matchAll(/<tr>\s*<th scope="row"><a href="\/audit\/[\s\S]*?<\/tr>/g)].map(
    ([row]) => /<q>([^<]*)<\/q>/.exec(row)?.[1] ?? /href="(\/accounts\/[^"]*)"/.exec(row)![1],
  );
const show = async (query: string) => {
  const { status, text } = await viewer.get(`/audit?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return text;
};

test.each([
  ['account=S%2FA-1', [HOSTILE.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), 'oldest']],
  ['account=S%2FA-1&reads=yes', ['/accounts/S/A-1', HOSTILE.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), 'oldest']],
  ['subject=account-import-processes%2FS%2FA-2%2Fskip', ['other account']],
  ['actor=Bob&to=2026-01-05', [HOSTILE.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), 'oldest']],
  ['action=skip_mark.set&from=2026-01-06&to=2026-01-06', ['other account']],
  ['action=skip_mark.set&to=2026-01-05T10:00:00Z', []],
  ['action=skip_mark.set&account=S%2FA-2&actor=Bob', ['other account']],
  ['action=account.read&account=S%2FA-2', []],
  ['actor=nobody', []],
  ['actor=a%00b', []],
])('filters the audit by %s', async (query, wanted) => {
  expect(linesOf(await show(query))).toEqual(wanted);
});

test('shows entries as sentences, and reads and tokens only when asked for', async () => {
  const text = await show('to=2026-01-08');
  expect(text).toMatch(
    /<strong>Bob<\/strong>\s+skipped <a href="\/accounts\/S\/A-2">S A-2<\/a>[\s\S]*?: <q>other account<\/q>/,
  );
  expect(text).not.toContain('by the API');
  expect(text).toContain('<option value="throttle.changed">Throttle: changed</option>');
  expect(await show('reads=yes')).toContain('read <code>stuck?n=0</code> by the API');
});

test('names the new speed of a network operator', async () => {
  const speed = { requests_per_second: 5, requests_per_hour: 10_000 };
  const subject = 'network-operators/enedis/throttle';
  const change = { before: speed, after: { ...speed, requests_per_second: 8 }, reason: 'agreed by phone' };
  await recordAudit(service.database, { keyName: 'Claire' }, { action: 'throttle.changed', subject, ...change });
  const sentence = (await show('action=throttle.changed')).replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  expect(sentence).toContain('Claire set Enedis from 5 to 8 a second: agreed by phone');
});

test.each([['from=yesterday'], ['to=2026-13-01'], ['cursor=x'], ['cursor=0198c0de-0000-7000-8000-000000000003']])(
  'rejects the audit filter %s',
  async (query) => {
    expect((await viewer.get(`/audit?${query}`)).status).toBe(400);
    expect((await viewer.get(`/audit.csv?${query}`)).status).toBe(400);
  },
);

test('pages through the audit without gaps, and shows how far back it searched', async () => {
  let query: string | undefined = 'account=S%2FA-1';
  const page = async (limit: number, cursor?: string) =>
    (await findAuditPage(service.database.em(), { filter: { account: 'S/A-1' }, limit, cursor }))!;
  const seen: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { entries, next } = await page(1, cursor);
    seen.push(...entries.map(({ reason }) => String(reason)));
    if (next === undefined) break;
    cursor = next;
  }
  expect(seen).toEqual(['null', HOSTILE, 'oldest']);
  // The poller made many entries but no change: the page shows how far it searched and links the next page.
  query = 'actor=Grid+%2F+poller&action=skip_mark.set';
  const looks: string[] = [];
  while (query !== undefined) {
    const text: string = await show(query);
    expect(linesOf(text)).toEqual([]);
    looks.push(/The page goes back to <time[^>]*>([^<]*)/.exec(text)?.[1] ?? 'the end');
    query = /button quiet" href="\/audit\?([^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(looks).toEqual(['10 Jan 2026, 03:46', 'the end']);
});

test('offers the same filters in the operator API, with a Link to the next page', async () => {
  const call = (path: string) => service.call('GET', path, { token: service.operatorToken });
  const first = await call('/v1/operations/audit/?action=skip_mark.set&limit=2');
  expect(first.body.map(({ reason }: { reason: string }) => reason)).toEqual(['other account', HOSTILE]);
  const [, next] = /<([^>]*)>; rel="next"/.exec(first.headers['link']!)!;
  const second = await call(next!);
  expect(second.body).toMatchObject([{ reason: 'oldest' }]);
  expect(second.headers['link']).toBeUndefined();
  for (const wrong of ['from=x', 'to=x', 'cursor=x']) {
    expect((await call(`/v1/operations/audit/?${wrong}`)).body.errors).toMatchObject([{ attr: wrong.split('=')[0] }]);
  }
});

test('shows a single entry completely, with its change', async () => {
  const text = await show('action=skip_mark.set&account=S%2FA-1');
  const [, id] = /href="\/audit\/([0-9a-f-]{36})"/.exec(text)!;
  const entry = (await viewer.get(`/audit/${id}`)).text;
  expect(entry).toMatch(/>B<\/td>\s*<td[^>]*>2<\/td>\s*<td[^>]*>3<\/td>/);
  expect(entry).not.toMatch(/<td[^>]*>A<\/td>/);
  expect(entry).not.toContain('<pre>');
  expect(entry).toContain('href="/accounts/S/A-1"');
  expect(entry).toContain('&lt;script&gt;');
  for (const path of ['/audit/none', '/audit/0198c0de-0000-7000-8000-000000000003']) {
    expect((await viewer.get(path)).status).toBe(404);
  }
});

test('exports the audit as a file without formulas, and audits the export', async () => {
  const csv = await viewer.get('/audit.csv?reads=yes&account=S%2FA-1');
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.headers.get('content-disposition')).toContain('audit.csv');
  const lines = csv.text.split('\r\n');
  expect(lines[0]).toBe('"at";"actor";"key_id";"action";"subject";"before";"after";"reason";"id"');
  expect(lines).toHaveLength(5);
  expect(lines[2]).toContain(`;"'${HOSTILE}";`);
  const { text } = await viewer.get('/audit.csv?form=ndjson&reads=yes&actor=Grid+%2F+poller');
  const entries = text.trimEnd().split('\n');
  expect(entries).toHaveLength(NOISE);
  expect(JSON.parse(entries.at(-1)!)).toMatchObject({
    at: '2026-01-10T00:00:02.000Z',
    actor: { name: 'Grid / poller' },
  });
  expect((await viewer.get('/audit.csv?form=xls')).status).toBe(400);
  const { rows } = await service.database.pool.query(
    `select actor_name, after from audit_entry where action = 'audit.exported' order by at`,
  );
  expect(rows).toEqual([
    { actor_name: 'staff read / Ada', after: { account: 'S/A-1', reads: 'yes' } },
    { actor_name: 'staff read / Ada', after: { form: 'ndjson', actor: 'Grid / poller', reads: 'yes' } },
  ]);
});
