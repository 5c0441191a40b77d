import { makeSampleRequest } from '../../../../../src/programs/agent/drivers/http/sample-request.ts'
import { settingsOf } from './carrier-fixture.ts'

const many = (length: number, item: (i: number) => unknown = String) =>
  Array.from({ length }, (_, i) => item(i))
const paths = Object.fromEntries(many(11, (i) => [`p${i}`, ['']]) as [string, string[]][])
const hmac = { kind: 'hmac', hash: 'sha256', header: 'x-signature', encoding: 'hex' }
const receipt = { ref: 'ref', status: 'status', delivered: ['ok'], failed: ['bad'] }
const incoming = { from: 'from', body: 'body' }
const FILES = { id: 'id', files: { each: 'files', url: 'url' } }
const open = (custom: object, values = {}) =>
  settingsOf({
    preset: 'custom',
    url: 'https://x.example',
    values,
    custom: { send: { path: '/' }, ...custom },
  })

test.each<[what: string, custom: object, names: string]>([
  [
    'signs a call 8,000 times',
    { signature: { ...hmac, of: many(8_000, () => 'body') } },
    'signature.of',
  ],
  ['has many words of a receipt', { receipt: { ...receipt, error: many(11) } }, 'receipt.0.error'],
  ['has many conditions of a receipt', { receipt: { ...receipt, when: paths } }, 'receipt.0.when'],
  [
    'has many outcomes of a receipt',
    { receipt: { ...receipt, delivered: many(101) } },
    'receipt.0.delivered',
  ],
  ['has many conditions of a text', { incoming: { ...incoming, when: paths } }, 'incoming.0.when'],
  ['has many words of an answer', { answer: { error: many(11) } }, 'answer.error'],
  ['has many codes of an answer', { answer: { code: many(11) } }, 'answer.code'],
  ['has many conditions of an answer', { answer: { accepts: paths } }, 'answer.accepts'],
  ['has many refusals', { refusals: many(101, () => ({ means: 'final' })) }, 'refusals'],
  ['has many forms of a text', { incoming: many(11, () => incoming) }, 'incoming'],
  ['has many events that do not matter', { ignored: many(11, () => ({ a: ['b'] })) }, 'ignored'],
  ['has files without id', { incoming: { ...incoming, ...FILES, id: undefined } }, 'incoming.0'],
  ['has a long path', { answer: { id: 'a.'.repeat(51) } }, 'answer.id'],
])('a preset that %s is refused', (_, custom, names) => {
  expect(() => open(custom)).toThrow(`custom.${names}: `)
})

test('a preset that makes a long request of a short text is refused', () => {
  const { carrier } = open(
    { send: { path: `/${'{{long}}'.repeat(10)}` } },
    { long: 'x'.repeat(1_000) },
  )
  expect(() => makeSampleRequest(carrier)).toThrow('8000 characters')
})
