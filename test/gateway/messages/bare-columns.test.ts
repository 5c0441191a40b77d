import { COLUMNS } from '../../../bench/bare/bare-reads.ts'
import messages from '../../../src/gateway/messages/collections.json' with { type: 'json' }

test('the bare server of the measurements reads every field of a message', () => {
  const { fields } = messages.find(({ name }) => name === 'sms_messages')!
  const read = [...COLUMNS.matchAll(/b\."?(\w+)"?/g)].map(([, name]) => name!)
  expect(read.toSorted()).toEqual(
    ['created', 'id', 'updated', ...fields.map(({ name }) => name)].toSorted(),
  )
})
