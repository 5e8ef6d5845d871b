import { createHash, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { insertPage } from '../../src/import-jobs/import-job-page.store.ts';
import { numberPages } from '../../src/import-jobs/import-job.store.ts';
import { linesOfPage } from '../../src/import-jobs/page-lines.rules.ts';
import type { Database } from '../../src/platform/database/database.ts';

/** Finds the key and the organisation of a token. */
export async function keyOfToken(database: Database, token: string): Promise<{ keyId: string; organisation: string }> {
  const { rows } = await database.pool.query(
    `select k.id as "keyId", o.name as organisation from access_token t join api_key k on k.id = t.api_key_id join organisation o on o.id = k.organisation_id where t.sha256 = $1`,
    [createHash('sha256').update(token).digest()],
  );
  return rows[0];
}

/** Stores a job with its pages as if it had been uploaded and started, each page as a separate part. */
export async function storeJob(
  database: Database,
  token: string,
  job: { kind?: string; goal?: string; importSupplier?: string; pages: string[] },
): Promise<string> {
  const { keyId, organisation } = await keyOfToken(database, token);
  const jobId = uuidv7();
  const { kind = 'accounts', goal = 'CREATE', importSupplier = 'SUPPLIER_FR' } = job;
  await database.pool.query(
    `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection, status) values ($1, $2, $3, $4, $5, $6, 'uploaded', 'VALIDATING')`,
    [jobId, importSupplier, organisation, keyId, kind, goal],
  );
  for (const [index, text] of job.pages.entries()) {
    const body = Buffer.from(text);
    const uploadId = randomUUID();
    const lines = linesOfPage(body, 1).length;
    const physicalLines = text.split('\n').length;
    await insertPage(database, { jobId, uploadId, uploadPage: 1, body, physicalLines, lines });
    await database.pool.query(
      'insert into import_job_part (job_id, part, upload_id, lines, bytes, sha256) values ($1, $2, $3, $4, $5, $6)',
      [jobId, index + 1, uploadId, lines, body.length, createHash('sha256').update(body).digest('hex')],
    );
  }
  await database.transaction((em) => numberPages(em, jobId));
  return jobId;
}
