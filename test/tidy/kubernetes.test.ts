import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings, settingsSchema } from '../../src/platform/settings.ts';
import { faultsOf } from './kubernetes-schemas.ts';
import { filesUnder, ROOT, textOf } from './project-files.ts';

// Compares the manifests for Kubernetes with the schemas of Kubernetes and with the compose file. No cluster is used
// here.

const FOLDER = 'deploy/kubernetes/';
const KUSTOMIZATIONS = ['base', 'migrate', 'ingress'].map((part) => `${FOLDER}${part}/kustomization.yaml`);
const documentsOf = (path: string) =>
  parseAllDocuments(textOf(path)).map((document) => {
    // The parser continues after an error, with a wrong result.
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]!.message}`);
    return { path, manifest: document.toJS() };
  });
const manifests = filesUnder(FOLDER)
  .filter((path) => path.endsWith('.yaml') && !KUSTOMIZATIONS.includes(path))
  .flatMap(documentsOf);
const ofKind = (kind: string) => manifests.map(({ manifest }) => manifest).filter((one) => one.kind === kind);
const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
const containerOf = (workload: any) => workload.spec.template.spec.containers[0];
const compose = parse(textOf('docker-compose.yml'), { merge: true });

/** Settings that a process gets, by name. */
function environmentOf(workload: any): Record<string, string> {
  const { env = [], envFrom } = containerOf(workload);
  const shared = textOf(`${FOLDER}base/settings.env`)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => line.split(/=(.*)/s).slice(0, 2));
  return {
    ...(envFrom ? Object.fromEntries(shared) : {}),
    ...Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value])),
  };
}

test('contains only valid manifests of Kubernetes without unknown members', () => {
  expect(manifests.length).toBeGreaterThan(10);
  expect(manifests.flatMap(({ path, manifest }) => faultsOf(manifest).map((fault) => `${path} ${fault}`))).toEqual([]);
});

test('detects a misspelled member, a wrong type and a missing member', () => {
  const broken = structuredClone(ofKind('Deployment')[0]);
  broken.spec.template.spec.containers[0].volumeMount = [];
  broken.spec.template.spec.terminationGracePeriodSeconds = '45';
  delete broken.spec.selector;
  expect(faultsOf(broken)).toEqual([
    expect.stringContaining("must have required property 'selector'"),
    expect.stringContaining('volumeMount"'),
    expect.stringContaining('/spec/template/spec/terminationGracePeriodSeconds must be integer'),
  ]);
});

test('applies each manifest, with the version of package.json', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  for (const path of KUSTOMIZATIONS) {
    const { resources, images, namespace } = parse(textOf(path));
    const folder = path.replace('kustomization.yaml', '');
    expect(manifests.map((one) => one.path).filter((one) => one.startsWith(folder))).toEqual(
      expect.arrayContaining(resources.map((name: string) => folder + name)),
    );
    expect(filesUnder(folder).filter((one) => one.endsWith('.yaml') && one !== path)).toEqual(
      resources.map((name: string) => folder + name).toSorted(),
    );
    expect(namespace).toBe('gangway');
    const hasPods = manifests.some((one) => one.path.startsWith(folder) && workloads.includes(one.manifest));
    expect(images).toEqual(hasPods ? [expect.objectContaining({ name: 'gangway', newTag: version })] : undefined);
  }
});

test.each(workloads.map((workload) => [workload.metadata.name, workload]))(
  'gives %s the settings of the compose file',
  (name, workload) => {
    const given = environmentOf(workload);
    const composed = Object.keys(compose.services[name].environment);
    const onlyThere = name === 'migrate' ? composed.filter((setting) => !setting.endsWith('_FILE')) : [];
    expect(Object.keys(given).toSorted()).toEqual(
      composed.filter((setting) => !onlyThere.includes(setting)).toSorted(),
    );
    const names = Object.keys(given).map((setting) => setting.replace(/_FILE$/, ''));
    expect(names.filter((setting) => !(setting in settingsSchema.properties))).toEqual([]);
    const plain = Object.fromEntries(Object.entries(given).filter(([setting]) => !setting.endsWith('_FILE')));
    expect(() => readSettings(plain)).not.toThrow();
  },
);

test.each(workloads.map((workload) => [workload.metadata.name, workload]))(
  'runs an existing program in %s as an unprivileged user, with files for its secrets',
  (_name, workload) => {
    const { spec } = workload.spec.template;
    const container = containerOf(workload);
    expect(spec.containers).toHaveLength(1);
    expect(container.command[0]).toBe('node');
    // Built from this source with the image (bundle-programs.ts).
    const [, program] = /^programs\/([\w-]+)\.mjs$/.exec(container.command[1])!;
    expect(existsSync(join(ROOT, `src/processes/${program}.ts`))).toBe(true);
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: ofKind('ServiceAccount')[0].metadata.name,
      // Otherwise Kubernetes sets variables for each service of the namespace, some of which may be settings, such as
      // HTTP_PORT.
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({ requests: { memory: expect.any(String) }, limits: expect.anything() });
    const mounts: { name: string; mountPath: string; subPath?: string }[] = container.volumeMounts;
    expect(mounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }: { name: string }) => name));
    // A file that is mounted alone never changes.
    expect(mounts.filter(({ subPath }) => subPath !== undefined)).toEqual([]);
    const paths = Object.entries(environmentOf(workload)).filter(([name]) => name.endsWith('_FILE'));
    expect(paths.length).toBeGreaterThan(0);
    for (const [, path] of paths) {
      expect(mounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`))).toBe(true);
    }
  },
);

