import { Type } from 'typebox';

/** Both numbers of an imported account, in a refusal. */
export const alreadyImportedMembers = Type.Object(
  { external_account_number: Type.String(), service_account_number: Type.String() },
  { title: 'AlreadyImported' },
);
