import type { VendorAnswer, VendorHttp, VendorRequest } from '../../platform/vendor-http/vendor-http.ts';
import { VendorMisconfigured } from '../../vocabulary/vendor-errors.ts';

/** Makes calls with one of the secrets that may hold; signature as `VendorHttp.call`. */
export type AuthorisedCall = VendorHttp['call'];

const NEXT = Symbol('the next secret');

/**
 * Calls with credentials. During a change two secrets are valid: when the vendor does not know the one (401), the call is
 * made once more with the other, which is then used first.
 * @param headersOf the headers that carry a secret
 */
export function withSecrets(
  http: VendorHttp,
  vendor: string,
  secrets: readonly (string | undefined)[],
  headersOf: (secret: string) => Record<string, string>,
): AuthorisedCall {
  const given = secrets.filter((secret) => secret !== undefined);
  let first = 0;
  return async <T>(
    request: VendorRequest,
    read: (answer: VendorAnswer) => T,
    take: readonly number[] = [],
  ): Promise<T> => {
    if (given.length === 0) throw new VendorMisconfigured(`${vendor} has no credentials set.`);
    const start = first;
    for (let tried = 0; ; tried += 1) {
      const index = (start + tried) % given.length;
      const isLast = tried === given.length - 1;
      const authorised = { ...request, headers: { ...request.headers, ...headersOf(given[index] as string) } };
      const result = await http.call(
        authorised,
        (answer) => (answer.status === 401 && !isLast ? NEXT : read(answer)),
        isLast ? take : [401, ...take],
      );
      if (result === NEXT) continue;
      first = index;
      return result;
    }
  };
}
