import { expect, test } from 'vitest'
import { completionAt, take } from '../../console/src/pages/messages/filter/complete.ts'

/** `|` is the cursor. */
function at(marked: string) {
  const cursor = marked.indexOf('|')
  return { filter: marked.replace('|', ''), cursor }
}

test.each([
  ['fields at the beginning', '|', ['status', 'to', 'from']],
  ['fields that begin so', 'se|', ['segments', 'sent_at']],
  ['signs after a field', 'status |', ['=', '!=']],
  ['signs of dates', 'created |', ['>=', '<']],
  ['signs for several records', 'sms_events_via_message.status |', ['?=', '?~']],
  ['values of a choice', 'status = |', ['"pending"', '"assigned"']],
  ['values that begin so, quotes or not', 'status = fa|', ['"failed"']],
  ['values in a quote', 'status = "fa|', ['"failed"']],
  ['dates and no numbers', 'created >= @y|', ['@yesterday', '@yearStart', '@yearEnd']],
  ['dates', 'created >= @to|', ['@todayStart', '@todayEnd', '@tomorrow']],
  ['joins after a comparison', 'status = "sent" |', ['&&', '||']],
  ['a bracket that is open', '(status = "sent" |', ['&&', '||', ')']],
  ['fields of a relation', 'device.|', ['device.name', 'device.phone']],
  ['fields in the middle', 'status = "sent" && (cre| > 1)', ['created']],
  ['nothing for free text', 'body ~ "par|', []],
  ['nothing behind a whole text', 'status = "sent"|', []],
])('%s: %s', (_, marked, first) => {
  const { filter, cursor } = at(marked)
  const { suggestions, prefix } = completionAt(filter, cursor)
  const shown = prefix === '' && first.length === 0 ? [] : suggestions
  expect(shown.slice(0, first.length).map(({ text }) => text)).toEqual(first)
})

test.each([
  ['a field gets a space', 'sta|', 'status |'],
  ['a relation goes on', 'dev|', 'device.|'],
  ['a word is replaced whole', 'st|at = "x"', 'status |= "x"'],
  ['a value ends its quote', 'status = "fai|', 'status = "failed" |'],
])('%s: %s', (_, marked, after) => {
  const { filter, cursor } = at(marked)
  const completion = completionAt(filter, cursor)
  const taken = take(filter, completion, completion.suggestions[0]!)
  expect(`${taken.filter.slice(0, taken.cursor)}|${taken.filter.slice(taken.cursor)}`).toBe(after)
})
