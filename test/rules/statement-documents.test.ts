import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { locateDocument, parseDocumentRoot } from '../../src/suppliers/supplier-options.rules.ts';
import { knownStatementViolations } from '../../src/statements/statement.rules.ts';
import { isContainedDocumentPath } from '../../src/vocabulary/wire-forms.ts';

test.each<[string, unknown]>([
  ['s3://imports/boreal/', { kind: 's3', bucket: 'imports', prefix: 'boreal' }],
  ['s3://imports/boreal/2026', { kind: 's3', bucket: 'imports', prefix: 'boreal/2026' }],
  ['s3://imports', { kind: 's3', bucket: 'imports', prefix: '' }],
  ['s3://imports//', { kind: 's3', bucket: 'imports', prefix: '' }],
  ['file:///srv/documents/', { kind: 'folder', folder: '/srv/documents' }],
  ['file:///', { kind: 'folder', folder: '/' }],
  ['file://host/srv', undefined],
  ['file:///srv/../etc/', undefined],
  ['s3://imports/../other/', undefined],
  ['s3://IMPORTS/', undefined],
  ['s3:///boreal', undefined],
  ['https://imports/boreal', undefined],
  ['/srv/documents', undefined],
  ['', undefined],
])('validates the document root %s', (root, expected) => {
  expect(parseDocumentRoot(root)).toEqual(expected);
});

test('joins root and path by one slash', () => {
  expect(locateDocument(parseDocumentRoot('s3://imports/boreal/')!, '/bills/1.pdf')).toEqual({
    kind: 's3',
    bucket: 'imports',
    key: 'boreal/bills/1.pdf',
  });
  expect(locateDocument(parseDocumentRoot('s3://imports')!, 'bills/1.pdf')).toEqual({
    kind: 's3',
    bucket: 'imports',
    key: 'bills/1.pdf',
  });
  expect(locateDocument(parseDocumentRoot('file:///srv/documents')!, '//bills/1.pdf')).toEqual({
    kind: 'folder',
    folder: '/srv/documents',
    path: 'bills/1.pdf',
  });
});

const segmentArb = fc.oneof(
  fc.constantFrom('..', '.', '', '%2e%2e', '%2E.', '\\', '\0', '...', '~', 'a b', 'é', '．．', '/'),
  fc.string(),
);

test('keeps every path inside the root', () => {
  fc.assert(
    fc.property(fc.array(segmentArb, { maxLength: 6 }), (segments) => {
      const path = segments.join('/');
      const location = locateDocument({ kind: 's3', bucket: 'imports', prefix: 'boreal' }, path);
      expect(location !== undefined).toBe(isContainedDocumentPath(path));
      if (location?.kind === 's3') {
        expect(location.key.startsWith('boreal/')).toBe(true);
        expect(
          new URL(`file:///${location.key.split('/').map(encodeURIComponent).join('/')}`).pathname.startsWith(
            '/boreal/',
          ),
        ).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('reports known statements by their places', () => {
  expect(knownStatementViolations([0, 7]).map(({ code, attr }) => `${code} ${attr}`)).toEqual([
    'historical_statement_already_exists statements.0.statement_id',
    'historical_statement_already_exists statements.7.statement_id',
  ]);
});
