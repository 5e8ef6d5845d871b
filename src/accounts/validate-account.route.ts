import type { Route } from '../platform/http/route.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { validateAccountContract } from './accounts.contract.ts';
import { checkAccountPayload, type PayloadDeps } from './check-account-payload.validation.ts';

/** Operation 1: checks an account and answers what would be staged; keeps nothing. */
export const validateAccount = (deps: PayloadDeps & { bodyLimitBytes: number }): Route => ({
  method: 'POST',
  path: '/v1/data-import/validate-account',
  access: 'supplier',
  contract: validateAccountContract,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async ({ body, sent, caller }) => {
    const checked = await checkAccountPayload(body, caller, deps);
    if (isRefused(checked)) return checked;
    // Nothing was dropped or cut: then what was sent is the validated data, and need not be written anew.
    return { status: 200, body: checked.account, ...(checked.account === body && sent !== undefined ? { bodyJson: sent } : {}) };
  },
});
