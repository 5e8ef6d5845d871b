import { accountPayloadSchema, customerSchema } from '../account-import/validate/account-payload.schema.ts';
import { supplyAddressSchema, supplyPointSchema } from '../account-import/validate/supply-address.schema.ts';
import { businessContractSchema, contractTermSchema } from '../businesses/business.schema.ts';

/** Wire schemas that become components under a name of their own; every other body is named after its operation. */
export const componentNames: ReadonlyMap<object, string> = new Map<object, string>([
  [accountPayloadSchema, 'Account'],
  [customerSchema, 'Customer'],
  [supplyAddressSchema, 'SupplyAddress'],
  [supplyPointSchema, 'SupplyPoint'],
  [businessContractSchema, 'BusinessContract'],
  [contractTermSchema, 'ContractTerm'],
]);
