import { afterAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { startService } from '../support/harness.ts';
import { startSite } from '../support/support-site.ts';

const service = await startService();
const site = await startSite(service);
afterAll(async () => {
  await site.stop();
  await service.stop();
});
const visitor = await site.signedIn();
const KEYS = '/settings/keys';
const newKey: [string, string][] = [
  ['id', uuidv7()],
  ['organisation', 'Kept "organisation"'],
  ['name', 'x'.repeat(300)],
  ['role', 'viewer of nothing'],
];

test('shows the page of a rejected form again, with what was sent and each fault', async () => {
  await visitor.get(KEYS);
  const { status, text } = await visitor.post(KEYS, newKey, { referer: `${site.url}${KEYS}?size=10` });
  expect(status).toBe(400);
  expect(text).toContain('<title>API keys');
  expect(text).toMatch(/name="organisation"[^>]* value="Kept &quot;organisation&quot;"/);
  expect(text).toMatch(/name="name"[^>]* aria-invalid="true"[^>]* value="xxx/);
  expect(text).toMatch(/role="alert">(?:\s*<p>[A-Z][^:<]+: [^<]+<\/p>)+\s*<p>Nothing was stored/);
  // The form can be corrected and sent.
  const corrected: [string, string][] = [
    ['id', uuidv7()],
    ['organisation', 'Supplier'],
    ['name', 'Ada'],
    ['role', 'operator'],
    ['scope', 'read'],
  ];
  expect((await visitor.post(KEYS, corrected)).text).toContain('The new key');
});

test.each([
  ['of another site', 'https://elsewhere.example/settings/keys-of-others'],
  ['that does not exist', '/nowhere'],
  ['without the form', '/overview'],
  ['with a file', '/audit.csv'],
  ['that is no address', '::'],
])('shows an error page for a form from a page %s', async (_, referer) => {
  const address = referer.startsWith('/') ? `${site.url}${referer}` : referer;
  const { status, text } = await visitor.post(KEYS, newKey, referer === '::' ? {} : { referer: address });
  expect(status).toBe(400);
  const isOwn = referer === '::';
  expect(text).toContain(isOwn ? '<title>API keys' : '<title>The request was rejected');
});

test('does not show a page that the person may not see', async () => {
  await service.supplierToken(['SUPPLIER_FR']);
  const reader = await site.signedIn('read');
  await reader.get(KEYS);
  const { status, text } = await reader.post(KEYS, newKey, { referer: `${site.url}${KEYS}` });
  expect(status).toBe(403);
  expect(text).not.toContain('aria-invalid');
});
