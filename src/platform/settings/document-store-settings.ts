import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** The store that documents are looked up in. */
export const documentStoreSettings = {
  DOCUMENT_STORE_ENDPOINT: setting.text(
    'Address of the S3-compatible store that documents are looked up in; AWS itself unless set.',
    'https://s3.fr-par.scw.cloud',
  ),
  DOCUMENT_STORE_REGION: Type.String({
    description: 'Region of the document store.',
    default: 'eu-west-3',
    examples: ['fr-par'],
    minLength: 1,
  }),
  DOCUMENT_STORE_ACCESS_KEY_ID: setting.secret(
    'DOCUMENT_STORE_ACCESS_KEY_ID',
    "Access key of the document store; the machine's own role unless set.",
    'AKIAEXAMPLE',
  ),
  DOCUMENT_STORE_SECRET_ACCESS_KEY: setting.secret(
    'DOCUMENT_STORE_SECRET_ACCESS_KEY',
    'Secret of that access key.',
    'kept in the secret store',
  ),
  DOCUMENT_STORE_TIMEOUT_MS: setting.count('Longest that one lookup in the document store may take.', 2_000),
  DOCUMENT_STORE_DEADLINE_MS: setting.count(
    'Longest that the lookups of one request may take together; 503 after it.',
    10_000,
  ),
};
