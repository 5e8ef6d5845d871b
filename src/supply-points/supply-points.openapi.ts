import { Type } from 'typebox';
import type { ParameterContract, RouteContract } from '../platform/http/route-contract.ts';
import { answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { customerCategories } from '../vocabulary/value-sets.ts';
import { populateSchema } from './populate.schema.ts';
import { putThrottleSchema } from './throttle.schema.ts';

const BATCH = '0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77';
const batchPath: Readonly<Record<string, ParameterContract>> = {
  batch: { description: 'The batch_id that operation 14 answered.', example: BATCH },
};
const operatorPath: Readonly<Record<string, ParameterContract>> = {
  operator: { description: 'The network operator: `enedis` or `grdf`.', example: 'enedis', schema: { type: 'string' } },
};
const instant = () => Type.String({ format: 'date-time', minLength: 1 });
const nullableInstant = () =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', minLength: 1 });
/** Operation 14. */
export const populateContract: RouteContract = {
  operationId: 'populateSupplyPoints',
  tag: 'Supply points',
  summary: 'Have supply points looked up at the network operators',
  description:
    'Answers as soon as the batch is written down. An identifier that several batches name is asked for once; one that was looked up lately counts at once. An identifier in both lists is a warning in the status. `customer_authorisation` says that the customers have authorised the questions, which Enedis SGE is told; left out, the option of your organisation holds, which is false unless operators set it. The batch belongs to `import_supplier`, or to all import suppliers of the key.',
  request: populateSchema,
  rules: {
    import_supplier: ['invalid_choice'],
    '': ['empty', 'max_length', 'max_depth'],
    'prm_ids.*': ['invalid_prm'],
    'pce_ids.*': ['invalid_pce'],
  },
  requestExamples: {
    'electricity and gas': {
      prm_ids: ['25014987360042', '25014987360059'],
      pce_ids: ['03628810476215', 'GI153881'],
      customer_category: 'Domestic',
    },
    'with authorisation': { prm_ids: ['25014987360042'], customer_authorisation: true, import_supplier: 'SUPPLIER_FR' },
  },
  replies: {
    201: {
      description: 'The batch is written down and will be worked off.',
      schema: Type.Object({ batch_id: Type.String() }, { title: 'PopulationBatchId' }),
      example: { batch_id: BATCH },
    },
  },
  refusals: ['validation_failed', 'permission_denied'],
};

const byList = (description: string) =>
  Type.Object({ prm_ids: Type.Integer(), pce_ids: Type.Integer() }, { description });
const identifiers = () => Type.Object({ prm_ids: Type.Array(Type.String()), pce_ids: Type.Array(Type.String()) });
const setAside = () =>
  Type.Array(Type.Object({ id: Type.String(), tries: Type.Integer(), next_attempt_at: instant() }));
const facts = () => Type.Unsafe<Record<string, string | number> | null>({ type: ['object', 'null'], opaque: true });
const results = () =>
  Type.Array(Type.Object({ id: Type.String(), facts: facts(), source: answeredText(), looked_up_at: instant() }));
const errored = () => Type.Array(Type.Object({ id: Type.String(), errored_reason: Type.String() }));

const batchStatus = () =>
  Type.Unsafe<string>({ type: 'string', minLength: 1, enum: ['IN_PROGRESS', 'COMPLETED', 'CANCELLED'] });
const batchOwners = () => Type.Array(Type.String(), { description: 'Whom the batch belongs to.' });
const batchCounts = () =>
  Type.Object({
    accepted: byList('Each identifier once.'),
    imported: byList('Looked up.'),
    pending: byList('Not settled yet.'),
    errored: byList('Ended with a reason.'),
  });

/** `GET supply-point/populate/`. */
export const listBatchesContract: RouteContract = {
  operationId: 'listPopulationBatches',
  tag: 'Supply points',
  summary: 'List the newest batches of supply points',
  description:
    "The batches of your organisation whose import suppliers are all your key's, newest first. A batch whose `batch_id` did not reach you is found here by its time and its counts.",
  page: 'docs/suppliers/supply-points.md',
  query: {
    limit: {
      description: 'Batches per page, 20 unless given; the header Link then leads to older ones.',
      example: 20,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'Where a page begins; taken from the Link of the page before.',
      example: BATCH,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The batches, without their identifiers.',
      hasLink: true,
      schema: Type.Array(
        Type.Object(
          {
            batch_id: Type.String(),
            status: batchStatus(),
            import_suppliers: batchOwners(),
            counts: batchCounts(),
            created_at: instant(),
            ended_at: nullableInstant(),
          },
          { title: 'ListedPopulationBatch' },
        ),
      ),
      example: [
        {
          batch_id: BATCH,
          status: 'COMPLETED',
          import_suppliers: ['SUPPLIER_FR'],
          created_at: '2026-11-20T17:00:10.000Z',
          ended_at: '2026-11-20T17:00:12.000Z',
          counts: {
            accepted: { prm_ids: 3, pce_ids: 1 },
            imported: { prm_ids: 2, pce_ids: 1 },
            pending: { prm_ids: 0, pce_ids: 0 },
            errored: { prm_ids: 1, pce_ids: 0 },
          },
        },
      ],
    },
  },
  refusals: ['validation_failed'],
};

const batchReply: RouteContract['replies'] = {
  200: {
    description: 'The batch as it stands; imported, pending and errored always add up to accepted.',
    schema: Type.Object(
      {
        batch_id: Type.String(),
        status: batchStatus(),
        import_suppliers: batchOwners(),
        customer_category: requiredChoice(customerCategories),
        customer_authorisation: Type.Boolean({
          description:
            'The customers have authorised the questions: said by the request, or by the option of the organisation.',
        }),
        counts: batchCounts(),
        rate_per_second: Type.Number({ description: 'Identifiers settled a second, lately.' }),
        estimated_end: nullableInstant(),
        created_at: instant(),
        ended_at: nullableInstant(),
        imported_requests: identifiers(),
        imported_results: Type.Object(
          { prms: results(), pces: results() },
          {
            description:
              'What was found for the imported ones, at most 1,000 of each; the next ones with `prm_after` and `pce_after`. `facts` is null where it was found with an authorisation that the batch does not have.',
          },
        ),
        pending_requests: identifiers(),
        set_aside_requests: Type.Object(
          { prms: setAside(), pces: setAside() },
          {
            description:
              'Those of the pending ones that the operator has failed on, and when they are asked for again.',
          },
        ),
        errored_requests: Type.Object({ prms: errored(), pces: errored() }),
        truncated: Type.Boolean({ description: 'A list is shorter than its count; `limit` shows more.' }),
        warnings: Type.Object({
          repeated: Type.Integer(),
          in_both_lists: Type.Object({ count: Type.Integer(), identifiers: Type.Array(Type.String()) }),
        }),
      },
      { title: 'PopulationBatch' },
    ),
    example: {
      batch_id: BATCH,
      status: 'IN_PROGRESS',
      import_suppliers: ['SUPPLIER_FR'],
      customer_category: 'Domestic',
      customer_authorisation: true,
      counts: {
        accepted: { prm_ids: 3, pce_ids: 1 },
        imported: { prm_ids: 1, pce_ids: 1 },
        pending: { prm_ids: 1, pce_ids: 0 },
        errored: { prm_ids: 1, pce_ids: 0 },
      },
      rate_per_second: 2.69,
      estimated_end: '2026-11-20T17:00:12.000Z',
      created_at: '2026-11-20T17:00:10.000Z',
      ended_at: null,
      imported_requests: { prm_ids: ['25014987360042'], pce_ids: ['03628810476215'] },
      imported_results: {
        prms: [
          {
            id: '25014987360042',
            facts: { segment: 'C5', subscribed_power: '9 kVA' },
            source: 'enedis-sge',
            looked_up_at: '2026-11-20T17:00:11.000Z',
          },
        ],
        pces: [
          {
            id: '03628810476215',
            facts: { distribution_tariff: 'T2' },
            source: 'grdf-adict',
            looked_up_at: '2026-11-20T17:00:11.000Z',
          },
        ],
      },
      pending_requests: { prm_ids: ['25014987360059'], pce_ids: [] },
      set_aside_requests: {
        prms: [{ id: '25014987360059', tries: 5, next_attempt_at: '2026-11-20T18:00:00.000Z' }],
        pces: [],
      },
      errored_requests: { prms: [{ id: '25014987360075', errored_reason: 'EPRM000' }], pces: [] },
      truncated: false,
      warnings: { repeated: 0, in_both_lists: { count: 0, identifiers: [] } },
    },
  },
};
const batchQuery: RouteContract['query'] = {
  limit: {
    description: 'Most identifiers in each list, 0 to 100,000; 100 unless given.',
    example: 100,
    schema: { type: 'integer', minimum: 0, maximum: 100_000 },
    violations: ['invalid'],
  },
  prm_after: {
    description: 'The last identifier of `imported_results.prms` so far: they go on after it.',
    example: '25014987360042',
    schema: { type: 'string' },
    violations: ['invalid'],
  },
  pce_after: {
    description: 'The same for `imported_results.pces`.',
    example: '03628810476215',
    schema: { type: 'string' },
    violations: ['invalid'],
  },
};

/** `GET supply-point/populate/<batch_id>/`. */
export const findBatchContract: RouteContract = {
  operationId: 'findPopulationBatch',
  tag: 'Supply points',
  summary: 'See how far a batch of supply points is',
  description:
    "Reasons that begin with EPRM or EPCE are the network operators' own. Of requests with a `limit` above 100 an organisation has two under way at once; others of it are told to come again (429) when none of them ends within two seconds.",
  path: batchPath,
  query: batchQuery,
  replies: batchReply,
  refusals: ['validation_failed', 'not_found'],
};

/** `GET population-batches/<batch_id>/`. */
export const findBatchForOperatorContract: RouteContract = {
  operationId: 'findPopulationBatchAsOperator',
  tag: 'Operations',
  summary: 'See how far any batch of supply points is',
  path: batchPath,
  query: batchQuery,
  replies: batchReply,
  refusals: ['validation_failed', 'not_found'],
};

/** `POST population-batches/<batch_id>/retry/`. */
export const retryBatchContract: RouteContract = {
  operationId: 'retryPopulationBatch',
  tag: 'Operations',
  summary: 'Ask again for all that is errored or set aside in a batch',
  path: batchPath,
  replies: {
    200: {
      description: 'How many are asked for again.',
      schema: Type.Object({ batch_id: Type.String(), retried: Type.Integer() }, { title: 'RetriedBatch' }),
      example: { batch_id: BATCH, retried: 12 },
    },
  },
  refusals: ['not_found'],
};

/** `POST population-batches/<batch_id>/cancel/`. */
export const cancelBatchContract: RouteContract = {
  operationId: 'cancelPopulationBatch',
  tag: 'Operations',
  summary: 'Cancel a batch',
  description: 'What is pending ends as errored with the reason `batch_cancelled`; what is settled stays.',
  path: batchPath,
  replies: {
    200: {
      description: 'The batch is cancelled, or had ended before.',
      schema: Type.Object(
        { batch_id: Type.String(), status: Type.String(), cancelled: Type.Integer() },
        { title: 'CancelledBatch' },
      ),
      example: { batch_id: BATCH, status: 'CANCELLED', cancelled: 40 },
    },
  },
  refusals: ['not_found'],
};

/** `POST look-ups/<operator>/<identifier>/retry/`. */
export const retryLookUpContract: RouteContract = {
  operationId: 'retryLookUp',
  tag: 'Operations',
  summary: 'Ask again for one identifier',
  path: { ...operatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360075' } },
  replies: {
    200: {
      description:
        "0 when it is pending or imported. 1 when it is asked for again, 2 when it is asked both with the customer's authorisation and without it.",
      schema: Type.Object(
        { network_operator: Type.String(), identifier: Type.String(), retried: Type.Integer() },
        { title: 'RetriedLookUp' },
      ),
      example: { network_operator: 'enedis', identifier: '25014987360075', retried: 1 },
    },
  },
  refusals: ['not_found'],
};

const throttleReply: RouteContract['replies'] = {
  200: {
    description: 'The speed as it stands.',
    schema: Type.Object(
      {
        network_operator: Type.String(),
        requests_per_second: Type.Number(),
        requests_per_hour: Type.Number(),
        used_per_second: Type.Number({
          description: 'What look-ups really run at: 0.965 of the lower of both, evenly spaced.',
        }),
        blocked_until: nullableInstant(),
        reason: answeredText(),
        updated_at: instant(),
      },
      { title: 'Throttle' },
    ),
    example: {
      network_operator: 'enedis',
      requests_per_second: 5,
      requests_per_hour: 10_000,
      used_per_second: 2.681,
      blocked_until: null,
      reason: 'contract',
      updated_at: '2026-11-20T17:00:00.000Z',
    },
  },
};

/** `PUT network-operators/<operator>/throttle/`. */
export const putThrottleContract: RouteContract = {
  operationId: 'putThrottle',
  tag: 'Operations',
  summary: 'Set how fast a network operator is asked',
  description: 'Holds from one second after the answer, over all workers; 0 pauses.',
  path: operatorPath,
  request: putThrottleSchema,
  rules: { requests_per_second: ['min_value', 'max_value'], requests_per_hour: ['min_value', 'max_value'] },
  requestExamples: { faster: { requests_per_second: 5, requests_per_hour: 10_000, reason: 'contract of May' } },
  replies: throttleReply,
  refusals: ['validation_failed', 'not_found'],
};

/** `GET network-operators/<operator>/throttle/`. */
export const findThrottleContract: RouteContract = {
  operationId: 'findThrottle',
  tag: 'Operations',
  summary: 'See how fast a network operator is asked',
  path: operatorPath,
  replies: throttleReply,
  refusals: ['not_found'],
};

const lookUpReply = Type.Object({
  customer_authorisation: Type.Boolean(),
  state: Type.String({ description: 'pending, imported or errored.' }),
  errored_reason: answeredText(),
  tries: Type.Integer(),
  last_failure: answeredText(),
  next_attempt_at: nullableInstant(),
  ended_at: nullableInstant(),
});

/** `GET supply-points/<operator>/<identifier>/`. */
export const findSupplyPointContract: RouteContract = {
  operationId: 'findSupplyPoint',
  tag: 'Operations',
  summary: 'See what was found for one supply point',
  description: 'Each read is noted in the audit.',
  page: 'docs/operators/supply-points.md',
  path: { ...operatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360042' } },
  replies: {
    200: {
      description: 'What was found, the look-ups, and the accounts that the point is on.',
      schema: Type.Object(
        {
          network_operator: Type.String(),
          identifier: Type.String(),
          facts: facts(),
          source: answeredText(),
          looked_up_at: nullableInstant(),
          with_customer_authorisation: Type.Unsafe<boolean | null>({
            type: ['boolean', 'null'],
            description: 'Whether the operator was told of an authorisation when it gave these facts.',
          }),
          look_ups: Type.Array(lookUpReply),
          accounts: Type.Array(
            Type.Object({
              import_supplier: Type.String(),
              external_account_number: Type.String(),
              service_account_number: Type.String(),
            }),
          ),
        },
        { title: 'LookedUpSupplyPoint' },
      ),
      example: {
        network_operator: 'enedis',
        identifier: '25014987360042',
        facts: { segment: 'C5', subscribed_power: '9 kVA' },
        source: 'enedis-sge',
        looked_up_at: '2026-11-20T17:00:11.000Z',
        with_customer_authorisation: true,
        look_ups: [
          {
            customer_authorisation: true,
            state: 'imported',
            errored_reason: null,
            tries: 0,
            last_failure: null,
            next_attempt_at: null,
            ended_at: '2026-11-20T17:00:11.000Z',
          },
        ],
        accounts: [
          {
            import_supplier: 'SUPPLIER_FR',
            external_account_number: 'HOME-00004711',
            service_account_number: 'A-7KQ2M9XDT',
          },
        ],
      },
    },
  },
  refusals: ['not_found'],
};
