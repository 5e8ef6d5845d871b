// Strips the types, keeps every line where it is. Node does the same when it runs the service.
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

export default {
  canInstrument: false,
  getCacheKey: (source, path) => createHash('sha1').update(`${process.version}${path}\0${source}`).digest('hex'),
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
};
