import { afterAll, expect, test } from '@jest/globals';
import { addAccounts, attachmentCalls, countRows, type AttachmentCalls } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const calls: AttachmentCalls = attachmentCalls(service, await service.supplierToken(['SUPPLIER_FR']));
await addAccounts(service, ['PAPERS', 'PINS', 'ONE', 'DOCS', 'TIMES', 'MANY', 'RACE', 'TWICE', 'LATE', 'FULL']);

const created = 'NOTE_CREATION_SUCCESS';
const known = 'NOTE_ALREADY_EXISTS';
const recent = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

test('stores a note with all its fields as sent, and shows its timestamp in UTC', async () => {
  const note = {
    body: ' Asked for a new meter. ',
    created_at: '2026-07-14T11:30:00.25+02:00',
    is_pinned: true,
    unpin_at: '2027-01-31T23:00:00Z',
    unknown: 1,
    document_paths: [{ document_path: '/letters/b.pdf' }, { document_path: 'letters/a.pdf' }],
  };
  const answer = await calls.notes('ONE', [note]);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual([
    {
      created_at: '2026-07-14T09:30:00Z',
      body: 'Asked for a new meter.',
      status: created,
      warnings: [expect.objectContaining({ code: 'unknown_member', attr: 'notes.0.unknown' })],
    },
  ]);
  const { notes } = await calls.account('ONE');
  expect(notes).toEqual([
    {
      note: 0,
      body: 'Asked for a new meter.',
      created_at: '2026-07-14T09:30:00.250Z',
      import_job_id: null,
      is_pinned: true,
      unpin_at: '2027-01-31T23:00:00.000Z',
      documents: [
        { document_path: 'letters/b.pdf', location: null },
        { document_path: 'letters/a.pdf', location: null },
      ],
    },
  ]);
});

test('uses now and not pinned as defaults', async () => {
  const before = Math.floor(Date.now() / 1_000) * 1_000;
  const { body } = await calls.notes('LATE', [{ body: 'plain' }]);
  expect(body).toEqual([{ created_at: recent, body: 'plain', status: created }]);
  expect(Date.parse(body[0].created_at)).toBeGreaterThanOrEqual(before);
  expect((await calls.account('LATE')).notes).toMatchObject([{ is_pinned: false, unpin_at: null, documents: [] }]);
});

test('answers no notes with an empty response', async () => {
  expect(await calls.notes('LATE', [])).toMatchObject({ status: 201, body: [] });
});

test('stores two notes with only documents as two, and the same documents in another order as one', async () => {
  const documents = (...paths: string[]) => ({ document_paths: paths.map((path) => ({ document_path: path })) });
  const { body } = await calls.notes('DOCS', [
    documents('a.pdf', 'b.pdf'),
    documents('c.pdf'),
    { ...documents('/b.pdf', 'a.pdf'), body: '' },
    { body: 'c.pdf' },
  ]);
  expect(body.map((note: any) => [note.body, note.status])).toEqual([
    [null, created],
    [null, created],
    [null, known],
    ['c.pdf', created],
  ]);
  expect(body[2].created_at).toBe(body[0].created_at);
  expect(
    (await calls.notes('DOCS', [documents('c.pdf'), documents('a.pdf')])).body.map((note: any) => note.status),
  ).toEqual([known, created]);
});

test('recognizes duplicates within a request and against stored notes by body, and by timestamp if it is sent', async () => {
  const first = { body: 'called', created_at: '2026-01-01T10:00:00Z' };
  const requests = [
    [
      first,
      { body: 'called', created_at: '2026-01-01T11:00:00+01:00' },
      { body: 'called', created_at: '2026-01-01T10:00:01Z' },
      { body: 'called' },
      { body: 'Called' },
      { body: 'Called' },
    ],
    [
      { body: 'called' },
      { body: 'called', created_at: '2026-01-01T10:00:01.000Z' },
      { body: 'called', created_at: '2025-01-01T00:00:00Z' },
    ],
  ];
  const answers = [];
  for (const request of requests) answers.push((await calls.notes('TIMES', request)).body);
  expect(answers[0].map((note: any) => note.status)).toEqual([created, known, created, known, created, known]);
  expect(answers[0][3].created_at).toBe('2026-01-01T10:00:00Z');
  expect(answers[1]).toEqual([
    { created_at: '2026-01-01T10:00:00Z', body: 'called', status: known },
    { created_at: '2026-01-01T10:00:01Z', body: 'called', status: known },
    { created_at: '2025-01-01T00:00:00Z', body: 'called', status: created },
  ]);
});

