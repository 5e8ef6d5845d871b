import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { settingsSchema } from '../../src/platform/settings.ts';
import { taskQueues } from '../../temporal.config.ts';
import { faultsOf } from './kubernetes-schemas.ts';
import { ROOT, textOf } from './project-files.ts';

// Renders the chart with helm and compares the result with the manifests of deploy/kubernetes. No cluster is used here.

const helm = process.env['HELM'] ?? 'helm';
const CHART = 'deploy/helm/gangway';
/** Each helm is a process, and other suites use the processors. */
const SLOW = 120_000;
const HOOKS = ['helm.sh/hook', 'helm.sh/hook-weight', 'helm.sh/hook-delete-policy'];

/** Runs helm on the chart; `--set-json` values by path. */
function run(command: 'lint' | 'template', values: Record<string, unknown> = {}) {
  const set = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  const args = command === 'lint' ? ['lint', '--strict', CHART] : ['template', 'gangway', CHART];
  const { status, stdout, stderr } = spawnSync(helm, [...args, '--namespace', 'gangway', ...set], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Rendered texts by values. */
const known = new Map<string, string>();

function rendered(values: Record<string, unknown> = {}): any[] {
  const key = JSON.stringify(values);
  if (!known.has(key)) {
    const { status, stdout, stderr } = run('template', values);
    if (status !== 0) throw new Error(stderr);
    known.set(key, stdout);
  }
  return manifestsIn(known.get(key)!);
}

function manifestsIn(text: string): any[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    const manifest = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}

const nameOf = ({ kind, metadata }: any) => `${kind} ${metadata.name}`;
const byName = (manifests: any[]) => new Map(manifests.map((one) => [nameOf(one), one]));

/** The manifests that `kubectl apply -k` of base, migrate and ingress applies, without those of the namespace. */
function kustomized(): any[] {
  return ['base', 'migrate', 'ingress'].flatMap((part) => {
    const folder = `deploy/kubernetes/${part}/`;
    const { resources, images = [], labels, configMapGenerator = [] } = parse(textOf(`${folder}kustomization.yaml`));
    const image = images.map(({ newName, newTag }: any) => `${newName}:${newTag}`)[0];
    const settings = configMapGenerator.map(({ name, envs }: any) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: Object.fromEntries(
        textOf(folder + envs[0])
          .split('\n')
          .filter((line) => /^[A-Z]/.test(line))
          .map((line) => line.split(/=(.*)/s).slice(0, 2)),
      ),
    }));
    const files = resources.flatMap((file: string) => manifestsIn(textOf(folder + file)));
    return [...files, ...settings]
      .filter(({ kind }) => kind !== 'Namespace')
      .map((manifest) => {
        const pod = manifest.spec?.template?.spec;
        if (pod !== undefined) pod.containers[0].image = image;
        Object.assign((manifest.metadata.labels ??= {}), ...labels.map(({ pairs }: any) => pairs));
        return manifest;
      });
  });
}

/** A manifest of the chart without what only Helm adds. */
function withoutHelm(manifest: any): any {
  const copy = structuredClone(manifest);
  const { labels, annotations = {} } = copy.metadata;
  for (const name of ['version', 'instance', 'managed-by']) delete labels[`app.kubernetes.io/${name}`];
  delete labels['helm.sh/chart'];
  for (const name of HOOKS) delete annotations[name];
  if (Object.keys(annotations).length === 0) delete copy.metadata.annotations;
  const { template } = copy.spec ?? {};
  delete template?.metadata.annotations;
  if (copy.kind === 'Job') template.spec.serviceAccountName = 'gangway';
  return copy;
}

/** Kinds of operators that a cluster may have, with the members that the chart uses. Written after their documentation. */
const closed = (properties: Record<string, object>, optional: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 0 };
const ofKind = (spec: object) =>
  closed({
    apiVersion: text,
    kind: text,
    metadata: closed({
      name: text,
      labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
    }),
    spec,
  });
