import { expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { refusals } from '../../src/vocabulary/refusals.ts';
import { allRoutes } from '../support/openapi-document.ts';
import { textOf } from './project-files.ts';

// Rules and dashboard use metrics that the service has, in expressions that Prometheus accepts. promtool tests the
// rules.

interface AlertRule {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}
interface RecordingRule {
  record: string;
  expr: string;
  labels?: Record<string, string>;
}
interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const allRules = ['alerts', 'objectives'].flatMap((name) => {
  const { groups } = parse(textOf(`deploy/monitoring/${name}.yml`)) as {
    groups: { rules: (AlertRule | RecordingRule)[] }[];
  };
  return groups.flatMap((group) => group.rules);
});
const rules = allRules.filter((rule) => 'alert' in rule);
const recordings = allRules.filter((rule) => 'record' in rule);
const { panels } = JSON.parse(textOf('deploy/monitoring/dashboard.json')) as { panels: Panel[] };
const expressions: [where: string, expression: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  // An objective itself is a number.
  ...recordings
    .filter(({ record }) => record !== 'slo:objective:ratio')
    .map(({ record, expr, labels }): [string, string] => [`${record} ${labels?.['slo'] ?? ''}`, expr]),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
];

/** Written by Prometheus itself when it reads a histogram. */
const OF_PROMETHEUS = ['up'];
/** The names by which a histogram is queried. */
const HISTOGRAM = /_(?:bucket|sum|count)$/;
const ours = new Map(
  textOf('docs/running/metrics.md')
    .matchAll(/^\| `(\w+)` \| (\w+)[^|]*\| ([^|]*)\|/gm)
    .map(([, name, kind, labels]) => [
      name!,
      { kind: kind!, labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!) },
    ]),
);

/** Names of nodes of a kind, and whether Prometheus could parse the whole expression. */
function named(expression: string, kinds: readonly string[]): { found: string[]; isWhole: boolean } {
  // Variables that Grafana replaces.
  const text = expression.replaceAll('$__rate_interval', '5m');
  const found: string[] = [];
  let isWhole = true;
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) isWhole = false;
      if (kinds.includes(node.name)) found.push(text.slice(node.from, node.to));
    },
  });
  return { found, isWhole };
}

test.each(expressions)('%s uses only metrics and labels that the service has', (_where, expression) => {
  const { found: selectors, isWhole } = named(expression, ['VectorSelector']);
  expect(isWhole).toBe(true);
  expect(selectors.length).toBeGreaterThan(0);
  for (const selector of selectors) {
    const name = /^[\w:]+/.exec(selector)![0];
    if (OF_PROMETHEUS.includes(name) || recordings.some(({ record }) => record === name)) continue;
    const metric = ours.get(name) ?? ours.get(name.replace(HISTOGRAM, ''));
    expect({ name, kind: metric?.kind }).toEqual({
      name,
      kind: ours.has(name) ? expect.stringMatching(/^(?:gauge|counter)$/) : 'histogram',
    });
    const labels = named(selector, ['LabelName']).found;
    // The bound of a bucket is a label of every histogram.
    const own = [...metric!.labels, ...(metric!.kind === 'histogram' ? ['le'] : [])];
    expect(labels.filter((label) => !own.includes(label))).toEqual([]);
  }
});

test('documents and tests each alert', () => {
  const sections = [...textOf('docs/running/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, title]) => title!);
  expect(rules.map(({ alert }) => alert)).toEqual(sections);
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`{{ $externalLabels.runbooks }}/alerts.md#${alert.toLowerCase()}`);
  }
  const tested = ['alerts', 'objectives'].flatMap((name) => {
    const { tests } = parse(textOf(`deploy/monitoring/${name}.test.yml`)) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    return tests.flatMap((one) => one.alert_rule_test);
  });
  for (const alert of sections) {
    const raised = tested.filter(({ alertname }) => alertname === alert).map(({ exp_alerts: told }) => told.length > 0);
    expect({ alert, raised: new Set(raised) }).toEqual({ alert, raised: new Set([true, false]) });
  }
});

test('counts the responses of the service as bad, by status and by code', () => {
  const ofService = Object.entries(refusals).flatMap(([code, { status }]) => (status >= 500 ? [code] : []));
  const [, outcomes] = /outcome=~"([^"]+)"/.exec(textOf('deploy/monitoring/objectives.yml'))!;
  expect(outcomes!.split('|').toSorted()).toEqual(ofService.toSorted());
});

test('names only routes in the objectives for latency, and bounds that the histograms have', () => {
  const text = textOf('deploy/monitoring/objectives.yml');
  const routes = allRoutes().map(({ path }) => path);
  const alternatives = [...text.matchAll(/http_route!~"\.\*\/\(\?:([^"]+)\)\/\?"/g)].flatMap(([, all]) =>
    all!.split('|'),
  );
  expect(alternatives.length).toBeGreaterThan(10);
  const unknown = alternatives.filter((one) => !routes.some((path) => new RegExp(`/${one}$`).test(path)));
  expect(unknown).toEqual([]);
  const buckets = textOf('src/platform/metrics/metrics.ts')
    .match(/DURATION_BUCKETS = \[(.*)\]/)![1]!
    .split(', ');
  expect(buckets).toEqual(expect.arrayContaining([...text.matchAll(/le=~"(\d+)\(/g)].map(([, bound]) => bound)));
});

const promtool = process.env['PROMTOOL'] ?? 'promtool';
if (spawnSync(promtool, ['--version']).error === undefined) {
  test('fires and silences the alert rules as their tests expect', () => {
    const output = execFileSync('sh', ['deploy/monitoring/check.sh'], { encoding: 'utf8', stdio: 'pipe' });
    expect(output).toContain('SUCCESS');
  });
} else {
  process.stderr.write(
    'NOT RUN: promtool is not on PATH, so the alert rules are not tested. Install the package `prometheus`, or set PROMTOOL.\n',
  );
}
