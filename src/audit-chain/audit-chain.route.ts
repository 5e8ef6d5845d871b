import type { Database } from '../platform/database/database.ts';
import { operatorRead, type Route } from '../platform/http/route.ts';
import type { Settings } from '../platform/settings.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import type { CurrentCertificateKeys } from '../reconciliation/index.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { Type } from 'typebox';
import { violation } from '../vocabulary/violations.ts';
import { isDay, isUuid } from '../vocabulary/wire-forms.ts';
import { listAnchors } from './audit-anchor.store.ts';
import { readAuditChain, viewOfAnchor } from './audit-chain-state.store.ts';
import {
  auditAnchorSchema,
  auditChainSchema,
  continueVerificationSchema,
  EXAMPLE_VERIFICATION,
  verificationStepSchema,
  type ContinueVerification,
} from './audit-chain.schema.ts';
import { beginVerification, continueVerification } from './verify-audit.store.ts';

interface ChainRouteDeps {
  database: Database;
  settings: Pick<Settings, 'AUDIT_KEPT_DAYS'>;
  certificateKeys: CurrentCertificateKeys;
}

const PAGE = 'docs/operators/audit.md#the-chain';
const ANCHORS_MAX = 1_000;

/** `GET audit/chain/`, `GET audit/anchors/` and `POST audit/verifications/`. */
export function auditChainRoutes(deps: ChainRouteDeps): Route[] {
  return [findAuditChain(deps), listAuditAnchors(deps), verifyAudit(deps)];
}

const findAuditChain = ({ database }: ChainRouteDeps): Route =>
  operatorRead({
    path: '/v1/operations/audit/chain',
    openApi: {
      operationId: 'findAuditChain',
      summary: 'Get the state of the chain of the audit',
      page: PAGE,
      replies: { 200: { description: 'The end of the chain.', schema: auditChainSchema } },
    },
    handle: async () => ({ status: 200, body: await readAuditChain(database) }),
  });

const listAuditAnchors = ({ database }: ChainRouteDeps): Route =>
  operatorRead({
    path: '/v1/operations/audit/anchors',
    openApi: {
      operationId: 'listAuditAnchors',
      summary: 'List anchors of the audit',
      description: 'Store them outside of the service: a later verification compares the audit with them.',
      page: PAGE,
      query: {
        from: {
          description: 'The first UTC day.',
          example: '2026-11-20',
          schema: { type: 'string', minLength: 1, format: 'date' },
        },
      },
      replies: { 200: { description: 'Oldest first, at most 1,000.', schema: Type.Array(auditAnchorSchema) } },
    },
    handle: async ({ query }) => {
      const from = query.get('from') ?? undefined;
      if (from !== undefined && !isDay(from)) {
        return refuse('validation_failed', {
          violations: [violation('invalid', ['from'], 'A day (2026-11-22) is expected.')],
        });
      }
      return { status: 200, body: (await listAnchors(database, from, ANCHORS_MAX)).map(viewOfAnchor) };
    },
  });

const checkBody = compileOperatorBody<ContinueVerification>(continueVerificationSchema);

const verifyAudit = ({ database, settings, certificateKeys }: ChainRouteDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/audit/verifications',
  access: 'operator',
  action: 'audit.verify',
  openApi: {
    operationId: 'verifyAudit',
    summary: 'Verify the audit',
    description:
      'Compares a part of the audit with its chain. Send the request again with the `verification_id` until `completed_at` is set.',
    page: PAGE,
    request: continueVerificationSchema,
    requestExamples: { from_the_beginning: {}, the_next_part: { verification_id: EXAMPLE_VERIFICATION } },
    replies: {
      200: { description: 'The verification, with the findings of this part.', schema: verificationStepSchema },
    },
    refusals: ['not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const id = sent.verification_id ?? (await beginVerification(database, caller));
    const deps = { actor: caller, keys: await certificateKeys(), keptDays: settings.AUDIT_KEPT_DAYS };
    const step = isUuid(id) ? await continueVerification(database, { id, ...deps }) : undefined;
    if (step === undefined) return refuse('not_found', { detail: 'There is no verification with this id.' });
    return { status: 200, body: step };
  },
});
