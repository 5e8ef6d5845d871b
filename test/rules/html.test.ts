import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { element, html, type Html } from '../../src/support-site/frame/html.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></textarea></style><svg onload=alert(1)>',
  '&lt;script&gt;',
  '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}',
  '<!--',
  '-->',
  '\u2028<b>\u2029',
];

const TEMPLATES: [string, (text: string) => Html][] = [
  ['text', (text) => html`<p>${text}</p>`],
  ['a value', (text) => html`<p title="${text}">x</p>`],
  ['a value in single quotes', (text) => html`<p title="${text}">x</p>`],
  ['the rest of an address', (text) => html`<a href="/find?q=${text}">x</a>`],
  ['a complete address', (text) => html`<a href="${text}">x</a>`],
  [
    'a list',
    (text) =>
      html`<ul>
        ${[text, text].map((one) => html`<li>${one}</li>`)}
      </ul>`,
  ],
  ['a title', (text) => html`<title>${text}</title>`],
  ['a text area', (text) => html`<textarea>${text}</textarea>`],
];

test.each(TEMPLATES)('escapes every value in %s', (_place, template) => {
  const tags = tagsIn(template('harmless'));
  for (const text of HOSTILE) expect({ text, tags: tagsIn(template(text)) }).toEqual({ text, tags });
  fc.assert(fc.property(fc.string(), (text) => tagsIn(template(text)) === tags));
});

test.each([
  ['javascript:alert(1)', '#'],
  [' javascript:alert(1)', '#'],
  ['JaVaScRiPt:alert(1)', '#'],
  ['data:text/html,<script>alert(1)</script>', '#'],
  ['//elsewhere.example/', '#'],
  ['/\\elsewhere.example/', '#'],
  ['', '#'],
  ['/stuck?cause=a&amp', '/stuck?cause=a&amp;amp'],
  ['https://temporal.example/x', 'https://temporal.example/x'],
  ['?cursor=a', '?cursor=a'],
])('writes the address %s as %s', (address, written) => {
  expect(String(html`<a href="${address}">x</a>`)).toBe(`<a href="${written}">x</a>`);
  expect(String(html`<form action="${address}"></form>`)).toBe(`<form action="${written}"></form>`);
});

test.each<[string, () => Html]>([
  ['a value without quotes', () => html`<p title=${'x'}>x</p>`],
  ['the name of an attribute', () => html`<p ${'x'}="y">x</p>`],
  ['the name of an element', () => html`<${'p'}>x</p>`],
  [
    'a script',
    () =>
      html`<script>
        const x = '${'x'}';
      </script>`,
  ],
  [
    'a style',
    () =>
      html`<style>
        p {
          color: ${'red'};
        }
      </style>`,
  ],
  ['a handler', () => html`<p onclick="${'x'}">x</p>`],
  ['an inline style', () => html`<p style="${'x'}">x</p>`],
  ['a comment', () => html`<!-- ${'x'} -->`],
])('rejects a template with a value in %s', (_place, write) => {
  expect(write).toThrow('is neither in text nor in a quoted value');
});

test('renders absent values as nothing, and numbers as text', () => {
  expect(String(html`<p>${false}${null}${undefined}${0}${12n}${''}</p>`)).toBe('<p>012</p>');
});

test('nests markup unchanged, and only at text positions', () => {
  const inner = html`<b>${'&'}</b>`;
  expect(String(html`<p>${inner}</p>`)).toBe('<p><b>&amp;</b></p>');
  expect(() => html`<p title="${inner}">x</p>`).toThrow('Markup is not allowed in an attribute value');
});

test('escapes the attributes of an element, and omits those that are not set', () => {
  const attributes = { name: '"><b>', required: true, value: 0, maxlength: undefined, autofocus: false };
  expect(String(element('input', attributes))).toBe('<input name="&quot;&gt;&lt;b&gt;" required value="0">');
  expect(String(element('a', { href: 'javascript:alert(1)' }, '<b>'))).toBe('<a href="#">&lt;b&gt;</a>');
  for (const name of ['onclick', 'style']) expect(() => element('a', { [name]: 'x' })).toThrow('is code');
});

/** Tags as a browser reads them, with their attributes' names, without texts and values. */
function tagsIn(markup: Html): string {
  return (String(markup).match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/=(?:"[^"]*"|'[^']*')/g, '=…')).join('');
}
