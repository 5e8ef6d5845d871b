import { operationsTeams } from '../../access/index.ts';
import {
  createPartReceiver,
  findParts,
  MANIFEST_BYTES_MAX,
  openJobForPerson,
  PART_BYTES_MAX,
  startJobForPerson,
  type ImportJobPartRecord,
  type JobView,
} from '../../import-jobs/index.ts';
import { parseJsonBody } from '../../platform/http/json-body.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { importJobGoals, importJobKinds } from '../../vocabulary/import-jobs.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { recordsText } from '../frame/cells.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { wholeFile } from '../frame/form-with-file.ts';
import { codeOptions, form, type Field } from '../frame/forms.ts';
import { html, type Part } from '../frame/html.ts';
import { numberText, t, translated } from '../frame/language.ts';
import {
  accepted,
  done,
  fileHandler,
  handler,
  page,
  PageRefusal,
  type PageAnswer,
  type PageRequest,
} from '../frame/page.ts';
import { jobPath } from '../frame/paths.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';

export const NEW_JOB = '/jobs/new';

/** Opening a job with a form, uploading its records, and its start. `/jobs/new` comes before the page of a job. */
export const uploadPages = [
  page(NEW_JOB, showForm, { action: 'import-job.upload' }),
  fileHandler(NEW_JOB, 'import-job.upload', MANIFEST_BYTES_MAX, openJob),
  fileHandler('/jobs/:job/parts/:part', 'import-job.upload', PART_BYTES_MAX, takePart),
  handler('/jobs/:job/start', 'import-job.upload', startJob),
];

async function showForm(request: PageRequest): Promise<PageAnswer> {
  const teams = (await operationsTeams.all(request.database.em())).map(({ name }) => name);
  const suppliers = await supplierCodes(request.suppliers);
  const { query } = request;
  const wave = query.get('wave_id');
  const fields: Field[] = [
    {
      label: t('Import supplier'),
      name: 'import_supplier',
      value: query.get('import_supplier'),
      options: suppliers,
      required: true,
    },
    ...(wave === null ? [] : [{ label: t('Wave'), name: 'wave_id', value: wave, maxlength: 36 }]),
    { label: t('Records'), name: 'kind', options: codeOptions(membersOf(importJobKinds)) },
    {
      label: t('Goal'),
      name: 'goal',
      value: wave === null ? undefined : 'STAGE',
      options: codeOptions(membersOf(importJobGoals)),
      hint: t(
        'VALIDATE only checks. For accounts, STAGE also stores them, REHEARSE tries their creation and undoes it, and CREATE creates them. For other records, IMPORT stores them.',
      ),
    },
    { label: t('Name'), name: 'name', maxlength: 200, hint: t('Optional. People find the job by it.') },
    {
      label: t('Operations team'),
      name: 'operations_team_name',
      options: [['', t('None')], ...teams],
      hint: t('Of created accounts; required to rehearse and create.'),
    },
    {
      label: t('Canary'),
      name: 'canary',
      inputmode: 'numeric',
      pattern: '[1-9][0-9]{0,6}',
      hint: t('Optional. After so many records the job waits for a decision.'),
    },
    {
      label: t('Manifest'),
      name: 'manifest',
      type: 'file',
      accept: '.json,application/json',
      hint: t('Optional. The totals that the supplier expects.'),
    },
  ];
  const body = html`<p>
      ${t('The records are uploaded on the next page; nothing is processed before the job is started there.')}
    </p>
    ${form(request, { action: NEW_JOB, hasFile: true, fields, button: t('Open the job') })}`;
  return { title: t('New import job'), body };
}

