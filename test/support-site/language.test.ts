import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../support/harness.ts';
import { createVisitor, startSite, type Site } from '../support/support-site.ts';

const FRENCH = { 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.8' };

let service: Service;
let site: Site;
beforeAll(async () => {
  service = await startService();
  site = await startSite(service);
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

test('writes the sign-in page in the language that the browser prefers', async () => {
  const english = (await createVisitor(site.url).get('/sign-in')).text;
  expect(english).toContain('<html lang="en">');
  expect(english).toContain('<h1>Sign in</h1>');
  const french = (await createVisitor(site.url).get('/sign-in', FRENCH)).text;
  expect(french).toContain('<html lang="fr">');
  expect(french).toContain('<h1>Connexion</h1>');
});

test('keeps the chosen language before and after sign-in', async () => {
  const visitor = createVisitor(site.url);
  const chosen = await visitor.post('/language', [
    ['language', 'fr'],
    ['to', '/sign-in?to=%2Faccounts'],
  ]);
  expect([chosen.status, chosen.location]).toEqual([303, '/sign-in?to=%2Faccounts']);
  expect(chosen.headers.getSetCookie()[0]).toMatch(
    /^gangway-language=fr; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  await visitor.signIn(await site.key());
  const { text } = await visitor.get('/accounts', { 'accept-language': 'en' });
  expect(text).toContain('<html lang="fr">');
  expect(text).toContain('Se déconnecter');
  await visitor.post('/language', [
    ['language', 'en'],
    ['to', '/accounts'],
  ]);
  expect((await visitor.get('/accounts', FRENCH)).text).toContain('<html lang="en">');
});

test.each(['//elsewhere.example/', 'https://elsewhere.example/', '/.//elsewhere.example'])(
  'returns to a page of this site only, not to %s',
  async (to) => {
    const { location } = await createVisitor(site.url).post('/language', [
      ['language', 'fr'],
      ['to', to],
    ]);
    expect(location).toMatch(/^\/(?!\/)/);
  },
);

test('rejects a choice that another site or another session sends', async () => {
  const visitor = await site.signedIn();
  const fields: [string, string][] = [['language', 'fr']];
  expect((await visitor.post('/language', fields, { origin: 'https://elsewhere.example' })).status).toBe(403);
  const other = createVisitor(site.url);
  other.cookie = visitor.cookie;
  expect((await other.post('/language', fields)).status).toBe(403);
});

test('marks the main part of a page without French as English', async () => {
  const visitor = await site.signedIn();
  const { text } = await visitor.get('/stuck', FRENCH);
  expect(text).toContain('<html lang="fr">');
  expect(text).toMatch(/<main id="content" lang="en">/);
  expect((await visitor.get('/stuck')).text).toMatch(/<main id="content">/);
});

test('writes error pages in French', async () => {
  const { status, text } = await (await site.signedIn()).get('/nowhere', FRENCH);
  expect(status).toBe(404);
  expect(text).toContain('Cette page n’existe pas.');
  expect(text).toContain('Identifiant de la requête\u00a0: ');
});
