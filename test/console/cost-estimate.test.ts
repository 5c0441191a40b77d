import { addEstimates } from '../../console/src/data/cost-estimate.ts'
import { groupEqualTexts } from '../../console/src/pages/send-list/split-for-estimates.ts'

const text = (phone: string, segments: number, body = `${phone} ${segments}`) => ({
  row: 1,
  phone,
  body,
  segments,
})

test('texts of equal size share an estimate, unless they go to the same number', () => {
  expect(
    groupEqualTexts([text('a', 1), text('b', 2), text('c', 1), text('a', 1, 'again')]),
  ).toEqual([
    { body: 'a 1', phones: ['a', 'c'] },
    { body: 'again', phones: ['a'] },
    { body: 'b 2', phones: ['b'] },
  ])
})

test('an estimate has at most 500 numbers', () => {
  const all = Array.from({ length: 1201 }, (_, i) => text(String(i), 1))
  expect(groupEqualTexts(all).map(({ phones }) => phones.length)).toEqual([500, 500, 201])
})

test('estimates are added by line', () => {
  const part = (line: string, texts: number, cost: string, waiting = 0) => ({
    currency: 'EUR',
    lines: [{ line, texts, cost }],
    waiting,
  })
  expect(addEstimates([])).toBeNull()
  expect(
    addEstimates([part('a', 2, '0.15', 1), part('b', 1, '0'), part('a', 1, '0.15', 3)]),
  ).toEqual({
    currency: 'EUR',
    lines: [
      { line: 'a', texts: 3, cost: '0.3' },
      { line: 'b', texts: 1, cost: '0' },
    ],
    waiting: 4,
  })
})
