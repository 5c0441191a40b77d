import { expect, test } from 'vitest'
import { fillTemplate } from '../../../console/src/data/text/placeholders.ts'

test.each([
  ['a value', 'Hello {{name}}', 'Hello Zoë'],
  ['a value goes before the default', 'Hello {{name|there}}', 'Hello Zoë'],
  ['a default', 'In {{city|town}}', 'In town'],
  ['an empty default', 'In {{city|}}.', 'In .'],
  ['the default of an empty value', 'At {{street|home}}', 'At home'],
  ['neither: it stays', 'At {{time}}', 'At {{time}}'],
])('a template is filled in: %s', (_, body, text) => {
  expect(fillTemplate(body, { name: 'Zoë', street: ' ' })).toBe(text)
})
