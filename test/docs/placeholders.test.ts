import { renderTemplate } from '../../src/platform/templates/render.ts'
import {
  fillVariables,
  listFieldNames,
  parseTextTemplate,
  renderForPerson,
} from '../../src/portable/text-template.ts'
import { readPage } from './page.ts'

// The rows of docs/placeholders.md, by both languages.

const PAGE = readPage('docs/placeholders.md')

/** A text for one person; undefined if the send would be refused. */
function writeText(template: string, variables: Readonly<Record<string, string>>) {
  const filled = fillVariables(parseTextTemplate(template), variables)
  if (listFieldNames(filled).length > 0 && !/\|/.test(template)) return undefined
  return renderForPerson(filled, { name: '', phone: '' }, (_, empty) => empty ?? '')
}

/** A text of a hook; undefined if the template is refused. */
function writeHookText(template: string, body: unknown) {
  try {
    return renderTemplate(template, body, 1_000).text
  } catch {
    return undefined
  }
}

const VALUES = {
  city: 'Bonn',
  'Termin Datum': 'Monday',
  'address.city': 'Kiel',
  'items.[0]': 'own',
}
const BODY = {
  city: 'Bonn',
  'Birthday:long': 'a name',
  address: { city: 'Kiel' },
  items: ['one', 'two'],
  amount: 4200,
  currency: 'eur',
}

test.each<[string, string | undefined, string | undefined, string?]>([
  ['{{city}}', 'Bonn', 'Bonn'],
  ['{{City}}', 'Bonn', undefined],
  ['{{Termin Datum}}', 'Monday', undefined],
  ['{{town|our city}}', 'our city', undefined, '{{city\\|our city}}'],
  ['{{Birthday:long}}', undefined, 'a name'],
  ['{{address.city}}', 'Kiel', 'Kiel'],
  ['{{items.[0]}}', 'own', 'one'],
  ['{{#if city}}yes{{/if}}', undefined, 'yes', '{{#if city}}…{{/if}}'],
  ['{{#each items}}{{this}} {{/each}}', undefined, 'one two', '{{#each items}}…{{/each}}'],
  ['{{money amount currency}}', undefined, '42.00 EUR'],
  ['{{town}}', undefined, undefined, 'a value that is missing'],
])('%s means in texts and in hooks what the page says', (template, text, hook, row = template) => {
  expect(PAGE).toContain(row)
  expect([writeText(template, VALUES), writeHookText(template, BODY)]).toEqual([text, hook])
})

test('an empty value leaves a gap, and braces in a value stay', () => {
  for (const value of ['', '{{other}}']) {
    expect(writeText('{{city}}', { city: value })).toBe(value)
    expect(writeHookText('{{city}}', { city: value })).toBe(value)
  }
  expect(writeText('{{city|our city}}', { city: ' ' })).toBe('our city')
})
