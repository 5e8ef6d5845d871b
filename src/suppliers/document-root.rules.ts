import type { DocumentLocation } from '../vendors/document-store/document-store.port.ts';
import { isContainedDocumentPath, relativeDocumentPath } from '../vocabulary/wire-forms.ts';

const S3_ROOT = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s;
const FOLDER_ROOT = /^file:\/\/(\/.*)$/s;

/** Location of an import supplier's documents: a prefix in a bucket, or a folder. */
export type DocumentRoot = { kind: 's3'; bucket: string; prefix: string } | { kind: 'folder'; folder: string };

/**
 * Parses a document root: `s3://bucket/prefix/` or `file:///folder/`, with or without the trailing slash.
 * @returns undefined for anything else, and for a root that contains ".."
 */
export function parseDocumentRoot(root: string): DocumentRoot | undefined {
  const [, bucket, prefix = ''] = S3_ROOT.exec(root) ?? [];
  if (bucket !== undefined) {
    return leadsElsewhere(prefix) ? undefined : { kind: 's3', bucket, prefix: withoutSlashesAround(prefix) };
  }
  const [, folder] = FOLDER_ROOT.exec(root) ?? [];
  return folder === undefined || leadsElsewhere(folder)
    ? undefined
    : { kind: 'folder', folder: `/${withoutSlashesAround(folder)}` };
}

/**
 * Joins a document root with a document path.
 * @returns undefined for a path that would leave the root
 */
export function locateDocument(root: DocumentRoot, documentPath: string): DocumentLocation | undefined {
  const path = relativeDocumentPath(documentPath);
  if (path === '' || !isContainedDocumentPath(path)) return undefined;
  if (root.kind === 'folder') return { kind: 'folder', folder: root.folder, path };
  return { kind: 's3', bucket: root.bucket, key: root.prefix === '' ? path : `${root.prefix}/${path}` };
}

function leadsElsewhere(path: string): boolean {
  return path.includes('\0') || path.includes('\\') || path.split('/').includes('..');
}

function withoutSlashesAround(path: string): string {
  return path.replace(/^\/+/, '').replace(/\/+$/, '');
}
