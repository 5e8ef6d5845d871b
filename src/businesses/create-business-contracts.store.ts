import { writeEvents } from '../events/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { BusinessTable } from './business.entity.ts';
import { insertBusinessContracts } from './business-contract.store.ts';
import type { CreateBusinessContractsRequest } from './create-business.schema.ts';

export type AddedContractsOutcome =
  | { kind: 'created' }
  | { kind: 'business-not-found' }
  | { kind: 'labels-taken'; indexes: number[] };

/** Adds contracts to a business that is there: all of them, or none. */
export async function createBusinessContracts(
  database: WritableDatabase,
  request: CreateBusinessContractsRequest,
): Promise<AddedContractsOutcome> {
  return database.transaction(async (em) => {
    const importSupplier = request.import_supplier_code;
    // Locked, so that the positions of contracts that come at once follow each other.
    const business = await em
      .getKysely<BusinessTable>()
      .selectFrom('business')
      .select('id')
      .where('import_supplier', '=', importSupplier)
      .where('external_business_identifier', '=', request.external_business_identifier)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (business === undefined) return { kind: 'business-not-found' };
    const holder = { businessId: business.id, importSupplier, cameWithBusiness: false };
    const taken = await insertBusinessContracts(em, holder, request.business_contracts);
    if (taken.length === 0) {
      const identifier = request.external_business_identifier;
      const data = { external_business_identifier: identifier };
      const type = 'import.business.contracts_added.v1';
      await writeEvents(em, [{ importSupplier, type, subject: `businesses/${identifier}`, data }]);
      return { kind: 'created' };
    }
    await em.rollback();
    return { kind: 'labels-taken', indexes: taken };
  });
}
