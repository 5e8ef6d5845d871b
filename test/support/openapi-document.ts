import { appendFileSync } from 'node:fs';
import { publishedDocument } from '../../src/docs/published-document.ts';
import type { OpenApiDocument } from '../../src/openapi/openapi-document.ts';
import { healthRoutes } from '../../src/platform/http/health.route.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { buildRoutes, type RouteDeps } from '../../src/processes/routes.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { openApiCheckOf, type OpenApiCheck } from './openapi-check.ts';

/** All routes of the service. They cannot be called, because their dependencies are missing. */
export function allRoutes(): Route[] {
  return [...healthRoutes({} as never), ...buildRoutes({ settings: readSettings({}) } as RouteDeps)];
}

/** The OpenAPI document as the service publishes it. */
export const openApiDocument: () => OpenApiDocument = publishedDocument;

let check: OpenApiCheck | undefined;

const seen = new Set<string>();

/**
 * Throws if a response does not match the OpenAPI document; accepts paths that the document lacks. Records responses,
 * except those to random requests, so that test/tidy/unprovoked-answers.ts can compare the whole run with the document.
 */
export function validateAgainstOpenApi(
  method: string,
  path: string,
  answer: Parameters<OpenApiCheck>[2],
  isDrawn = false,
): void {
  check ??= openApiCheckOf(openApiDocument());
  const operations = check(method, path, answer);
  const file = process.env['ANSWERS_SEEN_FILE'];
  if (file === undefined || isDrawn) return;
  const { status, body } = answer;
  const code = status < 400 ? '' : ((body as { code?: string } | undefined)?.code ?? '');
  for (const line of operations.map((operation) => `${operation} ${status} ${code}`.trim())) {
    if (!seen.has(line)) appendFileSync(file, `${line}\n`);
    seen.add(line);
  }
}
