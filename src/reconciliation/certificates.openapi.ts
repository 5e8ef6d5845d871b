import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../platform/validation/field-types.schema.ts';
import {
  askedVendors,
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
    { description: 'Equal where what stands is what was accepted.' },
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
        description: 'Nothing differs without a reason, and no payment vendor that was asked says otherwise.',
      }),
      accounts: Type.Integer(),
      accounts_without_copy: Type.Integer({
        description: 'Of these so many cannot be compared: what was accepted is kept for a time only.',
      }),
      accounts_by_hashes: Type.Optional(
        Type.Integer({
          description:
            'So many were compared by hashes of what was accepted, of which no copy is kept; they are in no sum and in no hash of a field.',
        }),
      ),
      businesses: Type.Integer(),
      different: Type.Integer(),
      values_compared: Type.Integer(),
      differences: differencesByKind(),
      differences_with_reason: differencesByReason(),
      parties: parties(),
      payment_vendors: Type.Optional(askedVendors()),
      parties_not_asked: Type.Optional(
        Type.Array(Type.Object({ party: Type.String(), reason: Type.String() }), {
          description: 'Outside parties that nobody asks, and why.',
        }),
      ),
      sums: Type.Array(pair(), { description: 'Sums of money.' }),
      fields: Type.Array(pair(), { description: 'For each field the sum of the hashes of its values.' }),
      not_compared: Type.Array(
        Type.Object({
          table: Type.String(),
          columns: Type.Array(Type.Object({ column: Type.String(), reason: Type.String() })),
        }),
      ),
      kept_without_copy: Type.Array(Type.Object({ kind: Type.String(), reason: Type.String() }), {
        description: 'What was accepted and cannot be compared, because no copy of it is kept.',
      }),
    },
    { title: 'Certificate' },
  );

/** `GET reconciliations/<id>/certificate/`. */
export const findCertificateOpenApi = (tag: Tag): RouteOpenApi => ({
  ...named(tag, 'findCertificate'),
  summary: 'Fetch the certificate of a reconciliation',
  description:
    'What was compared, with the sums of money and a hash of each field. `jws` is the same, signed; `gangway verify-certificate` checks it without this service.',
  replies: {
    200: {
      description: 'The certificate.',
      schema: Type.Object(
        {
          certificate: certificate(),
          jws: answeredText({ description: 'Null where the service has no key to sign with.' }),
        },
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
          parties_not_asked: [{ party: 'industry_switch', reason: 'It has no question that changes nothing.' }],
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
                'Of a business and its contracts nothing is kept but their rows: only what these must agree on is compared.',
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
  description: 'A JSON Web Key Set; empty where the service has no key to sign with. Keep it apart from certificates.',
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
  // Nothing is asked for it.
  neverAnswers: ['error', 'service_unavailable'],
};
