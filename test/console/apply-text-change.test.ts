import type { Message } from '../../console/src/data/record-types.ts'
import { applyTextChange } from '../../console/src/pages/conversations/thread/apply-text-change.ts'

const BEN = '+4915120000010'
const text = (id: string, words: Partial<Message> = {}) =>
  ({ id, from: BEN, to: '', body: 'Hello', expand: { device: 'phone' }, ...words }) as Message
const all = [text('b'), text('a')]
const change = (action: string, record: Message) =>
  applyTextChange(all, action, record, BEN).map(({ id, body, expand }) => [id, body, expand])

test.each([
  ['is changed', 'update', text('b', { body: 'Hi', expand: {} }), ['b', 'a'], 'Hi'],
  ['is deleted', 'delete', text('b'), ['a'], 'Hello'],
  ['lost its number by an erasure', 'update', text('b', { from: '', body: '' }), ['a'], 'Hello'],
])('a text of the open conversation that %s is shown so', (_, action, record, ids, body) => {
  const shown = change(action, record)
  expect(shown.map(([id]) => id)).toEqual(ids)
  expect(shown[0]!.slice(1)).toEqual([body, { device: 'phone' }])
})

test('a text of another conversation leaves the shown conversation unchanged', () => {
  const other = text('c', { from: '+4915120000011' })
  expect(applyTextChange(all, 'create', other, BEN)).toBe(all)
  expect(applyTextChange(all, 'delete', other, BEN)).toBe(all)
})
