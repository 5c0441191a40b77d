import { Webhook } from 'standardwebhooks'
import {
  type HeadersLike,
  requireSecret,
  signHook,
  verifyWebhook,
} from '../../clients/javascript/webhooks.ts'

// Calls of webhooks are checked whatever gives the headers, and only with a secret.

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = '{"type":"webhook.test","data":{"to":"Zoë"}}'
const event = JSON.parse(body)
const library = new Webhook(SECRET)
const sign = (at = new Date(), signed = body) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': `v1,AAAA ${library.sign('msg_1', at, signed)}`,
})
const headers = sign()
const pairs = Object.entries(headers)
const capitals = pairs.map(([name, value]): [string, string] => [
  name.replace(/\b\w/g, (letter) => letter.toUpperCase()),
  value,
])
const lists = (of: readonly [string, string][]) =>
  Object.fromEntries(of.map(([name, value]) => [name, [value]]))
const commas = (signatures: string) => ({ ...headers, 'webhook-signature': signatures })
const valid = headers['webhook-signature'].split(' ')[1]!

/** Headers of another library, such as node-fetch's, which are of no class that we know. */
class OtherHeaders {
  *[Symbol.iterator]() {
    yield* pairs
  }
}

test.each<[string, HeadersLike]>([
  ['an object', headers],
  ['an object with capitals', Object.fromEntries(capitals)],
  ['an object of lists', lists(pairs)],
  ['multiValueHeaders of AWS Lambda', lists(capitals)],
  ['the event of AWS Lambda', { headers: Object.fromEntries(capitals) }],
  ['Headers', new Headers(headers)],
  ['a Request', new Request('http://127.0.0.1', { headers })],
  ['Headers of another library', new OtherHeaders()],
  ['a Map', new Map(pairs)],
  ['a Map with capitals and lists', new Map(Object.entries(lists(capitals)))],
  ['a list of pairs', pairs],
  ['rawHeaders of Node', ['Host', 'webhook-id', ...capitals.flat()]],
  ['two signatures in two headers', { ...headers, 'webhook-signature': ['v1,AAAA', valid] }],
  ['signatures joined by fetch', commas(`v1,AAAA, ${valid}`)],
  ['signatures joined by API Gateway', commas(`v1,AAAA,${valid}`)],
  ['a signature behind one of another version', commas(`v1a,AAAA ${valid}`)],
])('the client accepts the headers of %s', async (_, given) => {
  expect(await verifyWebhook(SECRET, given, body)).toEqual(event)
})

test.each([
  ['a Buffer', Buffer.from(body)],
  ['bytes', new TextEncoder().encode(body)],
  ['an ArrayBuffer', new TextEncoder().encode(body).buffer],
])('the client reads a body that is %s', async (_, given) => {
  expect(await verifyWebhook(SECRET, headers, given)).toEqual(event)
})

test("the scheme's library accepts what the client signed", async () => {
  expect(library.verify(body, await signHook(SECRET, body))).toEqual(event)
})

test.each<[string, Record<string, string>, string]>([
  ['another body', sign(), `${body} `],
  ['no headers', {}, body],
  ['an old time', sign(new Date(Date.now() - 400_000)), body],
  ['a time to come', sign(new Date(Date.now() + 400_000)), body],
  ['a time that is no number', { ...sign(), 'webhook-timestamp': 'now' }, body],
  ['no Base64', { ...sign(), 'webhook-signature': 'v1,ä' }, body],
])('the client refuses a call with %s', async (_, given, posted) => {
  await expect(verifyWebhook(SECRET, given, posted)).rejects.toMatchObject({
    code: 'invalid_signature',
  })
})

test.each<[string, unknown]>([
  ['no headers', undefined],
  ['null', null],
  ['a text', 'webhook-id: 1'],
  ['two ids', { ...headers, 'webhook-id': ['msg_1', 'msg_2'] }],
  ['an id that is null', { ...headers, 'webhook-id': null }],
  ['a signature of another version', commas(valid.replace('v1', 'v2'))],
  ['a version that ends as ours', commas(valid.replace('v1', 'xv1'))],
])('the client refuses %s', async (_, given) => {
  const verified = verifyWebhook(SECRET, given as HeadersLike, body)
  await expect(verified).rejects.toMatchObject({ code: 'invalid_signature' })
})

const MISSING: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['empty', ''],
  ['blank', '  '],
  ['a prefix alone', 'whsec_'],
  ['no Base64', 'whsec_ä'],
]
test.each(MISSING)('with a secret that is %s, nothing verifies or signs', async (_, given) => {
  const secret = given as string
  const at = Math.floor(Date.now() / 1_000)
  const key = await crypto.subtle.importKey(
    'raw',
    new Uint8Array(1),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  // a key of zeros gives the same HMAC as an empty one
  const signed = await crypto.subtle.sign('HMAC', key, Buffer.from(`msg_1.${at}.${body}`))
  const forged = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${Buffer.from(signed).toString('base64')}`,
  }
  const error = { name: 'PocketSmsError', code: 'missing_secret' }
  await expect(verifyWebhook(secret, forged, body)).rejects.toMatchObject(error)
  await expect(signHook(secret, body)).rejects.toMatchObject(error)
  expect(() => requireSecret(secret)).toThrow(expect.objectContaining(error))
})

test('a secret from a file, with its line end, verifies', async () => {
  expect(await verifyWebhook(requireSecret(`${SECRET}\n`), headers, body)).toEqual(event)
})

test.each<[string, unknown]>([
  ['an object, as a parser makes it', event],
  ['absent', undefined],
])('a body that is %s throws a sentence about it', async (_, given) => {
  const verified = verifyWebhook(SECRET, headers, given as string)
  await expect(verified).rejects.toMatchObject({ code: 'unreadable_body' })
})

test('a signed body that is no JSON throws the error unreadable_body', async () => {
  const verified = verifyWebhook(SECRET, sign(new Date(), 'text=x'), 'text=x')
  await expect(verified).rejects.toMatchObject({ code: 'unreadable_body' })
})