async function openJob(request: PageRequest): Promise<PageAnswer> {
  const { canary, ...fields } = fieldsIn(request.form);
  const sent = await wholeFile(request.file);
  const manifest = sent.length === 0 ? undefined : parseJsonBody(sent);
  if (isRefused(manifest)) {
    throw new PageRefusal({ ...manifest, violations: [violation('invalid', ['manifest'], manifest.detail)] });
  }
  const body = {
    ...fields,
    ...(canary !== undefined && { options: { canary: /^\d+$/.test(canary) ? Number(canary) : canary } }),
    ...(manifest !== undefined && { manifest: manifest.value }),
  };
  const reply = accepted(await openJobForPerson(request, { ...request, body }));
  const { job_id: id } = reply.body as { job_id: string };
  return done(jobPath(id), t('The job is open. Upload its records.'));
}

const receivePart = createPartReceiver();

/** Stores a part: a whole file, or a piece that a script has cut. */
async function takePart(request: PageRequest): Promise<PageAnswer> {
  const { params, viewer, actor, sessionId, file, hungUp } = request;
  const uploader = actor.subject ?? sessionId;
  const part = { params, viewer, uploader, content: file, hungUp: hungUp() };
  const { lines } = accepted(await receivePart(request, part)).body as ImportJobPartRecord;
  if (request.isForPart) return { fragment: html`${lines}` };
  return done(jobPath(params['job'] ?? ''), t('{records} uploaded.', { records: recordsText(lines) }));
}

async function startJob(request: PageRequest): Promise<PageAnswer> {
  accepted(await startJobForPerson(request, request));
  return done(jobPath(request.params['job'] ?? ''), t('The job has been started.'));
}

const MEGABYTE = 1_048_576;
const megabytes = (bytes: number) => numberText(Math.round((bytes / MEGABYTE) * 10) / 10);

/** The upload of records to an open job, and its start; empty for others. */
export async function uploadPart(job: JobView, request: PageRequest): Promise<Part> {
  if (job.status !== 'OPEN' || job.selection !== 'uploaded' || !request.may('import-job.upload')) return '';
  const parts = await findParts(request.database, job.job_id);
  const at = jobPath(job.job_id);
  const [lines, bytes] = [sumOf(parts, 'lines'), sumOf(parts, 'bytes')];
  return html`<section id="upload">
    <h2>${t('Records')}</h2>
    <p>
      ${
        parts.length === 0
          ? t('Nothing is uploaded yet.')
          : t('{records} uploaded ({size} MB).', {
              records: html`<strong>${recordsText(lines)}</strong>`,
              size: megabytes(bytes),
            })
      }
    </p>
    <div class="actions">
      ${form(request, {
        action: `${at}/parts/${(parts.at(-1)?.part ?? 0) + 1}`,
        hasFile: true,
        parts: JSON.stringify(parts.map(({ part, sha256 }) => ({ part, sha256 }))),
        fields: [
          {
            label: t(parts.length === 0 ? 'File' : 'Another file, or the same one to continue its upload'),
            name: 'file',
            type: 'file',
            required: true,
            accept: '.ndjson,.jsonl,.json,.gz',
            hint: t(
              'NDJSON, one record per line, plain or gzip. Choose a file or drop it here. Without scripts: at most 64 MB, not compressed.',
            ),
          },
        ],
        button: t('Upload'),
        more: html`<progress max="1" value="0" aria-label="${t('Uploaded')}" hidden></progress>
          <p
            role="status"
            data-empty="${t('The file is empty. Choose another one.')}"
            data-reload="${t('Reload the page and sign in again.')}"
            data-lost="${t('The connection is lost. Choose Upload to continue; nothing is sent twice.')}"
            data-other="${t('The job already has other records after the first part of this file. Use another job.')}"
          ></p>`,
      })}
      ${
        parts.length > 0 &&
        form(request, {
          action: `${at}/start`,
          title: t('Start'),
          fields: [
            html`<p>
              ${t('Processes {records} with the goal {goal}. Afterwards nothing can be uploaded.', { records: recordsText(lines), goal: translated(job.goal) })}
            </p>`,
          ],
          button: t('Start the job'),
        })
      }
    </div>
  </section>`;
}

function sumOf(parts: readonly ImportJobPartRecord[], member: 'lines' | 'bytes'): number {
  return parts.reduce((sum, part) => sum + part[member], 0);
}
