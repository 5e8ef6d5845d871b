import { fixedSecrets, type Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import type { DocumentStores } from './document-store.port.ts';
import { createFolderDocumentStore } from './folder.client.ts';
import { createS3DocumentStore } from './s3.client.ts';

/**
 * Opens the document stores of the settings. Connects at the first lookup.
 * @param secrets read at each lookup
 */
export function openDocumentStores(settings: Settings, secrets: Secrets = fixedSecrets(settings)): DocumentStores {
  const s3 = createS3DocumentStore({
    endpoint: settings.DOCUMENT_STORE_ENDPOINT,
    region: settings.DOCUMENT_STORE_REGION,
    timeoutMs: settings.DOCUMENT_STORE_TIMEOUT_MS,
    accessKeyId: secrets.of('DOCUMENT_STORE_ACCESS_KEY_ID'),
    secretAccessKey: secrets.of('DOCUMENT_STORE_SECRET_ACCESS_KEY'),
  });
  return { s3, folder: createFolderDocumentStore() };
}
