import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { classifyNotes } from '../../src/notes/note.rules.ts';
import { instantOf } from '../../src/vocabulary/wire-forms.ts';

test.each([
  ['2026-07-14T09:30:00Z', '2026-07-14T09:30:00.000000Z'],
  ['2026-07-14T11:30:00+02:00', '2026-07-14T09:30:00.000000Z'],
  ['2026-01-01T00:30:00.1-01:00', '2026-01-01T01:30:00.100000Z'],
  ['2026-01-01T00:00:00.123456789Z', '2026-01-01T00:00:00.123457Z'],
  ['2026-12-31T23:59:59.9999999Z', '2027-01-01T00:00:00.000000Z'],
  ['1900-01-01T00:00:00+14:00', '1899-12-31T10:00:00.000000Z'],
  ['2026-02-30T00:00:00Z', ''],
  ['2026-01-01', ''],
  ['', ''],
])('reads the timestamp %s as %s', (text, expected) => {
  expect(instantOf(text)).toBe(expected);
});

const NOW = '2026-11-21T12:00:00.000000Z';
const noteArb = fc.record({
  documentPaths: fc.constant([] as string[]),
  hasBody: fc.boolean(),
  identity: fc.constantFrom('aa', 'bb', 'cc'),
  createdAt: fc.constantFrom(undefined, NOW, '2026-01-01T00:00:00.000000Z', '2026-01-02T00:00:00.000000Z'),
});
const storedArb = fc.array(noteArb.map((note) => ({ ...note, createdAt: note.createdAt ?? NOW })));

/** The rule as the API states it, one note after the other. */
function createWithConflicts(
  sent: readonly { hasBody: boolean; identity: string; createdAt: string | undefined }[],
  stored: readonly { hasBody: boolean; identity: string; createdAt: string }[],
) {
  const ignoredDocuments: string[] = [];
  const all = [...stored];
  return sent.map((note) => {
    const twin = all.find(
      (other) =>
        other.hasBody === note.hasBody &&
        other.identity === note.identity &&
        (note.createdAt === undefined || note.createdAt === other.createdAt),
    );
    if (twin) return { createdAt: twin.createdAt, isNew: false, ignoredDocuments };
    all.push({ ...note, createdAt: note.createdAt ?? NOW });
    return { createdAt: note.createdAt ?? NOW, isNew: true, ignoredDocuments };
  });
}

test('settles notes of one request as if each came alone', () => {
  fc.assert(
    fc.property(fc.array(noteArb, { maxLength: 12 }), storedArb, (sent, stored) => {
      expect(classifyNotes(sent, stored, NOW)).toEqual(createWithConflicts(sent, stored));
    }),
    { numRuns: 2_000 },
  );
});

test('adds nothing when a request is repeated', () => {
  fc.assert(
    fc.property(fc.array(noteArb, { maxLength: 12 }), storedArb, (sent, stored) => {
      const first = classifyNotes(sent, stored, NOW);
      const after = [
        ...stored,
        ...sent.flatMap((note, index) =>
          first[index]!.isNew ? [{ ...note, createdAt: first[index]!.createdAt }] : [],
        ),
      ];
      expect(classifyNotes(sent, after, '2026-11-22T00:00:00.000000Z').some(({ isNew }) => isNew)).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});
