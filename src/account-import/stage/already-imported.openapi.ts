import { Type } from 'typebox';

/** Names what was imported before. */
export const alreadyImportedMembers = Type.Object(
  {
    external_account_number: Type.String({ examples: ['HOME-00004711'] }),
    service_account_number: Type.String({ examples: ['A-7KQ2M9XDT'] }),
  },
  { title: 'AlreadyImported' },
);
