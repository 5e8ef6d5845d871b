import type { CurrentSecret } from '../../platform/secrets/secrets.ts';
import { traced } from '../../platform/traces/traces.ts';
import { VendorBusy, VendorMisconfigured, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import type { DocumentStore } from './document-store.port.ts';

export interface S3Options {
  /** Address of an S3-compatible store; AWS if undefined. */
  endpoint?: string | undefined;
  region: string;
  /** Both or neither; without them the role of the machine is used. */
  accessKeyId: CurrentSecret;
  secretAccessKey: CurrentSecret;
  /** Timeout of one attempt. */
  timeoutMs: number;
}

const TRIES_MAX = 2;
const BUSY_RETRY_SECONDS = 5;

/** Looks up documents in an S3-compatible store by HEAD. Needs `s3:GetObject`, and `s3:ListBucket`: without it S3 responds 403 instead of 404. */
export function createS3DocumentStore(options: S3Options): DocumentStore<'s3'> {
  let opened: { credentials: Credentials; client: ReturnType<typeof openClient> } | undefined;
  /** Loads the SDK at the first lookup, because it is large. */
  const clientNow = () => {
    const credentials = credentialsNow(options);
    if (opened === undefined || !isSame(opened.credentials, credentials)) {
      opened = { credentials, client: openClient(options, credentials) };
    }
    return opened;
  };
  /** @throws VendorError */
  const ask = async ({ bucket, key }: { bucket: string; key: string }, signal: AbortSignal): Promise<boolean> => {
    const { credentials, client: opening } = clientNow();
    const { client, sdk } = await opening;
    try {
      await traced(
        () => ({ name: 'document store', kind: 'client', attributes: { 'peer.service': 'document store' } }),
        () => client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal }),
      );
      return true;
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) return false;
      if (status === 401 || status === 403) {
        await Promise.all([options.accessKeyId.readAgain(), options.secretAccessKey.readAgain()]);
        if (!isSame(credentials, credentialsNow(options))) return ask({ bucket, key }, signal);
      }
      throw errorOf(error);
    }
  };
  return { exists: ask };
}

interface Credentials {
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
}

function credentialsNow({ accessKeyId, secretAccessKey }: S3Options): Credentials {
  return { accessKeyId: accessKeyId.value(), secretAccessKey: secretAccessKey.value() };
}

function isSame(one: Credentials, other: Credentials): boolean {
  return one.accessKeyId === other.accessKeyId && one.secretAccessKey === other.secretAccessKey;
}

async function openClient({ endpoint, region, timeoutMs }: S3Options, { accessKeyId, secretAccessKey }: Credentials) {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    region,
    maxAttempts: TRIES_MAX,
    requestHandler: { requestTimeout: timeoutMs, connectionTimeout: timeoutMs, throwOnRequestTimeout: true },
    // Stores other than AWS serve buckets by path.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { credentials: { accessKeyId, secretAccessKey } }),
  });
  return { client, sdk };
}

interface SdkError {
  name?: string;
  $metadata?: { httpStatusCode?: number };
  $response?: { headers?: Record<string, string> };
}

function statusOf(error: unknown): number | undefined {
  return (error as SdkError).$metadata?.httpStatusCode;
}

/** Classifies an error of the SDK. Its message is dropped, because it may contain addresses. */
function errorOf(error: unknown): Error {
  const status = statusOf(error);
  const name = String((error as SdkError).name);
  if (status === 429 || /SlowDown|Throttl/.test(name)) {
    return new VendorBusy('The document store requested a slower rate.', retryAfterSeconds(error));
  }
  const isOurs =
    (status !== undefined && status >= 300 && status < 500 && status !== 408) || name === 'CredentialsProviderError';
  if (isOurs) {
    return new VendorMisconfigured(
      `The document store rejects our calls (${status ?? name}): check address, region, credentials and bucket.`,
    );
  }
  return new VendorUnavailable(`The document store cannot be reached (${status ?? name}).`);
}

function retryAfterSeconds(error: unknown): number {
  const sent = Number((error as SdkError).$response?.headers?.['retry-after']);
  return Number.isInteger(sent) && sent > 0 && sent <= 3_600 ? sent : BUSY_RETRY_SECONDS;
}
