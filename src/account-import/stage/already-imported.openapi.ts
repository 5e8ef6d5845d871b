import { Type } from 'typebox';

/** Both numbers of an imported account. */
export const alreadyImportedMembers = Type.Object(
  {
    external_account_number: Type.String({ examples: ['HOME-00004711'] }),
    service_account_number: Type.String({ examples: ['A-7KQ2M9XDT'] }),
  },
  { title: 'AlreadyImported' },
);
