import type { Actor, Flash } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Viewer } from '../../platform/http/route.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Settings } from '../../platform/settings.ts';
import type { WorkRuns } from '../../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import type { OverviewReader } from '../../overview/index.ts';
import type { CurrentCertificateKeys } from '../../reconciliation/index.ts';
import type { StuckWork } from '../../stuck/index.ts';
import type { SupplierDirectory } from '../../suppliers/index.ts';
import type { OperatorAction } from '../../vocabulary/operator-actions.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Html } from './html.ts';

/** The dependencies of pages. */
export interface SiteDeps {
  settings: Settings;
  clock: Clock;
  database: Database;
  /** A separate pool for long reads, so that other pages do not wait for them. */
  lists: Database;
  gateway: TemporalGateway;
  runs: WorkRuns;
  log: Log;
  stuck: StuckWork;
  overview: OverviewReader;
  suppliers: SupplierDirectory;
  certificateKeys: CurrentCertificateKeys;
  /** Address of a run in Temporal's web UI; undefined without TEMPORAL_UI_URL. */
  runAddress(workflowId: string): string | undefined;
  /** Address of a page of the API, such as that of a code; undefined without API_URL. */
  apiAddress(path: string): string | undefined;
}

/** A request for a page, with all that pages need to answer it. */
export interface PageRequest extends SiteDeps {
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of a form; empty with GET. */
  form: URLSearchParams;
  /** The file of a form, on pages with `fileBytesMax`. */
  file: AsyncIterable<Buffer>;
  /** Id of the session, which is not its secret. */
  sessionId: string;
  /** What a person of import suppliers may see; undefined for staff. `suppliers` and a filter by import supplier are restricted to it. */
  viewer: Viewer | undefined;
  /** The person as the audit names them. */
  actor: Actor;
  /** The actor, as calls of the operator API name it. */
  caller: Actor;
  /** Whether this person may do something. Pages hide other buttons; `servePage` checks the permission. */
  may(action: OperatorAction): boolean;
  /** The hidden field that every form needs. */
  formToken: Html;
  /** Encrypts a text for an address, readable by this session only. */
  seal(text: string): string;
  /** Decrypts a text that this session has sealed; undefined for others. */
  unseal(sealed: string): string | undefined;
  /** The columns and rows per page that the person has chosen for a list. */
  savedView(list: string): string | undefined;
  /** Path and query of the request, for links back. */
  here: string;
  /** Whether htmx loads a part of a page. */
  isForPart: boolean;
  /** When the request was received. */
  now: Date;
  hungUp(): AbortSignal;
}

/** The title and content of a page. */
interface ShownPage {
  title: string;
  body: Html;
  /** Of a page whose form was rejected; otherwise 200. */
  status?: number | undefined;
}

/** A part of a page that htmx replaces. */
interface Fragment {
  fragment: Html;
}

/** The page that follows a form, with a message. */
interface Redirect {
  redirect: string;
  flash?: Flash;
  /** What the person has chosen for a list, to be kept. */
  view?: { list: string; value: string };
}

/** A file to download. Large files are streams on pages with `isLong`. */
export interface Download {
  download: string;
  type: 'text/csv' | 'application/json' | 'application/x-ndjson' | 'application/jose';
  content: string | AsyncIterable<string>;
}

export type PageAnswer = ShownPage | Fragment | Redirect | Download;

type Show<Answer> = (request: PageRequest) => Answer | Promise<Answer>;

/** A page, a live part of one, or the handler of a form. */
export interface Page {
  method: 'GET' | 'POST';
  /** With parameters as `:name`. */
  path: string;
  /** The permission it needs, from vocabulary/operator-actions.ts. */
  action: OperatorAction;
  /** Loaded automatically, so it does not keep a session alive. */
  isPolled?: boolean;
  /** May take long: the number of concurrent ones is limited (platform/http/long-answers.ts). */
  isLong?: boolean;
  /** Whether its texts exist in French; others stay in English. */
  isTranslated?: boolean;
  /** The form has a file of at most so many bytes. It is read after all checks. */
  fileBytesMax?: number;
  show: Show<PageAnswer>;
}

/** A page that every person may see, unless `more` names another action. */
export function page(path: string, show: Page['show'], more: Partial<Pick<Page, 'action' | 'isLong'>> = {}): Page {
  return { method: 'GET', path, action: 'look', show, ...more };
}

/** The part of a page that refreshes. */
export function polledPart(path: string, read: Show<Html>): Page {
  return { ...page(path, async (request) => ({ fragment: await read(request) })), isPolled: true };
}

/** The handler of a form. */
export function handler(path: string, action: OperatorAction, show: Page['show'], isLong = false): Page {
  return { method: 'POST', path, action, show, isLong };
}

/** The handler of a form whose last field is a file. */
export function fileHandler(path: string, action: OperatorAction, fileBytesMax: number, show: Page['show']): Page {
  return { method: 'POST', path, action, show, fileBytesMax };
}

/** A part that a script loads after its page, or a page of its own without scripts. */
export function partOrPage({ isForPart }: PageRequest, title: string, body: Html): PageAnswer {
  return isForPart ? { fragment: body } : { title, body };
}

/** The page that follows a form, with the message of its success. */
export function done(redirect: string, text: string): PageAnswer {
  return { redirect, flash: { kind: 'done', text } };
}

/** The page that follows a form that changed nothing. */
export function problem(redirect: string, text: string): PageAnswer {
  return { redirect, flash: { kind: 'problem', text } };
}

/** Ends a page. `servePage` shows the refusal as an error page with the status of its code. */
export class PageRefusal extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.code);
    this.refused = refused;
  }
}

/** Returns what a call of a capability returns. @throws PageRefusal if the call was refused */
export function accepted<Value>(value: Value): Exclude<Value, Refused> {
  if (isRefused(value)) throw new PageRefusal(value);
  return value as Exclude<Value, Refused>;
}

/** Returns a value. @throws PageRefusal 404 if it is undefined */
export function existing<Value>(value: Value | undefined, detail: string): Value {
  if (value === undefined) throw new PageRefusal(refuse('not_found', { detail }));
  return value;
}

/** Ends a page whose address or form is not valid. @throws PageRefusal 400 */
export function invalid(detail: string): never {
  throw new PageRefusal(refuse('validation_failed', { detail }));
}
