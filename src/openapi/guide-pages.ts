import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { escapeHtml, htmlPage } from './html-page.ts';

const FOLDER = join(import.meta.dirname, '../../docs/suppliers');
/** Listed first. */
const FIRST = 'getting-started';

/** Names of the guides for suppliers, without `.md`. */
export function guideNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted((one, other) => Number(other === FIRST) - Number(one === FIRST) || one.localeCompare(other));
}

/**
 * Address of a page of `docs/`.
 * @returns undefined for pages outside the suppliers' guides
 */
export function guideAddress(page: string): string | undefined {
  const [, name, anchor = ''] = /^docs\/suppliers\/([\w-]+)\.md(#.*)?$/.exec(page) ?? [];
  return name === undefined ? undefined : `/docs/guide/${name}/${anchor}`;
}

/** A Markdown link to a guide. */
export function guideLink(page: string): string {
  const address = guideAddress(page);
  return `[${address}](${address})`;
}

/** The index of guides. */
export function guideIndexPage(): string {
  const items = guideNames().map((name) => `<li><a href="/docs/guide/${name}/">${escapeHtml(titleOf(name))}</a></li>`);
  return htmlPage('Guide', `<h1>Guide</h1><ul>${items.join('')}</ul>`);
}

/** A guide as HTML. */
export function guidePage(name: string): string {
  const html = newRenderer().parse(textOf(name), { async: false });
  return htmlPage(escapeHtml(titleOf(name)), html);
}

function textOf(name: string): string {
  return readFileSync(join(FOLDER, `${name}.md`), 'utf8');
}

function titleOf(name: string): string {
  return /^# (.+)$/m.exec(textOf(name))?.[1]?.replaceAll('`', '') ?? name;
}

/** A renderer per page, because repeated headings get numbered ids. HTML in the source is dropped: it only marks generated tables. */
function newRenderer(): Marked {
  const ids = new Map<string, number>();
  return new Marked({
    renderer: {
      html: () => '',
      heading({ tokens, depth, text }: Tokens.Heading) {
        const id = slugOf(text);
        const earlier = ids.get(id) ?? 0;
        ids.set(id, earlier + 1);
        const unique = earlier === 0 ? id : `${id}-${earlier}`;
        return `<h${depth} id="${escapeHtml(unique)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const target = linkTarget(href);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      table(token: Tokens.Table) {
        const row = (tag: string, cells: Tokens.TableCell[]) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row('td', cells)).join('');
        return `<div class="scroll"><table><thead>${row('th', token.header)}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
}

/** Links to files outside the guides, such as operators' pages, are removed. */
function linkTarget(href: string): string | undefined {
  if (/^(?:https?:\/\/|#|\/)/.test(href)) return href;
  return guideAddress(`docs/suppliers/${href}`);
}

/** Id of a heading, equal to GitHub's, so that links work in both places. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