test.each(ofKind('Deployment').map((deployment) => [deployment.metadata.name, deployment]))(
  '%s stops in its time, is probed where it answers, and replaces pods one after the other',
  (_name, deployment) => {
    const { spec } = deployment.spec.template;
    const container = containerOf(deployment);
    const before = container.lifecycle?.preStop.sleep.seconds ?? 0;
    // The second 10 s are those after which runProcess forces the stop.
    expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
      before * 1_000 + readSettings({}).SHUTDOWN_GRACE_MS + 10_000,
    );
    const ports = new Map(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    const settings = readSettings(
      Object.fromEntries(Object.entries(environmentOf(deployment)).filter(([name]) => !name.endsWith('_FILE'))),
    );
    expect([settings.HTTP_PORT, settings.SUPPORT_SITE_PORT, settings.WORKER_HEALTH_PORT]).toContain(
      ports.get('http') ?? ports.get('health'),
    );
    expect([ports.get('metrics'), ports.get('sdk-metrics')]).toEqual([
      settings.METRICS_PORT,
      settings.TEMPORAL_METRICS_PORT,
    ]);
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      expect(['/healthz/live', '/healthz/ready']).toContain(container[probe].httpGet.path);
      expect([...ports.keys()]).toContain(container[probe].httpGet.port);
    }
    // Outages of Postgres or Temporal restart nothing.
    expect(container.livenessProbe.httpGet.path).toBe('/healthz/live');
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
  },
);

test('gives each process only its own secrets', () => {
  const secretsOf = (workload: any) =>
    workload.spec.template.spec.volumes.flatMap(({ secret }: any) => (secret ? [secret.secretName] : [])).toSorted();
  const settingsOf = (workload: any) =>
    (containerOf(workload).envFrom ?? []).map(({ configMapRef }: any) => configMapRef.name);
  const made = parse(textOf(`${FOLDER}base/kustomization.yaml`)).configMapGenerator.map(({ name, envs }: any) => [
    name,
    ...envs,
  ]);
  for (const workload of ofKind('Deployment')) {
    const { name } = workload.metadata;
    expect(secretsOf(workload)).toEqual([`gangway-${name}`, 'gangway-database'].toSorted());
    expect(settingsOf(workload)).toEqual(['gangway-settings', `gangway-${name}-settings`]);
    expect(made).toContainEqual([`gangway-${name}-settings`, `${name}.env`]);
  }
  expect(ofKind('Job').map(secretsOf)).toEqual([['gangway-database', 'gangway-migrate']]);
  expect(textOf(`${FOLDER}base/settings.env`).match(/^\w+_FILE/gm)).toEqual(['DATABASE_URL_FILE']);
});

test('selects existing pods in every selector, at ports that they have', () => {
  const pods = workloads.map((workload) => ({
    labels: workload.spec.template.metadata.labels as Record<string, string>,
    ports: (containerOf(workload).ports ?? []).map(({ name }: { name: string }) => name) as string[],
  }));
  const fits = (labels: Record<string, string>, selector: any): boolean =>
    Object.entries(selector.matchLabels ?? {}).every(([name, value]) => labels[name] === value) &&
    (selector.matchExpressions ?? []).every(
      ({ key, operator, values }: { key: string; operator: string; values: string[] }) =>
        values.includes(labels[key]!) === (operator === 'In'),
    );
  const selectors = [
    ...ofKind('Service').map((one) => ({ one, selector: { matchLabels: one.spec.selector } })),
    ...ofKind('PodDisruptionBudget').map((one) => ({ one, selector: one.spec.selector })),
    ...ofKind('NetworkPolicy').map((one) => ({ one, selector: one.spec.podSelector })),
  ];
  for (const { one, selector } of selectors) {
    const selected = pods.filter(({ labels }) => fits(labels, selector));
    expect({ name: one.metadata.name, selected: selected.length > 0 }).toMatchObject({ selected: true });
    const named = [
      ...(one.kind === 'Service' ? one.spec.ports.map((port: any) => port.targetPort) : []),
      ...(one.spec.ingress ?? []).flatMap((rule: any) => rule.ports.map(({ port }: { port: unknown }) => port)),
    ];
    const had = selected.flatMap(({ ports }) => ports);
    expect(named.filter((port) => !had.includes(port))).toEqual([]);
  }
  const scaled = ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name);
  // Otherwise each `apply` would reset the count.
  expect(
    ofKind('Deployment')
      .filter(({ spec }) => spec.replicas === undefined)
      .map(({ metadata }) => metadata.name),
  ).toEqual(scaled);
});

test("leads the ingress to a port of a service, with the API's body limit", () => {
  const [ingress] = ofKind('Ingress');
  const { service } = ingress.spec.rules[0].http.paths[0].backend;
  const target = ofKind('Service').find(({ metadata }) => metadata.name === service.name);
  expect(target.spec.ports).toContainEqual(expect.objectContaining({ name: service.port.name }));
  expect(ingress.spec.tls[0].hosts).toEqual([ingress.spec.rules[0].host]);
  const { annotations } = ingress.metadata;
  expect(annotations['nginx.org/max-fails']).toBe('0');
  const [, partBytes] = /PART_BYTES_MAX = ([\d_]+)/.exec(textOf('src/import-jobs/upload/upload-part.route.ts'))!;
  const size = `${Number(partBytes!.replaceAll('_', '')) / 1_048_576}m`;
  expect([
    annotations['nginx.org/client-max-body-size'],
    annotations['nginx.ingress.kubernetes.io/proxy-body-size'],
  ]).toEqual([size, size]);
});
