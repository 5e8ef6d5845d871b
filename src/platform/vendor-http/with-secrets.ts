import { VendorMisconfigured } from '../../vocabulary/vendor-errors.ts';
import type { CurrentSecret } from '../secrets/secrets.ts';
import { errorOfStatus } from './vendor-faults.ts';
import type { VendorAnswer, VendorHttp, VendorRequest } from './vendor-http.ts';

/** Calls with one of the configured secrets; same signature as `VendorHttp.call`. */
export type AuthorisedCall = VendorHttp['call'];

const NEXT = Symbol('the next secret');

/**
 * Adds credentials to calls. During rotation a secret has two values, one per line: if the vendor rejects one (401), the
 * call is repeated with the other, which is then tried first. Before the last value is reported as rejected, the secret is read again.
 * @param headersOf returns the headers with a secret
 */
export function withSecrets(
  http: VendorHttp,
  vendor: string,
  credential: CurrentSecret,
  headersOf: (secret: string) => Record<string, string>,
): AuthorisedCall {
  let known: string | undefined;
  /** Prefers the last accepted value, if it is still configured. */
  const untried = (tried: ReadonlySet<string>): string | undefined => {
    const given = (credential.value() ?? '').split(/[\r\n]+/).filter((value) => value !== '' && !tried.has(value));
    return given.find((value) => value === known) ?? given[0];
  };
  return async <T>(
    request: VendorRequest,
    read: (answer: VendorAnswer) => T | Promise<T>,
    accepted: readonly number[] = [],
  ): Promise<T> => {
    const tried = new Set<string>();
    for (;;) {
      const secret = untried(tried);
      if (secret === undefined) throw new VendorMisconfigured(`${vendor} has no credentials set.`);
      tried.add(secret);
      const result = await http.call<T | typeof NEXT>(
        { ...request, headers: { ...request.headers, ...headersOf(secret) } },
        async (answer) => {
          if (answer.status !== 401) {
            known = secret;
            return read(answer);
          }
          if (untried(tried) === undefined) await credential.readAgain();
          if (untried(tried) !== undefined) return NEXT;
          if (accepted.includes(answer.status)) return read(answer);
          throw errorOfStatus(vendor, answer) as Error;
        },
        [401, ...accepted],
      );
      if (result !== NEXT) return result;
    }
  };
}
