import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { domesticAccount, meterPointNumber } from '../support/account-payload.ts';
import {
  attackersAddress,
  flood,
  post,
  sendOne,
  type Answers,
  type Attack,
  type AttackRequest,
  type Flood,
  type Target,
} from './attack-load.ts';
import { readResults, unreadResults } from './result-attacks.ts';

// The attacks on a running service. Every attack ends after a count, a time, or both. The attackers have their own
// token (import supplier ATTACKER) and use other addresses of this machine than the bystander.

const V1 = '/v1/data-import';
const STAGE = `${V1}/account-import-process/create-or-update/`;
const CREATE = `${V1}/account-import-process/process/`;
const POPULATE = `${V1}/supply-point/populate/`;
const SECONDS = 4;
/** Just below the largest accepted body, and far above it. */
const [LARGE, HUGE] = [990_000, 8_000_000];

const flooding = (name: string, make: (target: Target) => Flood): Attack => ({
  name,
  isFlood: true,
  prepare: async (target) => {
    const made = make(target);
    return () => flood(target, made);
  },
});

/** Each of the bodies in turn. */
const alternating = (requests: readonly AttackRequest[]) => (index: number) =>
  requests[index % requests.length] as AttackRequest;

function longDecimals(): AttackRequest[] {
  const tax = { amount: '1', tax_type: 'VAT', value_taxed: '1', rate: '0.2', unit_type: 'PROPORTION' };
  const charge = (netAmount: string, taxes: object[]) =>
    post(
      `${V1}/transactions/create/`,
      {
        import_supplier: 'ATTACKER',
        external_account_number: 'NONE',
        transactions: [
          {
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
                net_amount: netAmount,
                price_per_unit: 1,
                rate_band: '',
                units: [1, 2],
              },
            ],
            tax_items: taxes,
          },
        ],
      },
      { isGzipped: true },
    );
  const long = (digits: number) => `0.${'0'.repeat(digits)}1`;
  // The longest accepted decimals, so that the sums are computed.
  const allowed = {
    ...tax,
    amount: `${'9'.repeat(27)}.${'9'.repeat(12)}`,
    value_taxed: `${'9'.repeat(27)}.${'9'.repeat(12)}`,
  };
  return [
    charge(long(100_000), Array(2_000).fill(tax)),
    charge(long(500_000), Array(5_000).fill(tax)),
    charge(`${'9'.repeat(27)}.${'9'.repeat(12)}`, Array(5_000).fill(allowed)),
  ];
}

const nested = (bytes: number) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);
const unknownKeys = (bytes: number) =>
  `{${Array.from({ length: Math.floor(bytes / 12) }, (_, index) => `"k${index.toString(36).padStart(5, '0')}":1`).join(',')}}`;
const exponents = (bytes: number) =>
  `{"details":[${Array(Math.floor(bytes / 4))
    .fill('1e1')
    .join(',')}]}`;

function oddBodies(make: (bytes: number) => string): AttackRequest[] {
  return [`${V1}/business/`, `${V1}/business-contracts/create/`].flatMap((path) =>
    [LARGE, HUGE].map((bytes) => post(path, make(bytes))),
  );
}

const gzipped = (): AttackRequest[] =>
  [nested, unknownKeys, exponents].flatMap((make) =>
    [LARGE, HUGE].map((bytes) => post(`${V1}/business/`, make(bytes), { isGzipped: true })),
  );

/** A valid account of nearly 1 MB: many customers with foreign telephone numbers. */
function largeAccount(sequence: number, customers: number): object {
  const numbers = ['+4915112345678', '+447400123456', '+393123456789', '+34612345678', '+32470123456', '+41781234567'];
  const base = domesticAccount(
    { import_supplier: 'ATTACKER', external_account_number: `LARGE-${sequence}` },
    5_000_000 + sequence,
  );
  return {
    ...base,
    customers: Array.from({ length: customers }, (_, index) => ({
      title: 'M.',
      given_name: `Given ${index}`,
      family_name: `Family ${sequence}`,
      email: `c${index}.${sequence}@example.org`,
      mobile: numbers[index % numbers.length],
      landline: numbers[(index + 1) % numbers.length],
      date_of_birth: '1970-01-01',
    })),
  };
}
const CUSTOMERS = 4_500;

const idleConnections: Attack = {
  name: '6,000 idle connections',
  prepare:
    async ({ url, seconds = SECONDS }) =>
    async () => {
      const { hostname, port } = new URL(url);
      const answers: Answers = {};
      const note = (what: string) => {
        answers[what] = (answers[what] ?? 0) + 1;
      };
      const sockets: Socket[] = [];
      for (let index = 0; index < 6_000; index += 1) {
        const localAddress = attackersAddress(index % 6);
        const socket = connect({
          host: hostname,
          port: Number(port),
          ...(localAddress === undefined ? {} : { localAddress }),
        });
        socket.once('connect', () => note('opened'));
        socket.once('error', (error: NodeJS.ErrnoException) => note(error.code ?? 'broken'));
        socket.once('end', () => note('closed by the service'));
        sockets.push(socket);
        if (index % 100 === 99) await sleep(20);
      }
      await sleep(seconds * 1_000);
      for (const socket of sockets) socket.destroy();
      return answers;
    },
};

const randomToken = () => `gwa_${randomBytes(32).toString('base64url')}`;
const loginOf = (key: string) => ({
  ...post('/graphql/', { query: `mutation { obtainToken(input: { APIKey: "${key}" }) { token } }` }),
  token: null,
});

