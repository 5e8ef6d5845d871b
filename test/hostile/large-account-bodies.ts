import { businessAccount, domesticAccount, meterPointNumber, supplyPoint } from '../support/account-payload.ts';
import { LIST_ITEMS, many, small, unknownMembers, withHalves, type Shape } from './large-body.ts';

export const [VALIDATE, STAGE] = [
  '/v1/data-import/validate-account/',
  '/v1/data-import/account-import-process/create-or-update/',
];

/** Pairs of strings with equal hashes after any prefix. Each was found among some 80,000 strings. */
const PAIRS_OF_ONE_HASH = [
  ['105zx', '1bpcd'],
  ['0k40p', '1c04a'],
  ['003zx', '0fpad'],
  ['09vl8', '0apd6'],
  ['04pvu', '0b3ea'],
] as const;

/** FNV-1a, which the service used without a secret. */
const hashOf = (text: string) => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
};

/** More names than an account has, all with the same hash. */
function namesOfOneHash(): string[] {
  const names = PAIRS_OF_ONE_HASH.reduce<string[]>(
    (starts, pair) => starts.flatMap((start) => pair.map((end) => start + end)),
    [''],
  );
  if (new Set(names.map(hashOf)).size > 1) throw new Error('The names have several hashes.');
  return names;
}

const foreignNumbers = (index: number) => ({
  given_name: `Given ${index}`,
  family_name: 'Family',
  email: `c${index}@example.org`,
  mobile: `+4930${1_000_000 + index}`,
  landline: `+3247${1_000_000 + index}`,
});
const oneHash = Object.fromEntries(namesOfOneHash().map((name) => [name, 1]));
const withMetadata = (value: object, sequence: number) => small({ metadata: [{ key: 'a', value }] }, sequence);

// The same in each body of a shape, and created once.
const foreigners = many(foreignNumbers, LIST_ITEMS);
const contracts = many((index) => businessAccount({}, index).account_contracts![0]);
const meaningless = many((index) => `t${index}`, 90_000);
const oneHashes = many(() => oneHash);

/** Accounts, and lists of supply points. */
export const largeAccounts: readonly Shape[] = [
  {
    name: 'accounts of 9,900 customers with foreign phone numbers, validated',
    path: VALIDATE,
    make: (sequence) => small({ customers: foreigners }, sequence),
    status: 200,
  },
  {
    name: 'the same, staged',
    path: STAGE,
    make: (sequence) => small({ customers: foreigners }, 2_000 + sequence),
    status: 201,
  },
  {
    name: 'accounts with blanks around every text',
    path: VALIDATE,
    make: (sequence) =>
      small({ customers: many(() => ({ given_name: ' x ', family_name: ' y ', title: ' ' }), LIST_ITEMS) }, sequence),
    status: 200,
  },
  {
    name: 'accounts of many supply points, staged',
    path: STAGE,
    make: (sequence) => ({
      ...small({}, sequence),
      payment_preferences: [],
      supply_addresses: [
        {
          ...domesticAccount().supply_addresses![0]!,
          supply_points: many((index) => supplyPoint('ELECTRICITY', sequence * 10_000 + index), 700),
        },
      ],
    }),
    status: 201,
  },
  {
    name: 'accounts of many business contracts',
    path: VALIDATE,
    make: () => businessAccount({ import_supplier: 'SUPPLIER_FR', account_contracts: contracts as never }),
    status: 200,
  },
  {
    name: 'accounts of 9,900 faulty customers',
    path: VALIDATE,
    make: () =>
      small({
        customers: many(
          (index) => ({ given_name: 'x', family_name: '', mobile: `+49${index}`, email: `@${index}` }),
          LIST_ITEMS,
        ),
      }),
    status: 400,
  },
  {
    name: 'accounts with 90,000 halves of characters',
    path: VALIDATE,
    make: (sequence) => withHalves(withMetadata({ a: Array(90_000).fill('HALF') }, sequence)),
    status: 400,
  },
  {
    name: 'accounts with 90,000 texts of no meaning, staged',
    path: STAGE,
    make: (sequence) => withMetadata({ a: meaningless }, 1_000 + sequence),
    status: 201,
  },
  { name: '48,000 unknown members', path: VALIDATE, make: () => `{${unknownMembers(48_000)}}`, status: 413 },
  { name: '9,500 unknown members', path: VALIDATE, make: () => `{${unknownMembers(9_500)}}`, status: 400 },
  {
    name: '24,000 objects in objects, each of names of its own',
    path: VALIDATE,
    make: (sequence) =>
      withMetadata(
        { a: Array.from({ length: 24_000 }, (_, index) => ({ [`k${index}`]: { [`q${index}`]: 1 } })) },
        sequence,
      ),
    status: 413,
  },
  {
    name: 'objects of 32 names of one hash',
    path: VALIDATE,
    make: (sequence) => withMetadata({ a: oneHashes }, sequence),
    status: 200,
  },
  {
    name: 'no JSON at its end',
    path: VALIDATE,
    make: (sequence) => JSON.stringify(small({ customers: foreigners }, sequence)).slice(0, -1),
    status: 400,
  },
  {
    name: 'compressed accounts',
    path: VALIDATE,
    make: (sequence) => small({ customers: foreigners }, sequence),
    status: 200,
    isGzipped: true,
  },
  {
    name: '100 compressed bodies of 48,000 unknown members',
    path: VALIDATE,
    make: () => `{${unknownMembers(48_000)}}`,
    status: 413,
    atOnce: 100,
    isGzipped: true,
  },
  {
    name: '100,000 identifiers',
    path: '/v1/data-import/supply-point/populate/',
    make: (sequence) => ({
      prm_ids: Array.from({ length: 100_000 }, (_, index) => meterPointNumber(2, sequence * 100_000 + index)),
      import_supplier: 'SUPPLIER_FR',
    }),
    status: 201,
    atOnce: 4,
  },
];
