import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { runPayloads } from './run-payloads.ts'

// What people's phones send, and what becomes of the person's consent and of the conversation.

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })
await must(server.superuser, 'POST', '/api/collections/user_settings/records', {
  user: ann.id,
  opt_out_languages: ['de', 'es', 'fr', 'it', 'nl', 'pl', 'pt', 'sv'],
})
await must(ann, 'POST', '/api/collections/auto_answers/records', {
  user: ann.id,
  enabled: true,
  match: 'any',
  body: 'We answer soon',
})
const group = (
  await must(ann, 'POST', '/api/collections/contact_groups/records', {
    user: ann.id,
    name: 'News',
    join_words: 'JOIN',
    join_confirm: true,
  })
).id

/** `got`: the text that the person got before. */
interface Sent {
  readonly text: string
  readonly got?: string
}

const PREPARE: Readonly<Record<string, (number: string, got: string) => Promise<unknown>>> = {
  'opt-outs': async (number, got) => {
    if (got) await must(ann, 'POST', '/api/sms/send', { recipients: [number], body: got })
  },
  'consent-answers': async (number) => {
    await server.hear(phone, [[number, 'JOIN']])
    const asked = () => server.query(`select 1 from sms_messages where "to" = $1`, [number])
    await expect.poll(async () => (await asked()).length, { timeout: 20_000 }).toBe(1)
  },
  reactions: (number, got) =>
    must(ann, 'POST', '/api/sms/send', { recipients: [number], body: got }),
}

let numbers = 63_000_000

runPayloads<Sent, object>('incoming', Object.keys(PREPARE), async (subject, { text, got = '' }) => {
  const number = `+4915${numbers++}`
  await PREPARE[subject]!(number, got)
  await server.hear(phone, [[number, text]])
  const [row] = await server.query(
    `select coalesce((select opted_out from contacts where phone = $1), false),
      coalesce((select state from consent_states where number = $1 and "group" = $2), ''),
      c.unanswered, exists (select from _jobs where key = m.id) or exists (
        select from auto_answers_sent where message = m.id)
      from conversations c join sms_messages m on m.id = c.last_message where c.number = $1`,
    [number, group],
  )
  const [optedOut, state, unanswered, answered] = row!
  return { optedOut, state, unanswered, answered }
})