const largeCreations: Attack = {
  name: '12 large accounts in creation',
  watched: 'create',
  quietSeconds: 5,
  prepare: async (target) => {
    const agent = new Agent({ keepAlive: true });
    const names = Array.from({ length: 12 }, (_, index) => index);
    for (const sequence of names) {
      const staged = await sendOne(target, post(STAGE, largeAccount(sequence, CUSTOMERS)), agent);
      if (staged.status !== '201') {
        throw new Error(`staging was answered ${staged.status}: ${staged.text.slice(0, 500)}`);
      }
    }
    return async () => {
      const answers: Answers = {};
      const endsAt = performance.now() + 20_000;
      await Promise.all(
        names.map(async (sequence) => {
          for (let isDone = false; !isDone && performance.now() < endsAt;) {
            const { status } = await sendOne(
              target,
              post(CREATE, {
                import_supplier_code: 'ATTACKER',
                external_account_number: `LARGE-${sequence}`,
                operations_team_name: 'Migration',
              }),
              agent,
            );
            answers[status] = (answers[status] ?? 0) + 1;
            isDone = status !== '503' && status !== '429';
          }
        }),
      );
      agent.destroy();
      return answers;
    };
  },
};

const points = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => meterPointNumber(2, 30_000_000 + from + index));

const manyBatches: Attack = {
  name: 'batches of 1,000 points',
  watched: 'look up',
  quietSeconds: 6,
  prepare: async (target) => {
    // Lookups are slow as well: a caller behind all of them would wait five minutes.
    const count = target.seconds === undefined ? 60 : 15;
    const batches = Array.from({ length: count }, (_, index) =>
      post(POPULATE, { prm_ids: points(index * 1_000, 1_000) }),
    );
    return async () => {
      const answers = await flood(target, { connections: 20, seconds: 10, count, next: alternating(batches) });
      // The batch is looked up meanwhile: the bystander requests lookups once a second.
      await sleep(2_000 * (target.seconds ?? SECONDS));
      return answers;
    };
  },
};

const largeStatusCalls: Attack = {
  name: '60 concurrent status calls of a batch of 20,000 points',
  prepare: async (target) => {
    const agent = new Agent();
    const { status, text } = await sendOne(target, post(POPULATE, { prm_ids: points(1_000_000, 20_000) }), agent);
    if (status !== '201') throw new Error(`the batch was answered ${status}: ${text.slice(0, 500)}`);
    const { batch_id: batchId } = JSON.parse(text) as { batch_id: string };
    return () =>
      flood(target, {
        connections: 60,
        seconds: SECONDS,
        next: () => ({ method: 'GET', path: `${POPULATE}${batchId}/` }),
      });
  },
};

/** In order of execution: the last ones leave lookups in progress. */
export const attacks: readonly Attack[] = [
  flooding('decimals of 100,000 characters', () => ({
    connections: 8,
    seconds: SECONDS,
    next: alternating(longDecimals()),
  })),
  flooding('nested arrays', () => ({ connections: 8, seconds: SECONDS, next: alternating(oddBodies(nested)) })),
  flooding('unknown members', () => ({ connections: 8, seconds: SECONDS, next: alternating(oddBodies(unknownKeys)) })),
  flooding('lists of 1e1', () => ({ connections: 8, seconds: SECONDS, next: alternating(oddBodies(exponents)) })),
  flooding('bodies of 30 kB with 20,000 faults', () => ({
    connections: 16,
    seconds: SECONDS,
    next: alternating([
      post(`${V1}/business-contracts/create/`, { business_contracts: Array(9_900).fill({}) }),
      post(`${V1}/historical-statements/create/`, { statements: Array(9_900).fill({}) }),
    ]),
  })),
  flooding('120 concurrent compressed bodies', () => ({
    connections: 120,
    seconds: SECONDS,
    next: alternating(gzipped()),
  })),
  flooding('16 concurrent valid accounts of nearly 1 MB', (target) => ({
    connections: 16,
    seconds: SECONDS,
    count: target.seconds === undefined ? 48 : 16,
    next: alternating(
      Array.from({ length: 16 }, (_, index) => post(`${V1}/validate-account/`, largeAccount(index, CUSTOMERS))),
    ),
  })),
  idleConnections,
  flooding('random tokens from one address', () => ({
    connections: 100,
    seconds: SECONDS,
    next: () => ({ method: 'GET', path: `${V1}/all-account-import-processes/ATTACKER/`, token: randomToken() }),
  })),
  flooding('random tokens from 100 addresses', () => ({
    connections: 100,
    addresses: 100,
    seconds: SECONDS,
    next: () => ({ method: 'GET', path: `${V1}/all-account-import-processes/ATTACKER/`, token: randomToken() }),
  })),
  flooding('readiness 800 times a second', () => ({
    connections: 50,
    seconds: SECONDS,
    perSecond: 800,
    next: () => ({ method: 'GET', path: '/healthz/ready', token: null }),
  })),
  flooding('800 concurrent failed log-ins', () => ({
    connections: 200,
    seconds: SECONDS,
    count: 800,
    next: () => loginOf(`gwk_${randomBytes(32).toString('base64url')}`),
  })),
  readResults,
  unreadResults,
  largeCreations,
  manyBatches,
  largeStatusCalls,
];
