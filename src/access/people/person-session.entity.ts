import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { PersonRole } from '../../vocabulary/person-roles.ts';

/** A session of a person on the support site. The cookie is stored as a hash. */
export const PersonSession = defineEntity({
  name: 'PersonSession',
  tableName: 'person_session',
  properties: {
    sha256: p.blob().$type<Buffer>().primary(),
    id: p.uuid().defaultRaw('gen_random_uuid()'),
    subject: p.text(),
    name: p.text(),
    role: p.text().$type<PersonRole>(),
    importSuppliers: p.array().nullable(),
    apiKeyId: p.uuid().nullable(),
    signedInBy: p.text().$type<'key' | 'openid-connect'>().nullable(),
    network: p.text().nullable(),
    csrfSecret: p.blob().$type<Buffer>(),
    flash: p.json<Record<string, unknown>>().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    lastSeenAt: p.datetime().defaultRaw('now()'),
    endsAt: p.datetime(),
  },
});

export type PersonSessionTable = InferKyselyDB<typeof PersonSession>;
