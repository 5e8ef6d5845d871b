import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { accountPayloadSchema } from '../../src/accounts/account-payload.schema.ts';
import { accountFilterSchema } from '../../src/account-view/account-list.schema.ts';
import { createApiKeySchema } from '../../src/access/keys/api-key.schema.ts';
import { verificationStepSchema } from '../../src/audit-chain/audit-chain.schema.ts';
import { createBulkActionSchema } from '../../src/bulk-actions/bulk-action.schema.ts';
import { checkPageSchema } from '../../src/check/check.schema.ts';
import { createImportJobSchema } from '../../src/import-jobs/import-job.schema.ts';
import { manifestSchema } from '../../src/manifest/manifest.schema.ts';
import { overviewSchema } from '../../src/overview/overview.schema.ts';
import { createPaymentInstructionSchema } from '../../src/payment-instructions/create-payment-instruction.schema.ts';
import { searchResultSchema } from '../../src/search/search.schema.ts';
import { putImportSupplierSchema } from '../../src/suppliers/import-supplier.schema.ts';
import {
  claimDecisionSchema,
  marketMessageSchema,
  switchStatusSchema,
} from '../../src/switching/market-message.schema.ts';
import { populateSchema } from '../../src/supply-points/populate/populate.route.ts';
import { warningSentences } from '../../src/vocabulary/warnings.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { filesUnder } from '../tidy/project-files.ts';

interface UseOfSet {
  /** Where a wire schema uses the set: a schema and the path in it; `*` is each item of a list. */
  schema: readonly (readonly [schema: object, path: string])[];
  /** Columns whose CHECK uses the set. */
  check: readonly string[];
}

const POINT = 'supply_addresses.*.supply_points.*';
/** Where each closed set of src/vocabulary is used. */
const USES: Record<string, UseOfSet> = {
  accountTypes: { schema: [[accountPayloadSchema, 'account_type']], check: ['account.account_type'] },
  supplyTypes: {
    schema: [
      [accountPayloadSchema, `${POINT}.supply_type`],
      [accountPayloadSchema, 'account_contracts.*.versions.*.terms.*.supply_type'],
    ],
    check: ['supply_point.supply_type'],
  },
  paymentPreferenceTypes: {
    schema: [[accountPayloadSchema, 'payment_preferences.*.type']],
    check: ['payment_preference.type'],
  },
  paymentScheduleFrequencies: { schema: [[accountPayloadSchema, `${POINT}.payment_schedules.*.frequency`]], check: [] },
  paymentScheduleMeans: { schema: [[accountPayloadSchema, `${POINT}.payment_schedules.*.means`]], check: [] },
  keyRoles: { schema: [[createApiKeySchema, 'role']], check: ['api_key.role'] },
  keyScopes: { schema: [[createApiKeySchema, 'scope']], check: ['api_key.scope'] },
  personRoles: { schema: [], check: ['person_session.role'] },
  supplierStatuses: { schema: [[putImportSupplierSchema, 'status']], check: ['import_supplier.status'] },
  importJobKinds: { schema: [[createImportJobSchema, 'kind']], check: ['import_job.kind'] },
  importJobGoals: { schema: [[createImportJobSchema, 'goal']], check: ['import_job.goal'] },
  importJobSelections: { schema: [[createImportJobSchema, 'selection']], check: ['import_job.selection'] },
  importStatuses: { schema: [[accountFilterSchema, 'status']], check: [] },
  // Only in responses.
  partyStates: { schema: [[overviewSchema, 'parties.*.state']], check: [] },
  engineStates: { schema: [[overviewSchema, 'temporal.state']], check: [] },
  // Only in responses and query parameters.
  importJobStatuses: { schema: [], check: ['import_job.status'] },
  pauseReasons: { schema: [], check: ['import_job.paused_because'] },
  manifestStates: { schema: [], check: [] },
  manifestTypes: { schema: [[manifestSchema, 'type']], check: [] },
  lineStates: { schema: [], check: ['import_job_line.state'] },
  lineOutcomes: { schema: [], check: [] },
  foundKinds: { schema: [[searchResultSchema, 'results.*.kind']], check: [] },
  waysFound: { schema: [[searchResultSchema, 'results.*.found_by']], check: [] },
  switchStatuses: {
    schema: [[switchStatusSchema, 'status']],
    check: [
      'account.switch_status',
      'account_supply_point.switch_status',
      'market_message.status',
      'switch_change.status_before',
      'switch_change.status_after',
    ],
  },
  // Only in responses.
  messageStatuses: { schema: [], check: [] },
  marketOutcomes: { schema: [[marketMessageSchema, 'outcome']], check: ['market_message.outcome'] },
  claimDecisions: {
    schema: [
      [claimDecisionSchema, 'decision'],
      [createBulkActionSchema, 'decision'],
    ],
    check: [],
  },
  // Only in responses.
  waveStatuses: { schema: [], check: ['wave.status'] },
  wavePauseReasons: { schema: [], check: ['wave.paused_because'] },
  gateNames: { schema: [], check: [] },
  gateStates: { schema: [], check: [] },
  bulkActionKinds: { schema: [[createBulkActionSchema, 'action']], check: ['bulk_action.action'] },
  bulkActionStatuses: { schema: [], check: ['bulk_action.status'] },
  bulkOutcomes: { schema: [], check: ['bulk_action_item.outcome'] },
  withdrawalStatuses: { schema: [], check: ['withdrawal.status'] },
  withdrawalObstacles: { schema: [], check: [] },
  businessOutcomes: { schema: [], check: ['withdrawal_business.outcome'] },
  reconciliationStatuses: { schema: [], check: ['reconciliation.status'] },
  differenceSubjects: { schema: [], check: ['reconciliation_difference.subject'] },
  notQueriedReasons: { schema: [], check: [] },
  differenceKinds: { schema: [], check: ['reconciliation_difference.kind'] },
  mismatchKinds: { schema: [[checkPageSchema, 'mismatches.*.kind']], check: [] },
  auditFindingKinds: { schema: [[verificationStepSchema, 'findings.*.kind']], check: [] },
  differenceReasons: { schema: [], check: ['reconciliation_difference.reason'] },
  // Only in the database, and in labels of metrics.
  retentionClasses: { schema: [], check: ['retention.class'] },
  // On the wire it is the tag of variants, one for each member.
  transactionTypes: { schema: [], check: ['transaction.type'] },
  paymentInstructionTypes: { schema: [[createPaymentInstructionSchema, 'type']], check: ['payment_verification.type'] },
  paymentVendors: {
    schema: [[createPaymentInstructionSchema, 'vendor']],
    check: ['payment_verification.vendor', 'payment_vendor_rest.vendor'],
  },
  customerCategories: { schema: [[populateSchema, 'customer_category']], check: [] },
};

