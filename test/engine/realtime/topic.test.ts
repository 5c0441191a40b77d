import { isTransactionIncluded, readSnapshot } from '../../../src/engine/realtime/snapshot.ts'
import { readTopic } from '../../../src/engine/realtime/topic.ts'

test.each([
  ['no options', 'news/*', undefined, {}, {}],
  ['a query', 'news?options=…', '{"query":{"filter":"a = 1"}}', { filter: 'a = 1' }, {}],
  [
    'values as texts',
    'news',
    '{"query":{"a":1.50,"b":true,"c":null,"d":[1],"e":{}}}',
    { a: '1.5', b: 'true', c: '', d: '', e: '' },
    {},
  ],
  [
    'headers in snake case',
    'news',
    '{"headers":{"X-Token":"a","X-B":9}}',
    {},
    { x_token: 'a', x_b: '9' },
  ],
  ['keys exactly', 'news', '{"Query":{"A":"b"},"query":null}', {}, {}],
  ['options before an invalid one', 'news', '{"headers":{"a":"b"},"query":[1]}', {}, { a: 'b' }],
  ['no JSON', 'news', 'x', {}, {}],
  ['null', 'news', 'null', {}, {}],
])(
  "a topic's options (%s) are read as the query $3 and the headers $4",
  (_, name, options, query, headers) => {
    expect(readTopic(name, options)).toEqual({ name, base: name.split('?')[0], query, headers })
  },
)

test.each([
  ['ended before all running ones', 9],
  ['ended while an older one was running', 11],
])('a snapshot sees a transaction that %s', (_, xid) => {
  expect(isTransactionIncluded(readSnapshot('10:15:10,12'), xid)).toBe(true)
})

test.each([
  ['ran', 10],
  ['is running, too', 12],
  ['had not begun', 15],
])('a snapshot misses a transaction that %s', (_, xid) => {
  expect(isTransactionIncluded(readSnapshot('10:15:10,12'), xid)).toBe(false)
})

test('a snapshot without running transactions sees all earlier ones', () => {
  expect(isTransactionIncluded(readSnapshot('10:10:'), 9)).toBe(true)
  expect(isTransactionIncluded(readSnapshot('10:10:'), 10)).toBe(false)
})
