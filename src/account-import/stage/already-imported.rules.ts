import { refuse, type Refused } from '../../vocabulary/refusals.ts';

/** Refusal for an imported account, with both numbers. */
export function alreadyImported(externalAccountNumber: string, serviceAccountNumber: string): Refused {
  return refuse('account_import_process_already_imported', {
    extras: { external_account_number: externalAccountNumber, service_account_number: serviceAccountNumber },
  });
}