/** Sets that no request contains, so the vocabulary has none of them. */
const INNER_CHECKS: Record<string, readonly string[]> = {
  'access_token.kind': ['access', 'refresh'],
  'account_day.state': ['COMPLETED', 'created', 'known', 'refused'],
  'reconciliation.subject': ['account', 'business'],
  'person_session.signed_in_by': ['key', 'openid-connect'],
  'payment_verification.outcome': ['rejected', 'unreachable', 'verified'],
  'market_message.effect': [
    'changed-nothing',
    'dismissed',
    'fits-nothing',
    'moved',
    'unknown-account',
    'unknown-point',
    'waiting',
  ],
  'market_message.source': ['answer', 'hand', 'message'],
  'switch_request.answer': ['ACCEPTED', 'RECEIVED', 'REJECTED'],
  'look_up.network_operator': ['enedis', 'grdf'],
  'look_up.state': ['deferred', 'errored', 'imported', 'pending'],
  'population_batch.status': ['CANCELLED', 'COMPLETED', 'IN_PROGRESS'],
  'population_request.state': ['deferred', 'errored', 'imported', 'pending'],
  'throttle.network_operator': ['enedis', 'grdf'],
  'work_item.kind': [
    'bulk-action',
    'create-account',
    'deliver-events',
    'import-job',
    'look-up-supply-points',
    'populate-supply-points',
    'reconcile',
    'request-switches',
    'retention',
    'switch-supplier',
    'verify-payment-instruction',
    'wave',
    'withdraw',
  ],
  'wave_approval.decision': ['approved', 'declined'],
  'wave_approval.purpose': ['creation', 'withdrawal'],
  'work_item.state': ['signalled', 'silent', 'unreachable'],
  'audit_chain.name': ['audit'],
  'audit_verification.phase': ['anchors', 'blocks', 'entries'],
  'dispatcher_lease.name': ['work-items'],
  'event_sequence.name': ['events'],
  'event_endpoint.ended_because': ['gone', 'removed'],
};

