import { findContactField } from '../../../console/src/data/contact-fields.ts'
import { fillTemplate } from '../../../console/src/data/text/variables.ts'

test.each([
  ['a value', 'Hello {{name}}', 'Hello Zoë'],
  ['a value in place of the default', 'Hello {{name|there}}', 'Hello Zoë'],
  ['a default', 'In {{city|town}}', 'In town'],
  ['an empty default', 'In {{city|}}.', 'In .'],
  ['the default of an empty value', 'At {{street|home}}', 'At home'],
  ['the placeholder itself without value and default', 'At {{time}}', 'At {{time}}'],
])('a template is filled with %s: "$1" becomes "$2"', (_, body, text) => {
  const values = new Map([
    ['name', 'Zoë'],
    ['street', ' '],
  ])
  expect(fillTemplate(body, (name) => values.get(name))).toBe(text)
})

test("a contact's own field is found by its exact name, else in any case", () => {
  const data = { City: 'Ulm', TOWN: 'Bonn', Town: 'Köln', floor: 0, tags: ['a'] }
  const names = ['City', 'city', 'town', 'TOWN', 'floor', 'tags', 'constructor']
  expect(names.map((name) => findContactField({ data }, name))).toEqual([
    'Ulm',
    'Ulm',
    'Köln',
    'Bonn',
    '0',
    undefined,
    undefined,
  ])
  expect(findContactField({ data: null }, 'city')).toBeUndefined()
})
