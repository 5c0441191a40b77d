import { maskSecrets } from '../../../src/platform/tools/mask-secrets.ts'

const CODE = '471103'
const TOKEN = 'tk+/=_äZ&"1'
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

const base64 = (text: string) => Buffer.from(text).toString('base64')

test.each<[string, (secret: string) => string]>([
  ['written plainly', (secret) => secret],
  ['in a sentence', (secret) => `rejected: "${secret}" (21)`],
  ['twice', (secret) => secret + secret],
  ['in a URL', encodeURIComponent],
  ['in a form', (secret) => new URLSearchParams({ a: secret }).toString()],
  ['with each byte escaped', percent],
  ['with each byte escaped, in upper case', (secret) => percent(secret).toUpperCase()],
  ['in JSON', (secret) => JSON.stringify({ secret })],
  ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ secret }))],
  [
    'in JSON with escapes',
    (secret) =>
      [...secret].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['in HTML', (secret) => [...secret].map((c) => `&#${c.charCodeAt(0)};`).join('')],
  ['in hex', (secret) => Buffer.from(secret).toString('hex')],
  ['in hex, in upper case', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
  ['in Base64', base64],
  ['in Base64 after one byte', (secret) => base64(`u${secret}`)],
  ['in Base64 after two bytes', (secret) => base64(`u:${secret}`)],
  ['in Base64 within a text', (secret) => base64(`The code ${secret} was wrong.`)],
  ['in Base64 of URLs', (secret) => Buffer.from(`user:${secret}`).toString('base64url')],
])('a secret is masked %s', (_, write) => {
  for (const secret of [CODE, TOKEN]) {
    const text = maskSecrets(`before ${write(secret)} after`, ['other-secret', secret])
    expect(text).toContain('***')
    expect(text).toMatch(/^before .* after$/s)
    for (const form of [
      secret,
      encodeURIComponent(secret),
      base64(secret),
      Buffer.from(secret).toString('hex'),
    ])
      expect(text.toLowerCase()).not.toContain(form.toLowerCase())
  }
})

test.each([
  ['spaces', '47 11 03'],
  ['hyphens', '471-103'],
  ['points', '4.7.1.1.0.3'],
])('a code with %s between its digits is masked: $1', (_, written) => {
  expect(maskSecrets(`wrong: ${written}!`, [CODE])).toBe('wrong: ***!')
})

test('other text stays, and a secret cut off at the end is masked', () => {
  const text = 'Error 4711: the SIM 0311 has no signal'
  expect(maskSecrets(text, [CODE, ''])).toBe(text)
  expect(maskSecrets(text, [])).toBe(text)
  expect(maskSecrets(`Bearer ${'secret-token'.slice(0, 8)}`, ['secret-token'])).toBe('Bearer ***')
})

test('a text of many backslashes, or a secret with many, is searched at once', () => {
  const text = `${'\\'.repeat(1_000)}b`
  expect(maskSecrets(text, [`${'\\'.repeat(300)}a`])).toBe(text)
  expect(maskSecrets(`say ${'\\'.repeat(300)}z`, [`${'\\'.repeat(30)}z`])).not.toContain('z')
})

test.each([
  ['a pair of surrogates in JSON', 'x😀y', 'a "x\\ud83d\\ude00y" b', 'a "***" b'],
  ['capital letters', 'Token-A', 'a tOKEN-a b', 'a *** b'],
  ['named references of HTML', '<a&b>', 'a &lt;a&amp;b&gt; b', 'a *** b'],
])('a secret written in %s is masked', (_, secret, written, expected) => {
  expect(maskSecrets(written, [secret])).toBe(expected)
})