const SCHEMA_FILES = filesUnder('src').filter((path) => path.endsWith('.schema.ts'));
const VOCABULARY_FILES = filesUnder('src/vocabulary');

const clone = await createTestDatabase();
afterAll(() => clone.drop());
const checks = await checkedSets(clone.url);
const sets = await closedSets();

test('lists every closed set of the vocabulary here', () => {
  expect([...sets.keys()].sort()).toEqual(Object.keys(USES).sort());
});

test.each(Object.entries(USES))('keeps %s equal to the enums and CHECKs that use it', (name, { schema, check }) => {
  const members = sets.get(name);
  for (const [root, path] of schema) expect({ path, members: enumAt(root, path) }).toEqual({ path, members });
  for (const column of check) expect({ column, members: checks.get(column) }).toEqual({ column, members });
});

test('lists every CHECK that closes a set here', () => {
  const listed = [...Object.values(USES).flatMap(({ check }) => check), ...Object.keys(INNER_CHECKS)];
  expect([...checks.keys()].sort()).toEqual(listed.sort());
});

test.each(Object.entries(INNER_CHECKS))('%s is closed', (column, members) => {
  expect(checks.get(column)).toEqual(members);
});

test.each(SCHEMA_FILES)('%s takes its enums from the vocabulary', async (path) => {
  // Codes of warnings are a catalogue with a sentence for each.
  const known = [...sets.values(), Object.keys(warningSentences).toSorted()].map((members) => members.join());
  const strange = enumsIn(await import(`../../${path}`))
    .map((members) => members.join())
    .filter((members) => !known.includes(members));
  expect(strange).toEqual([]);
});

/** The value sets that src/vocabulary exports separately; the describing ones are in one table. */
async function closedSets(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const path of VOCABULARY_FILES) {
    for (const [name, value] of Object.entries((await import(`../../${path}`)) as object)) {
      const origins: string[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
      if (origins.length > 0 && origins.every((origin) => ['specified', 'seen', 'relative', 'own'].includes(origin))) {
        found.set(name, Object.keys(value).sort());
      }
    }
  }
  return found;
}

/** `table.column` -> the strings that its CHECK allows, for CHECKs of the form `column in (...)`. */
async function checkedSets(url: string): Promise<Map<string, string[]>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string; definition: string }>(`
      select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
      where contype = 'c' and connamespace = 'public'::regnamespace`);
    return new Map(
      rows.flatMap(({ table, definition }) => {
        const [, column, values] =
          /^CHECK \(\(+(\w+) = (?:ANY \(ARRAY\[(?=(.*)\]\)\)+$)|(?=('[^']*'::text)\)+$))/
            .exec(definition)
            ?.filter((part) => part !== undefined) ?? [];
        return column && values
          ? [
              [
                `${table}.${column}`,
                [...values.matchAll(/'([^']*)'::text/g)].map(([, value]) => value as string).sort(),
              ] as const,
            ]
          : [];
      }),
    );
  } finally {
    await client.end();
  }
}

interface Node {
  properties?: Record<string, Node>;
  items?: Node;
  oneOf?: Node[];
  enum?: (string | null)[];
}

function enumAt(root: object, path: string): string[] | undefined {
  let node: Node | undefined = root;
  for (const part of path.split('.')) {
    const variants: Node[] = node?.oneOf ?? (node ? [node] : []);
    node = part === '*' ? node?.items : variants.find(({ properties }) => properties?.[part])?.properties?.[part];
  }
  return node?.enum?.filter((member) => member !== null).toSorted();
}

/** Every enum inside a value, at any depth. */
function enumsIn(value: unknown, seen = new Set<unknown>()): string[][] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  const inner = Object.values(value).flatMap((member) => enumsIn(member, seen));
  const own = (value as Node).enum;
  // Null: not known yet.
  return Array.isArray(own) ? [own.filter((member) => member !== null).toSorted(), ...inner] : inner;
}
