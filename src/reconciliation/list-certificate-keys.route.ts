import type { Route } from '../platform/http/route.ts';
import type { CertificateKey } from './certificate-key.client.ts';
import { listCertificateKeysOpenApi } from './certificates.openapi.ts';

/** `GET certificate-keys/`: the public keys of certificates, as a JSON Web Key Set; for anyone. */
export const listCertificateKeys = ({ certificateKey }: { certificateKey: CertificateKey | undefined }): Route => ({
  method: 'GET',
  path: '/v1/data-import/certificate-keys',
  access: 'public',
  openApi: listCertificateKeysOpenApi,
  handle: async () => ({ status: 200, body: { keys: certificateKey === undefined ? [] : [certificateKey.publicKey] } }),
});
