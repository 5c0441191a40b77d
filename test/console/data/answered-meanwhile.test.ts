import { findAnsweredMeanwhile } from '../../../console/src/data/team/answered-meanwhile.ts'

const BEGUN = '2026-11-20 12:00:00.000Z'
const LATER = '2026-11-20 12:01:00.000Z'
const EARLIER = '2026-11-20 11:59:00.000Z'
const BEN = { id: 'ben', kind: 'member', name: 'Ben' }

const text = (created: string, sent_by = BEN, error_message = '') => ({
  created,
  body: 'Yes',
  status: error_message ? ('failed' as const) : ('sent' as const),
  error_message,
  expand: { sent_by },
})
const row = (
  last_at: string,
  last_sender = 'ben',
  last_type: 'incoming' | 'outgoing' = 'outgoing',
  failure = '',
) => ({
  last_at,
  last_sender,
  last_type,
  last_text: 'Yes',
  failure,
})
const find = (texts: ReturnType<typeof text>[], last?: ReturnType<typeof row>) =>
  findAnsweredMeanwhile(texts, last, {
    begun: BEGUN,
    me: 'ann',
    findName: (sender) => ({ ann: 'Ann', ben: 'Ben' })[sender] ?? '',
  })

test.each([
  ['the thread brings it', [text(LATER)], undefined],
  ['only the list brings it', [], row(LATER)],
  ['the thread is behind the list', [text(EARLIER)], row(LATER)],
])('an answer of a colleague is noticed when %s', (_, texts, last) => {
  expect(find(texts, last)).toEqual({ name: 'Ben', text: 'Yes', at: LATER })
})

test.each([
  ['an answer before the person began to type', [text(EARLIER)], row(EARLIER)],
  ["the person's own answer", [text(LATER, { ...BEN, id: 'ann' })], row(LATER, 'ann')],
  ['a text by a program', [text(LATER, { ...BEN, id: 'k1', kind: 'key' })], row(LATER, 'k1')],
  ['a received text', [], row(LATER, '', 'incoming')],
  ['a canceled text of the thread', [text(LATER, BEN, 'Canceled')], undefined],
  ['a canceled text of the list', [], row(LATER, 'ben', 'outgoing', 'Canceled')],
])('%s is not taken for the answer of a colleague', (_, texts, last) => {
  expect(find(texts, last)).toBeUndefined()
})
