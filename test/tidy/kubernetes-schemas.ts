import { Ajv } from 'ajv';
import { textOf } from './project-files.ts';

const schemas = JSON.parse(textOf('deploy/kubernetes/schemas/kubernetes.json'));
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { 'date-time': true, byte: true, int32: true, int64: true },
});
ajv.addSchema({ $id: 'kubernetes', definitions: strict(schemas.definitions) });

/** Rejects members that a kind does not know; a port number may be given by name. */
function strict(definitions: Record<string, any>): Record<string, any> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [
      name,
      schema.format === 'int-or-string'
        ? { type: ['string', 'integer'] }
        : schema.properties === undefined || schema.additionalProperties !== undefined
          ? schema
          : { ...schema, additionalProperties: false },
    ]),
  );
}

/** What the schemas of Kubernetes reject in a manifest, one line each. */
export function faultsOf(manifest: any): string[] {
  const [version, group = 'core'] = String(manifest.apiVersion).split('/').toReversed();
  const name = `io.k8s.api.${group.replace('.k8s.io', '')}.${version}.${manifest.kind}`;
  const check = name in schemas.definitions ? ajv.getSchema(`kubernetes#/definitions/${name}`) : undefined;
  if (check === undefined) return [`${name} does not exist`];
  check(manifest);
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
