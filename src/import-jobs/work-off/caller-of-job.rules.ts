import type { Caller } from '../../platform/http/route.ts';
import type { JobAtWork } from './line-kind.rules.ts';

/** Who the lines of a job are sent by: a job may what a key of its import supplier may. */
export function callerOfJob({ keyId, organisation, importSupplier }: JobAtWork): Caller {
  return {
    keyId,
    organisation,
    keyName: '',
    role: 'supplier',
    scope: 'all',
    importSuppliers: new Set([importSupplier]),
  };
}
