import type { Route } from '../platform/http/route.ts';
import type { CurrentCertificateKeys } from './certificate-key.client.ts';
import { listCertificateKeysOpenApi } from './certificates.openapi.ts';

/** `GET certificate-keys/`: the public keys of certificates, as a JSON Web Key Set. Public. */
export const listCertificateKeys = ({ certificateKeys }: { certificateKeys: CurrentCertificateKeys }): Route => ({
  method: 'GET',
  path: '/v1/data-import/certificate-keys',
  access: 'public',
  openApi: listCertificateKeysOpenApi,
  handle: async () => ({ status: 200, body: { keys: (await certificateKeys())?.publicKeys ?? [] } }),
});