test('stores a thousand notes that are sent twice once', async () => {
  const notes = Array.from({ length: 1_000 }, (_, index) => ({
    body: `note ${index}`,
    document_paths: [{ document_path: `notes/${index}.pdf` }],
  }));
  for (const status of [created, known]) {
    const answer = await calls.notes('MANY', notes);
    expect(answer.status).toBe(201);
    expect(new Set(answer.body.map((note: any) => note.status))).toEqual(new Set([status]));
    expect(answer.body.map((note: any) => note.body)).toEqual(notes.map(({ body }) => body));
  }
  expect(await countRows(service, 'MANY', 'note', 'note_document')).toEqual([1_000, 1_000]);
});

test('names the documents that an existing note does not have, and does not add them', async () => {
  const documents = (...paths: string[]) => paths.map((path) => ({ document_path: path }));
  const at = '2026-02-01T10:00:00Z';
  const first = await calls.notes('PAPERS', [
    { body: 'called', created_at: at, document_paths: documents('/a.pdf') },
    { body: 'called', created_at: at, document_paths: documents('a.pdf', '/b.pdf') },
  ]);
  expect(first.body).toEqual([
    { created_at: at, body: 'called', status: created },
    { created_at: at, body: 'called', status: known, document_paths: documents('/b.pdf') },
  ]);
  const again = await calls.notes('PAPERS', [
    { body: 'called', document_paths: documents('a.pdf') },
    { body: 'called', document_paths: documents('c.pdf', 'a.pdf', 'd.pdf') },
  ]);
  expect(again.body).toEqual([
    { created_at: at, body: 'called', status: known },
    { created_at: at, body: 'called', status: known, document_paths: documents('c.pdf', 'd.pdf') },
  ]);
  expect((await calls.account('PAPERS')).notes).toMatchObject([{ documents: [{ document_path: 'a.pdf' }] }]);
});

test('shows a note as pinned until its unpin_at, a timestamp of any allowed precision', async () => {
  const at = '2026-03-01T10:00:00Z';
  await calls.notes('PINS', [
    { body: 'for a while', created_at: at, is_pinned: true, unpin_at: at },
    { body: 'still', created_at: at, is_pinned: true, unpin_at: '2099-01-01T00:00:00Z' },
    { body: 'for ever', created_at: at, is_pinned: true },
    { body: 'never', created_at: at, unpin_at: '2099-01-01T00:00:00Z' },
  ]);
  const { notes } = await calls.account('PINS');
  expect(notes.map((note: any) => `${note.body}: ${note.is_pinned}`)).toEqual([
    'for a while: false',
    'still: true',
    'for ever: true',
    'never: false',
  ]);
  expect(notes[0].unpin_at).toBe('2026-03-01T10:00:00.000Z');
});

test('stores no duplicates for ten concurrent clients', async () => {
  const notes = Array.from({ length: 50 }, (_, index) => ({ body: `note ${index}` }));
  const answers = await Promise.all(Array.from({ length: 10 }, () => calls.notes('RACE', notes)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  const all = answers.flatMap(({ body }) => body as { status: string }[]);
  expect(all.filter(({ status }) => status === created)).toHaveLength(50);
  expect(await countRows(service, 'RACE', 'note')).toEqual([50]);
});

test('accepts notes of a supplier that is paused or complete', async () => {
  for (const status of ['Paused', 'Complete']) {
    await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { status },
    });
    expect((await calls.notes('TWICE', [{ body: status }])).status).toBe(201);
  }
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { status: 'Ongoing' },
  });
});

test('rolls all notes back when the database fails at the last one, and succeeds when repeated', async () => {
  const { pool } = service.database;
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin if new.body = 'note 999' then raise 'broken by the test'; end if; return new; end $$`,
  );
  await pool.query('create trigger fail before insert on note for each row execute function fail()');
  const notes = Array.from({ length: 1_000 }, (_, index) => ({ body: `note ${index}` }));
  expect((await calls.notes('FULL', notes)).status).toBe(500);
  expect(await countRows(service, 'FULL', 'note')).toEqual([0]);
  await pool.query('drop trigger fail on note');
  expect((await calls.notes('FULL', notes)).status).toBe(201);
});
