import type { Database } from '../../platform/database/database.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import type { Settings } from '../../platform/settings.ts';
import { createSlots } from '../../platform/slots.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { findJobOfRequest, type JobViewer, partNumberIn, PARTS_MAX } from '../import-job.store.ts';
import { jobPath, partSchema } from '../import-job.schema.ts';
import { storePart } from './import-job-part.store.ts';

/** Most bytes of a part, unpacked. */
export const PART_BYTES_MAX = 67_108_864;
const MEDIA_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
/**
 * Each organisation may have two concurrent uploads; others wait. The first upload of an organisation needs no slot of the process, so
 * other organisations cannot block it; second uploads share the slots of the process.
 */
const QUEUE = { waitMs: 10_000, waitingMax: 50 } as const;
const OF_ORGANISATION = { ...QUEUE, atOnce: 2 };
const FIRST = { atOnce: 1, waitingMax: 0 };
const SECOND = { ...QUEUE, atOnce: 4 };
const RETRY_SECONDS = 5;

const openApi: RouteOpenApi = {
  operationId: 'uploadImportJobPart',
  tag: 'Import jobs',
  summary: 'Upload a part of an import job',
  description:
    'Lines of JSON (NDJSON). Parts are numbered from 1 and can be sent in any order. Sending the same content again changes nothing; other content replaces the part while the job is open. Lines are only counted and stored here; the running job validates them. A blank line is not a record but is counted in line numbers.',
  page: 'docs/suppliers/import-jobs.md',
  path: {
    ...jobPath,
    part: {
      description: 'The number of the part.',
      example: 1,
      schema: { type: 'integer', minimum: 1, maximum: PARTS_MAX },
      violations: ['invalid'],
    },
  },
  replies: { 200: { description: 'The part is stored.', schema: partSchema } },
  refusals: ['validation_failed', 'import_job_not_found', 'import_job_not_open', 'import_job_ended'],
};

interface UploadDeps {
  database: Database;
  settings: Pick<Settings, 'JOB_BYTES_MAX'>;
}

/** `PUT import-jobs/<id>/parts/<n>/`: stores lines in pages as they arrive, without parsing them. */
export function uploadPart(deps: UploadDeps): Route {
  const receive = createPartReceiver();
  return {
    method: 'PUT',
    path: '/v1/data-import/import-jobs/:job/parts/:part',
    access: 'supplier',
    openApi,
    streamedBody: { mediaTypes: MEDIA_TYPES, limitBytes: PART_BYTES_MAX },
    handle: (request) =>
      receive(deps, {
        params: request.params,
        viewer: request.caller,
        uploader: request.caller.organisation,
        content: request.stream!,
        hungUp: request.hungUp(),
      }),
  };
}

/** A part that is uploaded. */
interface ReceivedPart {
  /** The job and the number of the part. */
  params: Readonly<Record<string, string>>;
  /** Undefined for operators, who may upload to all jobs. */
  viewer: JobViewer | undefined;
  /** The organization or person whose concurrent uploads are limited. */
  uploader: string;
  content: AsyncIterable<Buffer>;
  hungUp: AbortSignal;
}

/** Creates the function that receives parts, with the slots of this process. */
export function createPartReceiver() {
  const ofUploader = createSlots(OF_ORGANISATION);
  const [first, second] = [createSlots(FIRST), createSlots(SECOND)];
  return async (deps: UploadDeps, received: ReceivedPart): Promise<Reply | Refused> => {
    const { uploader, hungUp } = received;
    const releaseOwn = await ofUploader.acquire(uploader, hungUp);
    if (releaseOwn === undefined) return tooManyUploads();
    const release = (await first.acquire(uploader, hungUp)) ?? (await second.acquire('', hungUp));
    try {
      return release === undefined ? tooManyUploads() : await store(deps, received);
    } finally {
      release?.();
      releaseOwn();
    }
  };
}

async function store(
  { database, settings }: UploadDeps,
  { params, viewer, content }: ReceivedPart,
): Promise<Reply | Refused> {
  const job = await findJobOfRequest(database, { params }, viewer);
  if (isRefused(job)) return job;
  const part = partNumberIn(params['part'] ?? '');
  if (part === undefined) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['part'], `Parts are numbered from 1 to ${PARTS_MAX}.`)],
    });
  }
  const uploaded = await storePart(database, { job, part, content, storedBytesMax: settings.JOB_BYTES_MAX });
  if (isRefused(uploaded)) return uploaded;
  return { status: 200, body: { part, lines: uploaded.lines, bytes: uploaded.bytes, sha256: uploaded.sha256 } };
}

function tooManyUploads(): Refused {
  return refuse('throttled', {
    detail: `Too many uploads are in progress; an organization may have ${OF_ORGANISATION.atOnce}. Retry after the time in Retry-After.`,
    retryAfterSeconds: RETRY_SECONDS,
  });
}
