import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const ImportJobPartSchema = defineEntity({
  name: 'ImportJobPart',
  tableName: 'import_job_part',
  properties: {
    jobId: p.uuid().primary(),
    part: p.integer().primary(),
    uploadId: p.uuid(),
    lines: p.integer(),
    bytes: p.bigint('number'),
    /** As it is stored, compressed. */
    storedBytes: p.bigint('number').default(0),
    sha256: p.text(),
    uploadedAt: p.datetime(),
  },
});

/** What was uploaded under a number. */
export class ImportJobPart extends ImportJobPartSchema.class {}
ImportJobPartSchema.setClass(ImportJobPart);
