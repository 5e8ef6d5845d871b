import { businessContract } from '../support/account-payload.ts';
import { businessRequest } from '../support/business-payload.ts';
import { LIST_ITEMS, many, refusedAnywhere, withHalves, type Shape } from './large-body.ts';

const [BUSINESSES, CONTRACTS] = ['/v1/data-import/business/', '/v1/data-import/business-contracts/create/'];
const DAY_MS = 86_400_000;

/** A contract of few bytes. */
const shortContract = (identifier: string, terms: unknown[] = []) => ({
  identifier,
  valid_from_date: '2024-01-01',
  versions: [{ applicable_at_date: '2024-01-01', terms }],
});
const dayAfter = (days: number) => new Date(Date.UTC(2024, 0, 1) + days * DAY_MS).toISOString().slice(0, 10);

const business = (sequence: number, overrides: object) => businessRequest(overrides, sequence);
const named = (number: number) => ({
  import_supplier_code: 'SUPPLIER_FR',
  external_business_identifier: `WORKS-${number}`,
});
/** Operation 13 for an existing business. */
const contractsOf = (sequence: number, contracts: unknown[]) => ({
  ...named(SMALL + sequence),
  business_contracts: contracts,
});

/** First numbers of the businesses; each shape has its own. */
const [SMALL, DETAILED, CONTRACTED, SHORT, VERSIONED, TERMED, OPAQUE] = [
  10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000,
] as const;

const smallBusinesses: Shape = {
  name: 'small businesses',
  path: BUSINESSES,
  make: (sequence) => business(SMALL + sequence, {}),
  status: 201,
};
const shortContracts: Shape = {
  name: 'businesses of 8,000 short contracts',
  path: BUSINESSES,
  make: (sequence) =>
    business(SHORT + sequence, {
      business_contracts: many((index) => shortContract(`S${sequence}-${index}`), LIST_ITEMS),
    }),
  status: 201,
};
const addedContracts: Shape = {
  name: 'contracts of a business that is there',
  path: CONTRACTS,
  make: (sequence) =>
    contractsOf(
      sequence,
      many((index) => businessContract(`ADDED-${sequence}-${index}`)),
    ),
  status: 201,
  first: smallBusinesses,
};

const businesses: Shape[] = [
  {
    name: `businesses of ${LIST_ITEMS} details`,
    path: BUSINESSES,
    make: (sequence) =>
      business(DETAILED + sequence, {
        details: many(
          (index) => ({ key: `key ${index}`, value: `a value of some length ${index}, of many` }),
          LIST_ITEMS,
        ),
      }),
    status: 201,
  },
  {
    name: 'businesses of many contracts',
    path: BUSINESSES,
    make: (sequence) =>
      business(CONTRACTED + sequence, {
        business_contracts: many((index) => businessContract(`MANY-${sequence}-${index}`)),
      }),
    status: 201,
  },
  shortContracts,
  { ...shortContracts, name: 'the same businesses again', first: shortContracts },
  {
    name: 'the same businesses with other contracts',
    path: BUSINESSES,
    make: (sequence) =>
      business(SHORT + sequence, {
        company_name: 'Another',
        business_contracts: many((index) => shortContract(`T${sequence}-${index}`), LIST_ITEMS),
      }),
    status: 400,
    first: shortContracts,
  },
  {
    name: 'businesses with a contract of many versions',
    path: BUSINESSES,
    make: (sequence) =>
      business(VERSIONED + sequence, {
        business_contracts: [
          {
            ...shortContract(`V${sequence}`),
            versions: many((index) => ({ applicable_at_date: dayAfter(index), terms: [] }), LIST_ITEMS),
          },
        ],
      }),
    status: 201,
  },
  {
    name: 'businesses with a version of many terms',
    path: BUSINESSES,
    make: (sequence) =>
      business(TERMED + sequence, {
        business_contracts: [
          shortContract(
            `U${sequence}`,
            many(
              (index) => ({ term_type: 'DELAYER_DAYS', strategy: `FIXED ${index}`, days: index, is_variable: false }),
              LIST_ITEMS,
            ),
          ),
        ],
      }),
    status: 201,
  },
  {
    name: 'businesses with 90,000 texts of no meaning',
    path: BUSINESSES,
    make: (sequence) =>
      business(OPAQUE + sequence, {
        business_contracts: [
          shortContract(`O${sequence}`, [
            { term_type: 'CONTRACT_METADATA', metadata: { a: many((index) => `t${index}`, 90_000) } },
          ]),
        ],
      }),
    status: 201,
  },
  {
    name: 'businesses with 90,000 halves of characters',
    path: BUSINESSES,
    make: (sequence) =>
      withHalves(
        business(SMALL + sequence, {
          business_contracts: [
            shortContract('H', [{ term_type: 'CONTRACT_METADATA', metadata: { a: Array(90_000).fill('HALF') } }]),
          ],
        }),
      ),
    status: 400,
  },
  {
    name: `businesses of ${LIST_ITEMS} details of one key`,
    path: BUSINESSES,
    make: (sequence) =>
      business(SMALL + sequence, { details: many(() => ({ key: 'siren', value: '1'.repeat(70) }), LIST_ITEMS) }),
    status: 400,
  },
  {
    name: 'businesses with a SIRET of 1 MB',
    path: BUSINESSES,
    make: (sequence) => business(SMALL + sequence, { siret: `1${'. '.repeat(500_000)}1` }),
    status: 400,
  },
  {
    name: 'businesses of contracts of one label',
    path: BUSINESSES,
    make: (sequence) =>
      business(SMALL + sequence, { business_contracts: many(() => shortContract('ONE'), LIST_ITEMS) }),
    status: 400,
  },
  {
    name: 'businesses with a contract of terms of no type',
    path: BUSINESSES,
    make: (sequence) =>
      business(SMALL + sequence, {
        business_contracts: [
          shortContract(
            'N',
            many((index) => ({ term_type: `NONE ${index}`, days: 'x' }), LIST_ITEMS),
          ),
        ],
      }),
    status: 400,
  },
  {
    name: 'businesses with versions of one day',
    path: BUSINESSES,
    make: (sequence) =>
      business(SMALL + sequence, {
        business_contracts: [
          {
            ...shortContract('D'),
            versions: many(() => ({ applicable_at_date: '2024-01-02', terms: [] }), LIST_ITEMS),
          },
        ],
      }),
    status: 400,
  },
  ...refusedAnywhere(BUSINESSES, named(SMALL), 'business'),
];

const contracts: Shape[] = [
  addedContracts,
  { ...addedContracts, name: 'contracts that are there already', status: 400, first: addedContracts },
  {
    name: 'contracts of faulty schedules',
    path: CONTRACTS,
    make: (sequence) =>
      contractsOf(sequence, [
        shortContract('F', [
          {
            term_type: 'PRODUCT_RATE_OVERRIDE_SCHEDULE',
            schedules: many(
              () => ({ effective_from: 'x', items: [{ price_per_unit: 'x', rate_band: '' }] }),
              LIST_ITEMS,
            ),
          },
        ]),
      ]),
    status: 400,
  },
  ...refusedAnywhere(CONTRACTS, named(SMALL), 'business_contracts'),
];

/** Businesses, and contracts that are added to them. */
export const largeBusinesses: readonly Shape[] = [...businesses, ...contracts];
