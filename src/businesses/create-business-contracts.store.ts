import type { Database } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { insertBusinessContracts } from './business-contract.store.ts';
import type { CreateBusinessContractsRequest } from './create-business.schema.ts';

export type AddedContractsOutcome =
  | { kind: 'created' }
  | { kind: 'business-not-found' }
  | { kind: 'labels-taken'; indexes: number[] };

/** Locked, so that the positions of contracts that come at once follow each other. */
const LOCK_BUSINESS: PreparedQuery = {
  name: 'lock-business',
  text: 'select id from business where import_supplier = $1 and external_business_identifier = $2 for no key update',
};

/** Adds contracts to a business that is there: all of them, or none. */
export async function createBusinessContracts(
  database: Database,
  request: CreateBusinessContractsRequest,
): Promise<AddedContractsOutcome> {
  return database.transaction(async (em) => {
    const importSupplier = request.import_supplier_code;
    const [business] = await run<{ id: string }>(em, LOCK_BUSINESS, [
      importSupplier,
      request.external_business_identifier,
    ]);
    if (business === undefined) return { kind: 'business-not-found' };
    const holder = { businessId: business.id, importSupplier, cameWithBusiness: false };
    const taken = await insertBusinessContracts(em, holder, request.business_contracts);
    if (taken.length === 0) return { kind: 'created' };
    await em.rollback();
    return { kind: 'labels-taken', indexes: taken };
  });
}
