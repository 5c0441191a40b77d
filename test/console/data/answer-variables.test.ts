import { warnOfVariables } from '../../../console/src/data/text/answer-variables.ts'

test.each([
  ['We open at 8', ''],
  ['Hi {{name|there}}, your number is {{Phone}}. {{stop_link}}', ''],
  ['Hi {{name}}', 'Not sent to a person without {{name}}.'],
  ['We open at {{hour}}, {{name|}}', 'Not sent to a person without {{hour}}, {{name}}.'],
])('an automatic answer "%s" says whether each person gets it', (body, warning) => {
  const said = warnOfVariables(body)
  expect(warning ? said.startsWith(warning) : said === '').toBe(true)
})
