import { loggedPath, loggedUrl, withoutValues } from '../../../src/http/server/logged-url.ts'

test.each([
  ['names and signs', 'status = "failed" && to ~ \'+4915112345678\'', 'status = … && to ~ …'],
  ['an open text', 'body ~ "Dear Ann', 'body ~ …'],
  ['a text with quotes and line ends', 'body = "Ann = \\"1\\" \\\n Bob = 2" && n = 1', 'body = … && n = 1'],
  ['a text that ends with a backslash', 'body = "Ann = 1\\', 'body = …'],
  ['a text without quotes', 'name = Ann Miller', 'name = … …'],
  ['a number without quotes', 'to=+4915112345678', 'to=……'],
  ['a text alone', 'Ann', '…'],
  ['small numbers, constants, macros', 'n >= 5 && on = true && created > @todayStart', undefined],
  ['empty texts', "error_message != ''", undefined],
  ['groups, any of many', '(a.b ?= 1 || c:lower !~ null)', undefined],
  ['functions', 'strftime("%Y", created) = "2026"', 'strftime(…, …) = …'],
  ['a comment', 'a = 1 // Ann', 'a = 1 … …'],
  ['letters of any language', 'name = Jürgen', 'name = ………'],
  ['a number as a name', '4915112345678 = 1', '… = 1'],
  ['a macro that is none', 'a = @+4915112345678', 'a = ………'],
  ['nothing', '', undefined],
])('of a filter, %s: %s', (_, filter, kept = filter) => expect(withoutValues(filter)).toBe(kept))

test.each([
  ['a path', '/api/collections/contacts/records/k3v9x0c2m5n8b1a', undefined],
  [
    'how to answer',
    '/api/x?page=2&perPage=30&sort=-created,@rowid&fields=id,body:excerpt(9)&skipTotal=1',
    undefined,
  ],
  ['a filter', '/api/x?filter=to%20%3D%20%22%2B4915112345678%22&page=1', '/api/x?filter=to = …&page=1'],
  ['a token', '/api/files/a/b/c.png?token=eyJ.eyJ.x&thumb=10x10', '/api/files/a/b/c.png?token=…&thumb=10x10'],
  ['what nobody knows', '/api/x?q=Ann&+4915112345678=1', '/api/x?q=…&…=…'],
  ['a number in a parameter', '/api/x?sort=4915112345678', '/api/x?sort=…'],
  ['a number in a path', '/api/sms/%2B4915112345678', '/api/sms/…'],
  ['a secret path', '/api/mobile/v1/incoming/secret', '/api/mobile/v1/incoming/…'],
  ['the secret of a hook', '/api/hooks/secret', '/api/hooks/…'],
  ['parameters in a path', '/cgi-bin/sendsms;password=psk_x&to=1', '/cgi-bin/sendsms;…'],
  ['escaped parameters in a path', '/cgi-bin/sendsms%3fpassword=x?page=1', '/cgi-bin/sendsms%3f…?page=1'],
  ['a key in a path', `/api/sms/psk_${'a1'.repeat(32)}/x`, '/api/sms/…/x'],
  ['short numbers and ids in a path', '/api/123456/1234567a', undefined],
  ['a broken escape', '/api/x?filter=%zz&page=1', '/api/x?page=1'],
  ['too much', `/${'a/'.repeat(1000)}`, `/${'a/'.repeat(1000)}`.slice(0, 1000).concat('...')],
])('of an address, %s', (_, url, kept = url) => expect(loggedUrl(url)).toBe(kept))

test('of a long path without separators, only the beginning', () => {
  expect(loggedPath(`/${'1'.repeat(16_100)}a`)).toHaveLength(1000)
})
