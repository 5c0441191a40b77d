import { readCall } from '../../../../../src/programs/agent/drivers/http/read-call.ts'
import { settingsOf } from './carrier-fixture.ts'

// A call of 256 KiB that a custom preset reads in the most costly way, on the event loop.

const many = <T>(length: number, item: (i: number) => T) =>
  Array.from({ length }, (_, i) => item(i))
/** A list of as many copies of a part as a call may have. */
const fill = (part: string) =>
  `[${many(Math.floor((256 << 10) / (part.length + 1)) - 1, () => part).join(',')}]`
const QUERY = `k0=utf-16&${many(99, (i) => `k${i + 1}=${'v'.repeat(100)}`).join('&')}`
const EMPTY = many(9, (i) => [`a${i}`, ['']])
const FORM = 'application/x-www-form-urlencoded'
/** Milliseconds of CPU: the calls below took 3 to 30 s. */
const MOST_MS = 2_000

function read(custom: object, body: string, type = 'application/json') {
  const { carrier } = settingsOf({
    preset: 'custom',
    url: 'https://x.example',
    custom: { send: { path: '/' }, ...custom },
  })
  const url = `https://sms.example/calls/1?${QUERY}`
  const call = { method: 'POST', url, headers: { 'content-type': type }, body: Buffer.from(body) }
  const start = process.cpuUsage()
  const news = readCall(carrier, call)!
  const { user, system } = process.cpuUsage(start)
  expect((user + system) / 1_000).toBeLessThan(MOST_MS)
  return { events: news.events.length, unknown: news.unknown.length }
}

const listForm = (i: number) => ({
  each: 'l',
  from: `f${i}.a.b.c`,
  body: many(10, (j) => `b${j}.a.b.c`),
})

test('a call has at most 1,000 items, also in many lists', () => {
  const list = `{"l":[${many(1_000, () => '{}')}]}`
  expect(read({ incoming: many(10, listForm) }, fill(list))).toEqual({ events: 0, unknown: 1_000 })
  expect(read({ incoming: listForm(0) }, fill(list))).toEqual({ events: 0, unknown: 1_000 })
  expect(read({}, fill('{}'))).toEqual({ events: 0, unknown: 1_000 })
})

test('a call has at most 1,000 events, also if each item is several', () => {
  const text = { from: 'k1', body: 'k2', charset: 'k0' }
  const news = read({ incoming: many(10, () => text) }, fill('{}'), FORM)
  expect(news).toEqual({ events: 1_000, unknown: 0 })
})

test('a call is searched for few files', () => {
  const files = { each: 'fs', url: 'u*', lost: Object.fromEntries([...EMPTY, ['z', ['no']]]) }
  const text = { id: 'id', from: 'f', body: 'b', files }
  const item = `{"f":1,"fs":[${many(100, () => '{}')}]}`
  expect(read({ incoming: many(10, () => text) }, fill(item))).toMatchObject({ events: 0 })
})

test('all events of an ordinary list are read', () => {
  const receipt = { each: 'l', ref: 'r', status: 's', delivered: ['ok'], failed: ['bad'] }
  const list = { l: many(400, (i) => ({ r: `a${i}.1`, s: 'ok' })) }
  expect(read({ receipt }, JSON.stringify([list, list]))).toEqual({ events: 800, unknown: 0 })
})

test('all files of ten texts are read', () => {
  const text = { id: 'id', from: 'from', body: 'b', files: { url: 'u*' } }
  const item = {
    from: '+4915112345678',
    ...Object.fromEntries(many(10, (i) => [`u${i}`, 'https://x.example'])),
  }
  const { carrier } = settingsOf({
    preset: 'custom',
    url: 'https://x.example',
    custom: { send: { path: '/' }, incoming: text },
  })
  const body = Buffer.from(JSON.stringify(many(10, () => item)))
  const call = { method: 'POST', url: 'https://sms.example/calls/1', headers: {}, body }
  const files = readCall(carrier, call)!.events.map((event) => Object(event).files.length)
  expect(files).toEqual(many(10, () => 10))
})
