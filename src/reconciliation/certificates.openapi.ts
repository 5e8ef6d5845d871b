import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../platform/validation/field-types.schema.ts';
import {
  queriedVendors,
  differencesByKind,
  differencesByReason,
  EXAMPLE_RECONCILIATION,
  exampleCounts,
  exampleVendors,
  named,
  PAGE,
  parties,
  type Tag,
} from './reconciliations.openapi.ts';

const pair = () =>
  Type.Object(
    { name: Type.String(), accepted: Type.String(), stored: Type.String() },
    { description: 'Equal if the stored data equals the accepted data.' },
  );

const certificate = () =>
  Type.Object(
    {
      type: Type.String({ description: 'gangway-reconciliation/1.' }),
      reconciliation_id: Type.String(),
      import_supplier: Type.String(),
      job_id: answeredText(),
      gangway_version: answeredText(),
      checked_from: requiredInstant(),
      checked_until: answeredText({ format: 'date-time' }),
      is_equal: Type.Boolean({
        description: 'There is no difference without a reason, and no queried payment vendor contradicts it.',
      }),
      accounts: Type.Integer(),
      accounts_without_copy: Type.Integer({
        description: 'Accounts that cannot be compared: accepted data is kept for a limited time.',
      }),
      accounts_by_hashes: Type.Integer({
        description:
          'Accounts that were compared by hashes, because no copy of the accepted data is kept. They are in no sum and in no hash of a field.',
      }),
      businesses: Type.Integer(),
      different: Type.Integer(),
      values_compared: Type.Integer(),
      differences: differencesByKind(),
      differences_with_reason: differencesByReason(),
      parties: parties(),
      payment_vendors: queriedVendors(),
      parties_not_asked: Type.Array(Type.Object({ party: Type.String(), reason: Type.String() }), {
        description: 'Outside parties that were not contacted, with the reason.',
      }),
      sums: Type.Array(pair(), { description: 'Sums of money.' }),
      fields: Type.Array(pair(), { description: 'For each field, the sum of the hashes of its values.' }),
      not_compared: Type.Array(
        Type.Object({
          table: Type.String(),
          columns: Type.Array(Type.Object({ column: Type.String(), reason: Type.String() })),
        }),
      ),
      kept_without_copy: Type.Array(Type.Object({ kind: Type.String(), reason: Type.String() }), {
        description: 'Accepted data that cannot be compared, because no copy of it is kept.',
      }),
    },
    { title: 'Certificate' },
  );

/** `GET reconciliations/<id>/certificate/`. */
export const findCertificateOpenApi = (tag: Tag): RouteOpenApi => ({
  ...named(tag, 'findCertificate'),
  summary: 'Fetch the certificate of a reconciliation',
  description:
    'The compared data, with the sums of money and a hash of each field. `jws` is the signed form; `gangway verify-certificate` checks it without this service.',
  replies: {
    200: {
      description: 'The certificate.',
      schema: Type.Object(
        { certificate: certificate(), jws: answeredText({ description: 'Null if the service has no signing key.' }) },
        { title: 'SignedCertificate' },
      ),
      example: {
        certificate: {
          type: 'gangway-reconciliation/1',
          reconciliation_id: EXAMPLE_RECONCILIATION,
          import_supplier: 'SUPPLIER_FR',
          job_id: null,
          gangway_version: '0.1.0',
          checked_from: '2026-11-22T14:00:00.000Z',
          checked_until: '2026-11-22T14:00:11.000Z',
          is_equal: false,
          accounts: 10_000,
          accounts_without_copy: 0,
          accounts_by_hashes: 0,
          businesses: 12,
          different: 1,
          values_compared: 1_412_000,
          differences: exampleCounts.differences,
          differences_with_reason: exampleCounts.reasons,
          parties: exampleCounts.parties,
          payment_vendors: exampleVendors,
          parties_not_asked: [{ party: 'industry_switch', reason: 'It offers no read-only request.' }],
          sums: [{ name: 'payment_schedules', accepted: '133650.5', stored: '133650.5' }],
          fields: [
            {
              name: 'customers.*.email',
              accepted: '5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c',
              stored: '7c8b9a0f1e2d3c4b5a6f8e9d1c7f2bae592c01719d91b7766a4bbc2a40415dff',
            },
          ],
          not_compared: [{ table: 'account', columns: [{ column: 'number', reason: 'Taken from a sequence.' }] }],
          kept_without_copy: [
            {
              kind: 'businesses',
              reason:
                'Only the rows of a business and its contracts are kept: the comparison covers what these must agree on.',
            },
          ],
        },
        jws: 'eyJhbGciOiJFZERTQSJ9.eyJ0eXBlIjoi.c2lnbmF0dXJl',
      },
    },
  },
  refusals: ['reconciliation_not_found', 'reconciliation_not_completed'],
});

/** `GET certificate-keys/`. */
export const listCertificateKeysOpenApi: RouteOpenApi = {
  operationId: 'listCertificateKeys',
  tag: 'Reconciliations',
  summary: 'Fetch the public keys of certificates',
  description: 'A JSON Web Key Set; empty if the service has no signing key. Keep it apart from certificates.',
  page: PAGE,
  replies: {
    200: {
      description: 'The keys.',
      schema: Type.Object(
        {
          keys: Type.Array(
            Type.Object(
              Object.fromEntries(['kty', 'crv', 'x', 'kid', 'alg', 'use'].map((name) => [name, Type.String()])),
            ),
          ),
        },
        { title: 'CertificateKeys' },
      ),
      example: {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            alg: 'EdDSA',
            use: 'sig',
          },
        ],
      },
    },
  },
  refusals: [],
  // It uses neither the database nor Temporal.
  neverAnswers: ['error', 'service_unavailable'],
};