const custom: Record<string, object> = {
  'monitoring.coreos.com/v1 PodMonitor': ofKind(
    closed({
      selector: { type: 'object' },
      podTargetLabels: { type: 'array', items: text },
      podMetricsEndpoints: {
        type: 'array',
        items: closed({
          port: text,
          interval: { type: 'string', pattern: '^[0-9]+s$' },
          relabelings: { type: 'array', items: closed({ targetLabel: text, replacement: text }) },
        }),
      },
    }),
  ),
  'keda.sh/v1alpha1 ScaledObject': ofKind(
    closed({
      scaleTargetRef: closed({ name: text }),
      minReplicaCount: count,
      maxReplicaCount: count,
      cooldownPeriod: count,
      triggers: {
        type: 'array',
        items: closed(
          {
            type: { const: 'temporal' },
            // KEDA reads strings only.
            metadata: closed({
              endpoint: text,
              namespace: text,
              taskQueue: text,
              queueTypes: { const: 'workflow,activity' },
              targetQueueSize: { type: 'string', pattern: '^[0-9]+$' },
            }),
            authenticationRef: closed({ name: text }),
          },
          ['authenticationRef'],
        ),
      },
    }),
  ),
  'temporal.io/v1alpha1 Connection': ofKind(
    closed(
      {
        hostPort: { type: 'string', pattern: '^[a-zA-Z0-9.-]+:[0-9]+$' },
        tls: { type: 'object' },
        mutualTLSSecretRef: closed({ name: text }),
        apiKeySecretRef: closed({ name: text, key: text }),
      },
      ['tls', 'mutualTLSSecretRef', 'apiKeySecretRef'],
    ),
  ),
  'temporal.io/v1alpha1 WorkerDeployment': ofKind(
    closed({
      replicas: count,
      workerOptions: closed({ connectionRef: closed({ name: text }), temporalNamespace: text }),
      rollout: closed({ strategy: text, steps: { type: 'array' } }, ['steps']),
      sunset: closed({ scaledownDelay: text, deleteDelay: text }),
      // Checked as the template of a Deployment.
      template: { type: 'object' },
    }),
  ),
};
const ajv = new Ajv({ allErrors: true });

function allFaultsOf(manifest: any): string[] {
  const schema = custom[`${manifest.apiVersion} ${manifest.kind}`];
  const faults =
    schema === undefined
      ? faultsOf(manifest)
      : ajv.validate(schema, manifest)
        ? []
        : ajv.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
  return faults.map((fault) => `${nameOf(manifest)} ${fault}`);
}

