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
    /** The compressed size. */
    storedBytes: p.bigint('number').default(0),
    sha256: p.text(),
    uploadedAt: p.datetime(),
  },
});

/** The accepted upload of a part number. */
export class ImportJobPart extends ImportJobPartSchema.class {}
ImportJobPartSchema.setClass(ImportJobPart);
