// Cuts the schemas of the kinds that are used here out of api/openapi-spec/swagger.json of k8s.io/kubernetes.
// usage: node deploy/kubernetes/schemas/trim.mjs <swagger.json> <release> <deploy/kubernetes/schemas/kubernetes.json>
import { readFileSync, writeFileSync } from 'node:fs';

const KINDS = [
  'api.core.v1.Namespace',
  'api.core.v1.Service',
  'api.core.v1.ServiceAccount',
  'api.core.v1.ConfigMap',
  'api.apps.v1.Deployment',
  'api.batch.v1.Job',
  'api.autoscaling.v2.HorizontalPodAutoscaler',
  'api.networking.v1.Ingress',
  'api.networking.v1.NetworkPolicy',
  'api.policy.v1.PodDisruptionBudget',
].map((kind) => `io.k8s.${kind}`);

const [source, release, target] = process.argv.slice(2);
const { definitions: all } = JSON.parse(readFileSync(source, 'utf8'));
const definitions = {};

/** What checks a value stays; what describes it goes, and so does what only a server writes. */
function trimmed(schema) {
  if (Array.isArray(schema)) return schema.map(trimmed);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref !== undefined) return { $ref: take(schema.$ref) };
  const { description: _description, default: _default, ...rest } = schema;
  const members = Object.entries(rest).filter(
    ([name]) => !name.startsWith('x-kubernetes-') || name === 'x-kubernetes-group-version-kind',
  );
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      name === 'properties'
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([property]) => property !== 'status' && property !== 'managedFields')
              .map(([property, of]) => [property, trimmed(of)]),
          )
        : trimmed(value),
    ]),
  );
}

function take(reference) {
  const name = reference.replace('#/definitions/', '');
  if (!(name in definitions)) {
    definitions[name] = {};
    definitions[name] = trimmed(all[name]);
  }
  return `#/definitions/${name}`;
}

for (const kind of KINDS) take(kind);
const about = `From api/openapi-spec/swagger.json of Kubernetes ${release}, trimmed by trim.mjs: descriptions, defaults and status left out. Copyright The Kubernetes Authors, Apache License 2.0 (LICENSE beside this file).`;
writeFileSync(target, `${JSON.stringify({ $comment: about, definitions }, null, 1)}\n`);
