import { readReaction } from '../../../src/portable/read-reaction.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })
let numbers = 64_000_000
const nextNumber = () => `+4915${numbers++}`
const hear = (number: string, ...bodies: string[]) =>
  server.hear(
    phone,
    bodies.map((body) => [number, body] as const),
  )
const read = async (number: string) =>
  (
    await server.query(
      'select unanswered, unread, last_text from conversations where number = $1',
      [number],
    )
  )[0]

const LIKED = 'Liked “See you at five”'

test.each<[what: string, heard: readonly (readonly string[])[], unanswered: boolean]>([
  ['a reaction alone needs no answer', [[LIKED]], false],
  ['a question before a reaction still needs an answer', [['When?'], [LIKED]], true],
  ['a question that comes with a reaction needs an answer', [['When?', LIKED]], true],
  ['a question after a reaction needs an answer', [[LIKED], ['When?']], true],
  ['a reaction after STOP needs no answer', [['When?'], ['STOP'], [LIKED]], false],
])('%s', async (_, heard, unanswered) => {
  const number = nextNumber()
  for (const bodies of heard) await hear(number, ...bodies)
  expect(await read(number)).toEqual([unanswered, heard.flat().length, heard.flat().at(-1)])
})

test('an answered conversation stays answered after a reaction to the answer', async () => {
  const number = nextNumber()
  await hear(number, 'When?')
  await must(ann, 'POST', '/api/sms/send', { recipients: [number], body: 'See you at five' })
  await hear(number, 'Tykkäsi viestistä ”See you at…”')
  expect((await read(number))![0]).toBe(false)
})

test.each([
  ['N’a pas aimé « bof »', 'bof'],
  ['A attribué la mention « J’aime » à « ok »', 'J’aime » à « ok'],
  ['Loved an image', ''],
])('%s is a reaction in French or English', (text, quote) => {
  expect(readReaction(text)).toEqual({ quote, isKnown: true })
})

test.each([
  '',
  '“',
  '“”',
  'Liked',
  '👍 “”',
  'Rock ’n’ roll',
  "It's the dogs' toy",
  'x'.repeat(100_000),
])('the text %s is no known reaction', (text) => {
  expect(readReaction(text)?.isKnown ?? false).toBe(false)
})
