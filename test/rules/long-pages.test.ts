import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Context } from 'koa';
import { createLongPages } from '../../src/support-site/frame/long-pages.ts';
import type { PageAnswer } from '../../src/support-site/frame/page.ts';
import { html } from '../../src/support-site/frame/html.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';

const PLACES = 4;
const shown: PageAnswer = { title: 'Counted', body: html`` };
const request = () => ({ res: Object.assign(new EventEmitter(), { closed: false }) }) as unknown as Context;

/** Every place taken by a page that is still being made, by two persons. */
function allTaken() {
  const pages = createLongPages();
  const made = Array.from({ length: PLACES }, (_, index) => {
    const ctx = request();
    const work = Promise.withResolvers<PageAnswer>();
    return { ctx, work, answer: pages.show(ctx, `person ${index % 2}`, () => work.promise) };
  });
  const isFull = async () => {
    await turn();
    return isRefused(await pages.show(request(), 'a third one', () => Promise.resolve(shown)));
  };
  return { made, isFull };
}

test('who goes keeps the place until what was read for the page has ended', async () => {
  const { made, isFull } = allTaken();
  const { ctx, work, answer } = made[0]!;
  expect(await isFull()).toBe(true);
  ctx.res.emit('close');
  expect(await isFull()).toBe(true);
  work.resolve(shown);
  expect(await answer).toBe(shown);
  expect(await isFull()).toBe(false);
});

test('a page that failed gives its place back too', async () => {
  const { made, isFull } = allTaken();
  const { ctx, work, answer } = made[0]!;
  work.reject(new Error('away'));
  await expect(answer).rejects.toThrow('away');
  expect(await isFull()).toBe(true);
  ctx.res.emit('close');
  expect(await isFull()).toBe(false);
});

test('a download keeps its place until its source has ended', async () => {
  const { made, isFull } = allTaken();
  const { ctx, work } = made[0]!;
  const page = Promise.withResolvers<string>();
  const content = Readable.from(
    (async function* read() {
      yield 'head';
      yield await page.promise;
    })(),
    { objectMode: false },
  ).resume();
  work.resolve({ download: 'a.csv', type: 'text/csv', content });
  await turn();
  ctx.res.emit('close');
  expect(await isFull()).toBe(true);
  page.resolve('a line');
  expect(await isFull()).toBe(false);
});

test('one person has no more than two at once, in however many sessions, and the next comes when one has ended', async () => {
  const pages = createLongPages();
  const ask = (ctx: Context, subject: string) => pages.show(ctx, subject, () => Promise.resolve(shown));
  const first = request();
  expect(await ask(first, 'Ada')).toBe(shown);
  expect(await ask(request(), 'Ada')).toBe(shown);
  expect(await ask(request(), 'Ada')).toMatchObject({ code: 'throttled', retryAfterSeconds: 10 });
  expect(await ask(request(), 'Bob')).toBe(shown);
  first.res.emit('close');
  await turn();
  expect(await ask(request(), 'Ada')).toBe(shown);
});
