import { execFileSync } from 'node:child_process';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Creates an authority in a folder: `<name>.pem` and its key `<name>.key`. */
export function makeAuthority(folder: string, name: string): void {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  openssl(folder, ['req', '-x509', ...NEW_KEY, ...files, '-subj', `/CN=${name}`, '-days', '2']);
}

export interface CertificateOptions {
  /** Its purpose, in openssl's syntax. */
  extension: string;
  /** The certified name; by default the name of the file. */
  commonName?: string;
  /** Days of validity, two by default; a certificate with 0 days expires within the second. */
  days?: number;
}

/** Creates a certificate signed by the authority `ca` of the folder: `<name>.pem` and its key `<name>.key`. */
export function makeCertificate(
  folder: string,
  name: string,
  { extension, commonName = name, days = 2 }: CertificateOptions,
): void {
  const request = `${name}.csr`;
  const files = ['-keyout', `${name}.key`, '-out', request];
  openssl(folder, ['req', ...NEW_KEY, ...files, '-subj', `/CN=${commonName}`, '-addext', extension]);
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  const signing = ['-in', request, '-copy_extensions', 'copy'];
  openssl(folder, ['x509', '-req', ...signing, ...authority, '-out', `${name}.pem`, '-days', String(days)]);
}

function openssl(folder: string, args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
}
