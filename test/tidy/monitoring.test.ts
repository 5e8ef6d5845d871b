import { expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { textOf } from './project-files.ts';

// Rules and dashboard use metrics that the service has, in expressions that Prometheus accepts. promtool tests the
// rules.

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}
interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const { groups } = parse(textOf('deploy/monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(textOf('deploy/monitoring/dashboard.json')) as { panels: Panel[] };
const expressions: [where: string, expression: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
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
    const name = /^\w+/.exec(selector)![0];
    if (OF_PROMETHEUS.includes(name)) continue;
    const metric = ours.get(name) ?? ours.get(name.replace(HISTOGRAM, ''));
    expect({ name, kind: metric?.kind }).toEqual({
      name,
      kind: ours.has(name) ? expect.stringMatching(/^(?:gauge|counter)$/) : 'histogram',
    });
    const labels = named(selector, ['LabelName']).found;
    expect(labels.filter((label) => !metric!.labels.includes(label))).toEqual([]);
  }
});

test('documents and tests each alert', () => {
  const sections = [...textOf('docs/running/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, title]) => title!);
  expect(rules.map(({ alert }) => alert)).toEqual(sections);
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook_url).toBe(`{{ $externalLabels.runbooks }}/alerts.md#${alert.toLowerCase()}`);
  }
  const { tests } = parse(textOf('deploy/monitoring/alerts.test.yml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const tested = tests.flatMap((one) => one.alert_rule_test);
  for (const alert of sections) {
    const raised = tested.filter(({ alertname }) => alertname === alert).map(({ exp_alerts: told }) => told.length > 0);
    expect({ alert, raised: new Set(raised) }).toEqual({ alert, raised: new Set([true, false]) });
  }
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
