import { readFileSync } from 'node:fs'
import { ClientResponseError } from 'pocketbase'
import { describeFault, readFault } from '../../console/src/data/fault.ts'
import { translateFault } from '../../console/src/data/words/fault-sentences.ts'
import { readCatalogue } from './catalogues.ts'

const answer = (status: number, response: object) =>
  new ClientResponseError({ url: '', status, response })
const AWAY = 'The server cannot be reached. Check your connection and try again.'
const refused = (fields: Readonly<Record<string, string>>) =>
  readFault(
    answer(400, {
      message: 'Failed to create record.',
      data: Object.fromEntries(
        Object.entries(fields).map(([name, message]) => [name, { code: '', message }]),
      ),
    }),
  )

test.each([
  new TypeError('Failed to fetch'),
  new TypeError('network error'),
  new DOMException('The user aborted a request.', 'AbortError'),
])('the error "%s" counts as a lost connection', (error) => {
  for (const thrown of [error, new ClientResponseError(error)])
    expect(readFault(thrown)).toMatchObject({ isAway: true, message: AWAY })
})

test.each([
  new TypeError("Cannot read properties of undefined (reading 'id')"),
  new RangeError('Invalid time value'),
])('the error "%s" does not count as a lost connection', (error) => {
  for (const thrown of [error, new ClientResponseError(error)]) {
    const fault = readFault(thrown)
    expect(fault.isAway).toBe(false)
    expect(fault.message).not.toBe(AWAY)
  }
})

test.each([
  ['an empty field', 'Cannot be blank.', 'Fill this in.'],
  ['an empty setting', 'cannot be blank.', 'Fill this in.'],
  [
    'an address without encryption',
    "Must begin with https://. The server's setting WEBHOOK_ALLOW_PRIVATE allows http:// and private addresses.",
    'Begin the address with https://. The setting WEBHOOK_ALLOW_PRIVATE of the server allows http://.',
  ],
  ['a value that another record uses', 'Value must be unique.', 'Is already in use.'],
  ['a short password', 'Must be at least 8 character(s).', 'Use at least 8 characters.'],
  ['a single character too few', 'Must be at least 1 character(s).', 'Use at least 1 character.'],
  ['a long text', 'Must be no more than 255 character(s).', 'Use at most 255 characters.'],
  ['a length', 'The length must be between 1 and 255.', 'Use 1 to 255 characters.'],
  ['a small number', 'Must be no less than 0.', 'Use 0 or more.'],
  ['an email', 'Must be a valid email address.', 'Write an address such as ann@example.com.'],
  ['two passwords', "Values don't match.", 'The two are not the same.'],
  [
    'the beginning of a longer sentence',
    'The hook has sent as many codes as it may in an hour.',
    'The incoming webhook has reached its limit of codes per hour.',
  ],
  ['a sentence that is clear', 'Url domain is not allowed.', 'Url domain is not allowed.'],
])("a field's error about %s is shown as: $2", (_, said, words) => {
  expect(refused({ name: said }).fields).toEqual({ name: words })
})

test.each([
  [
    'a closed port',
    'Failed to send the test email. Raw error: \nconnect ECONNREFUSED 127.0.0.1:2525',
    'Nothing answers at this address and port. Is the program running?',
  ],
  [
    'an unknown name',
    'getaddrinfo ENOTFOUND mail.example',
    'There is no server of this name. Check the address for typing errors.',
  ],
  [
    'a mail of a webhook on a server without mail',
    'This server has no SMTP server in its settings',
    'This server has no mail server, so it sends no mail. A superuser sets one on the page Settings.',
  ],
  ['a deleted record', "The requested resource wasn't found.", 'This does not exist any more.'],
  ['a sentence that is clear already', 'The campaign is over', 'The campaign is over'],
])("the server's message about %s is shown as: $2", (_, message, words) => {
  expect(readFault(answer(400, { message })).message).toBe(words)
})

test.each([
  ['an error of the console', new Error('Nobody is signed in.'), 'Nobody is signed in.'],
  ['a fetch without an answer', new TypeError('Failed to fetch'), AWAY],
  [
    'a lost connection in Firefox',
    new TypeError('NetworkError when attempting to fetch resource.'),
    AWAY,
  ],
  [
    'a sign-in that was canceled at the provider',
    new ClientResponseError(new Error('OAuth2 redirect error or missing code: access_denied')),
    'The provider has not signed you in: it was canceled or refused there.',
  ],
  [
    'a sign-in by a provider that has failed',
    new ClientResponseError(new Error('OAuth2 redirect error or missing code: server_error')),
    'You could not be signed in. Try again.',
  ],
  ['a fault of the program', new TypeError('x is not a function'), 'x is not a function'],
  ['an answer without words', answer(502, {}), 'Something went wrong. Try again.'],
])('%s is shown as: $2', (_, error, words) => {
  expect(readFault(error).message).toBe(words)
})

test.each([
  [
    'a field without a place of its own is named',
    { email: 'Value must be unique.' },
    [],
    'Email: Is already in use.',
  ],
  [
    "a field's message is not repeated if the field shows it",
    { name: 'Cannot be blank.' },
    ['name'],
    '',
  ],
  [
    'a message that a field shows is not repeated',
    { user: 'Value must be unique.', phone: 'Value must be unique.' },
    ['phone'],
    '',
  ],
  [
    'fields with the same message are listed together',
    { name: 'Cannot be blank.', body: 'Cannot be blank.' },
    [],
    'Name, Text: Fill this in.',
  ],
  [
    'a nested setting is named in words',
    { 'smtp.authMethod': 'Must be a valid value.' },
    [],
    'Smtp auth method: This is not possible here.',
  ],
  ['an error without fields shows its message', {}, ['name'], 'It could not be saved.'],
])('%s', (_, fields, shown, text) => {
  expect(describeFault(refused(fields as Record<string, string>), shown)).toBe(text)
})

/** What the console's own requests cannot cause. */
const OF_PROGRAMS = [
  'A code of your authenticator app, or a passkey, is required.',
  'A different authentication method is required.',
  'Only the owner of the account may change the second factor.',
  'Passkeys need a PUBLIC_URL with https and the name of a host.',
]

test.each([
  'engine/auth/second-factor',
  'engine/auth/check-mfa',
  'engine/auth/passkeys',
  'engine/auth/webauthn',
  'gateway/accounts/prove-person',
  'gateway/accounts/required-factors',
])('the refusals of %s are translated', (file) => {
  const thrown = /(?:badRequest|forbidden|tooManyTries\(wait,|_CODE =|_password',)[\s(]*'([^']+)'/g
  const found = [...readFileSync(`src/${file}.ts`, 'utf8').matchAll(thrown)]
    .map(([, said]) => said!)
    .filter((said) => said !== 'Failed to read MFA Id' && !OF_PROGRAMS.includes(said))
  expect(found.length).toBeGreaterThan(0)
  const words = readCatalogue('de', 'first')
  expect(found.filter((said) => !(translateFault(said) in words))).toEqual([])
})

test.each([
  'A choice has at most 100 values.',
  'A choice needs at least one value.',
  'A value has at most 100 characters.',
  'An account has at most 100 fields.',
  'Each contact has this already: choose another name.',
  'Each value must occur once.',
  'The field 100 had this name before.',
  'There is a field with this name.',
])('the refusal "%s" of a field of contacts is translated', (said) => {
  const translated = Object.keys(readCatalogue('de', 'first'))
  expect(translated).toContain(translateFault(said).replace('100', '$1'))
})
