import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { VendorMisconfigured, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import type { DocumentStore } from './document-store.port.ts';

/** Error codes for a file that does not exist. */
const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** Looks up documents in a folder of this machine, for example a mounted share. Links that lead out of the folder count as missing. */
export function createFolderDocumentStore(): DocumentStore<'folder'> {
  return {
    exists: async ({ folder, path }, signal) => {
      if (signal.aborted) throw new VendorUnavailable('The documents could not be looked up in time.');
      const root = await realpath(folder).catch((error: unknown) => {
        throw new VendorMisconfigured(`The folder of the documents cannot be opened (${codeOf(error)}).`);
      });
      try {
        const found = await realpath(join(root, path));
        return found.startsWith(root === sep ? sep : root + sep) && (await stat(found)).isFile();
      } catch (error) {
        if (NOT_THERE.has(codeOf(error))) return false;
        if (codeOf(error) === 'EACCES') {
          throw new VendorMisconfigured('This process has no permission to read a folder of documents.');
        }
        throw new VendorUnavailable(`The folder of the documents cannot be read (${codeOf(error)}).`);
      }
    },
  };
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? 'no code';
}
