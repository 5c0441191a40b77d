import { globSync, readFileSync } from 'node:fs'

// One reader of phone numbers: nothing outside of src/portable/phone removes separators, trunk prefixes or
// `00`, or says by a pattern what a phone number is.

const files = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'])
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.startsWith('src/portable/phone/') && !file.endsWith('.d.ts'))

/** What else has a plus or a 0 before digits. */
const OTHERS: Readonly<Record<string, string>> = {
  'src/programs/agent/drivers/http/carrier-account.ts': 'the form of a sender in a settings file',
  'src/programs/agent/drivers/smpp/smpp-settings.ts': 'the form of a sender in a settings file',
  'src/engine/fields/convert-values.ts': 'numbers with exponents',
  'src/engine/filter/known-value.ts': 'an index of a list',
  'src/engine/records/export-records.ts': 'formulas of spreadsheets',
  'src/http/body/raw-body.ts': 'numbers with exponents',
  'src/http/server/describe-failed-request.ts': 'digits that the log hides',
  'src/http/server/logged-url.ts': 'digits that the log hides',
  'src/gateway/people/person.ts': 'SQL that finds stored numbers for the reader',
  'src/engine/settings/cron.ts': 'fields of cron expressions',
  'src/gateway/lines/device-extensions.ts': 'prefixes, which are no numbers',
  'src/gateway/conversations/irregular-numbers.ts': 'SQL that finds stored numbers for the reader',
  'src/protocols/twilio/parameters.ts': 'the form of a sender that has no effect',
  'console/src/pages/device/price-rows.ts': 'prefixes, which are no numbers',
  'console/src/pages/contacts/selection-bar.tsx': 'formulas of spreadsheets',
  'console/src/parts/rows/prefixes.ts': 'prefixes, which are no numbers',
  'console/src/parts/rows/webhook-rows.tsx': 'patterns of numbers',
}

const READERS: readonly RegExp[] = [
  /\\\+\??\(?(?:\[1-9\]|\[0-9\]|\\d)/, // a plus before digits
  /replace\(\/\^\(?00/, // `00` becomes +
  /\[\\s[^\]]*\(\)[^\]]*\]/, // separators of a number
  /\b(?:withoutSeparators|withPlus|libphonenumber)\b/,
]

test('only one file of src parses phone numbers', () => {
  expect(files.length).toBeGreaterThan(400)
  const wrong = files.filter((file) => {
    const code = readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    return !(file in OTHERS) && READERS.some((pattern) => pattern.test(code))
  })
  expect(wrong).toEqual([])
})
