import { Agent } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount, meterPointNumber, supplyPoint } from '../support/account-payload.ts';
import { payment } from '../support/attachments.ts';
import { startApi, type ApiProcess } from '../support/api-process.ts';
import { send, startService, type Service } from '../support/harness.ts';
import { until } from '../support/until.ts';
import type { WatchedLoop } from '../support/watched-loop.ts';
import { sendOne, type AttackRequest } from './attack-load.ts';

// Large bodies in many forms, at once. What they cost the event loop is printed (FIGURES=1) and is no check: it depends on the machine.

const LIMIT = 1_048_576;
const MEMORY_MB_KEPT = 50;
const [VALIDATE, STAGE] = [
  '/v1/data-import/validate-account/',
  '/v1/data-import/account-import-process/create-or-update/',
];

let service: Service;
let api: ApiProcess;
let tokens: string[];
beforeAll(async () => {
  service = await startService({ worker: true });
  api = await startApi(service, {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, '../support/watched-loop.ts')}`,
    // Here every one is to be worked on, however slow the machine is.
    LARGE_BODY_WAIT_MS: '600000',
    HTTP_CONNECTIONS_PER_ADDRESS_MAX: '0',
  });
  tokens = await Promise.all(Array.from({ length: 5 }, () => service.supplierToken(['SUPPLIER_FR'])));
  for (let sequence = 0; sequence < 16; sequence += 1) await create(sequence);
  for (let round = 0; round < 100; round += 1) {
    await send(api.url, 'POST', VALIDATE, { token: tokens[0]!, body: small() });
  }
}, 120_000);
afterAll(async () => {
  await api?.kill();
  await service?.stop();
});

/** An account that something can be attached to. */
async function create(sequence: number): Promise<void> {
  const token = tokens[0]!;
  const body = small({ external_account_number: `BIG-${sequence}` }, 900_000 + sequence);
  expect((await service.call('POST', STAGE, { token, body })).status).toBe(201);
  const request = {
    external_account_number: `BIG-${sequence}`,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  const path = '/v1/data-import/account-import-process/process/';
  expect((await service.call('POST', path, { token, body: request })).status).toBe(201);
}

async function watched(): Promise<WatchedLoop> {
  const lines = () => api.log.filter((line) => line.startsWith('{"watchedLoop"'));
  const known = lines().length;
  process.kill(api.pid, 'SIGUSR2');
  await until(() => lines().length > known, 10);
  return (JSON.parse(lines().at(-1)!) as { watchedLoop: WatchedLoop }).watchedLoop;
}

const small = (overrides: object = {}, sequence = 1) =>
  domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `L-${sequence}`, ...overrides }, sequence);

/** As many items as fit into a body beside a small account. */
function many(item: (index: number) => unknown, mostItems = Number.POSITIVE_INFINITY): unknown[] {
  const items: unknown[] = [];
  for (let left = LIMIT - 8_000; left > 0 && items.length < mostItems;) {
    items.push(item(items.length));
    left -= Buffer.byteLength(JSON.stringify(items.at(-1))) + 1;
  }
  return items.slice(0, -1);
}

/** More names than an account has, all of which have one hash of FNV-1a, which the service used without a secret. */
function namesOfOneHash(): string[] {
  let hash = 0x811c9dc5 | 0;
  let names = [''];
  const hashed = (text: string) => {
    let next = hash;
    for (let at = 0; at < text.length; at += 1) next = Math.imul(next ^ text.charCodeAt(at), 0x01000193);
    return next;
  };
  for (let block = 0; block < 5; block += 1) {
    const seen = new Map<number, string>();
    let pair: [string, string] | undefined;
    for (let count = 0; pair === undefined; count += 1) {
      const text = count.toString(36).padStart(5, '0');
      const known = seen.get(hashed(text));
      if (known !== undefined) pair = [known, text];
      seen.set(hashed(text), text);
    }
    names = names.flatMap((name) => pair.map((end) => name + end));
    hash = hashed(pair[0]);
  }
  return names;
}

const foreignNumbers = (index: number) => ({
  given_name: `Given ${index}`,
  family_name: 'Family',
  email: `c${index}@example.org`,
  mobile: `+4930${1_000_000 + index}`,
  landline: `+3247${1_000_000 + index}`,
});
const unknownMembers = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index.toString(36).padStart(5, '0')}ab":12345`).join(',')}}`;
const oneHash = Object.fromEntries(namesOfOneHash().map((name) => [name, 1]));
const withMetadata = (value: object, sequence: number) => small({ metadata: [{ key: 'a', value }] }, sequence);

const NOBODY = { import_supplier: 'SUPPLIER_FR', external_account_number: 'NONE' };
const attachedTo = (sequence: number) => ({
  import_supplier: 'SUPPLIER_FR',
  external_account_number: `BIG-${sequence}`,
});
const decimal = `${'9'.repeat(27)}.${'9'.repeat(12)}`;
const charge = {
  transaction_id: 'T',
  transaction_date: '2026-01-01',
  amount: 1,
  type: 'SUPPLY_CHARGE',
  product_code: 'P',
  display_note: 'N',
  line_items: [
    {
      start_date: '2026-01-01',
      end_date: '2026-01-02',
      number_of_units: 1,
      net_amount: decimal,
      price_per_unit: 1,
      rate_band: '',
      units: [1, 2],
    },
  ],
  tax_items: many(() => ({
    amount: decimal,
    tax_type: 'VAT',
    value_taxed: decimal,
    rate: '0.2',
    unit_type: 'PROPORTION',
  })),
};

interface Shape {
  name: string;
  path: string;
  make: (sequence: number) => string | object;
  status: number;
  atOnce?: number;
  isGzipped?: boolean;
}

const shapes: Shape[] = [
  {
    name: 'accounts of 9,900 customers with foreign phone numbers, validated',
    path: VALIDATE,
    make: (sequence) => small({ customers: many(foreignNumbers, 9_900) }, sequence),
    status: 200,
  },
  {
    name: 'the same, staged',
    path: STAGE,
    make: (sequence) => small({ customers: many(foreignNumbers, 9_900) }, 2_000 + sequence),
    status: 201,
  },
  {
    name: 'accounts with blanks around every text',
    path: VALIDATE,
    make: (sequence) =>
      small({ customers: many(() => ({ given_name: ' x ', family_name: ' y ', title: ' ' }), 9_900) }, sequence),
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
    make: () =>
      businessAccount({
        import_supplier: 'SUPPLIER_FR',
        account_contracts: many((index) => businessAccount({}, index).account_contracts![0]) as never,
      }),
    status: 200,
  },
  {
    name: 'accounts of 9,900 faulty customers',
    path: VALIDATE,
    make: () =>
      small({
        customers: many(
          (index) => ({ given_name: 'x', family_name: '', mobile: `+49${index}`, email: `@${index}` }),
          9_900,
        ),
      }),
    status: 400,
  },
  {
    name: 'accounts with 90,000 halves of characters',
    path: VALIDATE,
    make: (sequence) =>
      JSON.stringify(withMetadata({ a: Array(90_000).fill('HALF') }, sequence)).replaceAll('HALF', '\\ud800'),
    status: 400,
  },
  {
    name: 'accounts with 90,000 texts of no meaning, staged',
    path: STAGE,
    make: (sequence) => withMetadata({ a: many((index) => `t${index}`, 90_000) }, 1_000 + sequence),
    status: 201,
  },
  { name: '48,000 unknown members', path: VALIDATE, make: () => unknownMembers(48_000), status: 413 },
  { name: '9,500 unknown members', path: VALIDATE, make: () => unknownMembers(9_500), status: 400 },
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
    make: (sequence) => withMetadata({ a: many(() => oneHash) }, sequence),
    status: 200,
  },
  {
    name: 'no JSON at its end',
    path: VALIDATE,
    make: (sequence) => JSON.stringify(small({ customers: many(foreignNumbers, 9_900) }, sequence)).slice(0, -1),
    status: 400,
  },
  {
    name: 'compressed accounts',
    path: VALIDATE,
    make: (sequence) => small({ customers: many(foreignNumbers, 9_900) }, sequence),
    status: 200,
    isGzipped: true,
  },
  {
    name: '100 compressed bodies of 48,000 unknown members',
    path: VALIDATE,
    make: () => unknownMembers(48_000),
    status: 413,
    atOnce: 100,
    isGzipped: true,
  },
  {
    name: 'transactions with many tax items',
    path: '/v1/data-import/transactions/create/',
    make: () => ({ ...NOBODY, transactions: [charge] }),
    status: 400,
  },
  {
    name: 'payments',
    path: '/v1/data-import/transactions/create/',
    make: () => ({
      ...NOBODY,
      transactions: many((index) => ({
        transaction_id: `T${index}`,
        transaction_date: '2026-01-01',
        amount: '1.25',
        type: 'PAYMENT',
        display_note: 'note',
      })),
    }),
    status: 400,
  },
  {
    name: 'notes',
    path: '/v1/data-import/notes/create/',
    make: () => ({ ...NOBODY, notes: many((index) => ({ body: `a note of some length ${index}`, is_pinned: false })) }),
    status: 400,
  },
  {
    name: 'notes of an account that is there',
    path: '/v1/data-import/notes/create/',
    make: (sequence) => ({
      ...attachedTo(sequence),
      notes: many((index) => ({ body: `a note of some length ${index}`, is_pinned: false }), 9_900),
    }),
    status: 201,
  },
  {
    name: 'payments of an account that is there',
    path: '/v1/data-import/transactions/create/',
    make: (sequence) => ({ ...attachedTo(sequence), transactions: many((index) => payment(`T${index}`), 9_900) }),
    status: 201,
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

function requestsOf({ path, make, isGzipped = false, atOnce = 16 }: Shape): AttackRequest[] {
  return Array.from({ length: atOnce }, (_, index) => {
    const made = make(index);
    const bytes = Buffer.from(typeof made === 'string' ? made : JSON.stringify(made));
    return { method: 'POST', path, body: isGzipped ? gzipSync(bytes) : bytes, isGzipped, token: tokens[index % 5]! };
  });
}

test.each(shapes.map((shape) => [shape.name, shape] as const))(
  'large bodies at once are all answered, and little is kept of them: %s',
  async (name, shape) => {
    const requests = requestsOf(shape);
    const agent = new Agent();
    await watched();
    const began = performance.now();
    const answers = await Promise.all(requests.map((request) => sendOne({ url: api.url, token: '' }, request, agent)));
    const seconds = (performance.now() - began) / 1_000;
    agent.destroy();
    const figures = await watched();
    if (process.env['FIGURES']) {
      const { longestMs, longestCpuMs, peakMb, keptMb, residentMb } = figures;
      process.stdout.write(
        `| ${requests.length} x ${name} | ${longestMs} | ${longestCpuMs} | ${peakMb} | ${keptMb} | ${residentMb} | ${seconds.toFixed(1)} s, ${answers[0]!.status} |\n`,
      );
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([String(shape.status)]));
    expect(figures.keptMb).toBeLessThan(MEMORY_MB_KEPT);
  },
  120_000,
);