if (spawnSync(helm, ['version']).error === undefined) {
  test(
    'passes the linter, with the version of package.json',
    () => {
      expect(run('lint')).toMatchObject({ status: 0 });
      const { version } = JSON.parse(textOf('package.json'));
      expect(parse(textOf(`${CHART}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
    },
    SLOW,
  );

  test(
    'renders what Kustomize applies: containers, settings, probes, rights, policies and limits',
    () => {
      const own = byName(rendered({ 'ingress.enabled': true }));
      const theirs = kustomized();
      expect([...own.values()].flatMap(allFaultsOf)).toEqual([]);
      expect([...own.keys()].toSorted()).toEqual(['ServiceAccount gangway-migrate', ...theirs.map(nameOf)].toSorted());
      for (const manifest of theirs) expect(withoutHelm(own.get(nameOf(manifest)))).toEqual(manifest);
    },
    SLOW,
  );

  test(
    'migrates before it replaces pods, and again at each upgrade',
    () => {
      const own = byName(rendered());
      expect(own.get('Job migrate').metadata.annotations).toEqual({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      });
      const account = own.get('ServiceAccount gangway-migrate');
      expect(own.get('Job migrate').spec.template.spec.serviceAccountName).toBe(account.metadata.name);
      // Hooks run in the order of their weights, and the default is 0.
      expect(Number(account.metadata.annotations['helm.sh/hook-weight'])).toBeLessThan(0);
      expect(byName(rendered({ 'migrate.enabled': false })).has('Job migrate')).toBe(false);
    },
    SLOW,
  );

  test(
    'replaces the pods of a process whose settings changed, and no others',
    () => {
      const marks = (values: Record<string, unknown>) =>
        rendered(values)
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ metadata, spec }) => [metadata.name, spec.template.metadata.annotations['checksum/settings']]);
      const before = marks({});
      const changed = (values: Record<string, unknown>) => {
        const after = Object.fromEntries(marks(values));
        return before.filter(([name, mark]) => after[name!] !== mark).map(([name]) => name);
      };
      expect(changed({ 'worker.settings': { STRIPE_URL: 'https://stripe.example' } })).toEqual(['worker']);
      expect(changed({ 'settings.LOG_LEVEL': 'debug' })).toEqual(['api', 'support-site', 'worker']);
    },
    SLOW,
  );

  test(
    'scales workers by the backlog of existing task queues',
    () => {
      const own = rendered({ 'worker.keda.enabled': true, 'worker.keda.authentication': 'temporal' });
      expect(own.flatMap(allFaultsOf)).toEqual([]);
      const { spec } = byName(own).get('ScaledObject worker');
      const queues = spec.triggers.map(({ metadata }: any) => metadata.taskQueue);
      expect(queues.filter((queue: string) => !Object.values<string>(taskQueues).includes(queue))).toEqual([]);
      // Otherwise each upgrade would reset the count.
      expect(byName(own).get('Deployment worker').spec.replicas).toBeUndefined();
    },
    SLOW,
  );

  test(
    'leaves the workers to the Temporal Worker Controller, with the pods of the Deployment',
    () => {
      const apiKeySecretRef = { name: 'gangway-temporal', key: 'api-key' };
      const own = rendered({ 'worker.controller.enabled': true, 'worker.controller.connection': { apiKeySecretRef } });
      expect(own.flatMap(allFaultsOf)).toEqual([]);
      expect(byName(own).has('Deployment worker')).toBe(false);
      const { spec } = byName(own).get('WorkerDeployment worker');
      expect(spec.template).toEqual(byName(rendered()).get('Deployment worker').spec.template);
      expect(byName(own).get(`Connection ${spec.workerOptions.connectionRef.name}`).spec).toEqual({
        hostPort: 'temporal-frontend.temporal:7233',
        apiKeySecretRef,
      });
      expect(run('template', { 'worker.controller.enabled': true, 'worker.keda.enabled': true }).stderr).toContain(
        'exclude each other',
      );
    },
    SLOW,
  );

  test(
    'lets Prometheus find the ports of metrics, under the jobs of the alerts',
    () => {
      const own = rendered({ 'podMonitor.enabled': true });
      expect(own.flatMap(allFaultsOf)).toEqual([]);
      const endpoints = byName(own).get('PodMonitor gangway').spec.podMetricsEndpoints;
      const jobs = endpoints.map(({ relabelings }: any) => relabelings[0].replacement);
      expect(jobs).toEqual(
        parse(textOf('deploy/monitoring/prometheus.yml')).scrape_configs.map((one: any) => one.job_name),
      );
      for (const name of ['api', 'worker', 'support-site']) {
        const ports = byName(own).get(`Deployment ${name}`).spec.template.spec.containers[0].ports;
        expect(ports.map((one: any) => one.name)).toEqual(
          expect.arrayContaining(endpoints.map(({ port }: any) => port)),
        );
      }
    },
    SLOW,
  );

  test(
    'gives the payload key to the three processes as a file',
    () => {
      const own = rendered({ 'payloadKey.enabled': true });
      expect(own.flatMap(allFaultsOf)).toEqual([]);
      for (const { metadata, spec } of own.filter(({ kind }) => kind === 'Deployment')) {
        const [{ env, volumeMounts }] = spec.template.spec.containers;
        const { value } = env.find(({ name }: any) => name === 'TEMPORAL_PAYLOAD_KEY_FILE');
        const mount = volumeMounts.find(({ mountPath }: any) => value.startsWith(`${mountPath}/`));
        const volume = spec.template.spec.volumes.find(({ name }: any) => name === mount.name);
        expect([metadata.name, volume.secret.secretName]).toEqual([metadata.name, 'gangway-temporal']);
      }
    },
    SLOW,
  );

  test.each([
    ['an unknown value', { 'api.replica': 3 }, 'replica'],
    ['a number as a setting', { 'settings.METRICS_PORT': 9464 }, 'METRICS_PORT'],
    ['a setting in lower case', { 'worker.settings': { stripe_url: 'x' } }, 'stripe_url'],
    ['no address of Temporal', { settings: null }, 'settings'],
    ['an address without a scheme', { 'supportSite.url': 'support.example' }, 'url'],
  ])(
    'rejects %s',
    (_case, values, named) => {
      const { status, stderr } = run('template', values);
      expect(status).not.toBe(0);
      expect(stderr).toContain(named);
    },
    30_000,
  );

  test('names only existing settings in its values', () => {
    const { settings, api, worker, supportSite } = parse(textOf(`${CHART}/values.yaml`));
    const names = [settings, api.settings, worker.settings, supportSite.settings].flatMap(Object.keys);
    const existing = Object.keys(settingsSchema.properties);
    expect(names.filter((name) => !existing.includes(name.replace(/_FILE$/, '')))).toEqual([]);
  });
} else {
  process.stderr.write(
    'NOT RUN: helm is not on PATH, so the chart is not rendered. Install Helm 3.18 or newer, or set HELM.\n',
  );
}
