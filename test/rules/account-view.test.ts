import { expect, test } from '@jest/globals';
import { nestAccountView, type AccountViewRow } from '../../src/account-view/account-view.rules.ts';

const BRANCH = { table: 'branch', below: { leaves: { table: 'leaf' } } };
const LISTS = { branches: BRANCH, fallen: { table: 'leaf' }, roots: { table: 'root' } };

const row = (table: string, above: number | null, position: number | null, json: string): AccountViewRow => ({
  table,
  above,
  position,
  json,
});
const IMPORT_PROCESS = row('import_process', null, null, '{"import_process" : {"revision": 1}}');

test('returns no view without an import process', () => {
  expect(nestAccountView([], LISTS)).toBeUndefined();
});

test('returns null as account of an import process without one', () => {
  expect(nestAccountView([IMPORT_PROCESS], LISTS)).toBe('{"import_process" : {"revision": 1},"account":null}');
});

test('nests rows below their parents by position, and lists those without a parent at the account', () => {
  const rows = [
    row('leaf', 10, 12, '{"of":10,"is":"last"}'),
    row('leaf', null, 11, '{"of":null}'),
    row('branch', null, 10, '{"at":10}'),
    row('leaf', 10, 2, '{"of":10,"is":"first"}'),
    row('account', null, null, '{"balance":"0.00"}'),
    row('branch', null, 2, '{"at":2}'),
    IMPORT_PROCESS,
  ];
  expect(JSON.parse(nestAccountView(rows, LISTS)!)).toEqual({
    import_process: { revision: 1 },
    account: {
      balance: '0.00',
      roots: [],
      fallen: [{ of: null }],
      branches: [
        { at: 2, leaves: [] },
        {
          at: 10,
          leaves: [
            { of: 10, is: 'first' },
            { of: 10, is: 'last' },
          ],
        },
      ],
    },
  });
});

test('keeps the values of a row unchanged', () => {
  const json = '{"amount" : 12345678901234567890.50, "text" : "}{],\\"", "object": {"a": {}}}';
  const view = nestAccountView(
    [IMPORT_PROCESS, row('account', null, null, '{"number":"A"}'), row('branch', null, 1, json)],
    LISTS,
  );
  expect(view).toContain(json.slice(0, -1));
  expect(JSON.parse(view!).account.branches).toEqual([{ ...JSON.parse(json), leaves: [] }]);
});
