import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { batchId } from '../supply-points.openapi.ts';
import { choice, key, openable } from '../../platform/validation/field-types.schema.ts';
import { customerCategories } from '../../vocabulary/value-sets.ts';

/** Identifiers of one request, both lists together. */
const IDENTIFIERS_MAX = 100_000;

const identifiers = () => Type.Optional(Type.Array(key(64), { maxItems: IDENTIFIERS_MAX }));

/** Body of operation 14. */
export const populateSchema = Type.Object({
  prm_ids: identifiers(),
  pce_ids: identifiers(),
  customer_category: Type.Optional(openable('customer_category', choice(customerCategories))),
  customer_authorisation: Type.Optional(Type.Boolean()),
  import_supplier: Type.Optional(key(32)),
});

export type PopulateRequest = Static<typeof populateSchema>;

/** Operation 14. */
export const populateOpenApi: RouteOpenApi = {
  operationId: 'populateSupplyPoints',
  tag: 'Supply points',
  summary: 'Look up supply points at the network operators',
  description:
    'Responds as soon as the batch is stored. An identifier in several batches is looked up once; one that was looked up recently is completed immediately. An identifier in both lists is a warning in the status. `customer_authorisation` declares to Enedis SGE that the customers have authorized the lookups; if omitted, the option of your organization applies, which is false unless operators set it. The batch belongs to `import_supplier`, or to all import suppliers of the key.',
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
      description: 'The batch is stored and will be processed.',
      schema: Type.Object(
        { batch_id: batchId(), warnings: Type.Optional(warningsMember) },
        { title: 'PopulationBatchId' },
      ),
    },
  },
  refusals: ['permission_denied'],
};
