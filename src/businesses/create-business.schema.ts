import { Type, type Static } from 'typebox';
import { key, list, requiredKey, requiredText, text } from '../platform/validation/field-types.schema.ts';
import { businessContractSchema } from './business-contract.schema.ts';
import { businessDetailsSchema } from './business-details.schema.ts';

/** How a business is named in requests and in the operator API's path. */
export const businessKeyFields = {
  import_supplier_code: requiredKey(32),
  external_business_identifier: requiredKey(128),
};

/** Body of operation 12. */
export const createBusinessSchema = Type.Object({
  ...businessKeyFields,
  business: Type.Object({
    business_type: Type.Optional(text(64)),
    company_name: requiredText(255),
    siret: Type.Optional(key()),
    details: Type.Optional(businessDetailsSchema),
    business_contracts: list(businessContractSchema),
  }),
});

export type CreateBusinessRequest = Static<typeof createBusinessSchema>;

/** Body of operation 13. */
export const createBusinessContractsSchema = Type.Object({
  ...businessKeyFields,
  business_contracts: list(businessContractSchema, 1),
});

export type CreateBusinessContractsRequest = Static<typeof createBusinessContractsSchema>;
