import { must } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import { nextNumber, openSentenceServer, type Sentence, testSentences } from './sentence-fixture.ts'

// Sentences about contacts, opt-outs, consent and conversations.

const on = await openSentenceServer()
const { ann, create, change, remove, list, send, readMessage, findRefusal, hear } = on
const OUT = 'Recipient has opted out'

/** A number that has texted STOP, and the id of its contact. */
async function stopped() {
  const number = nextNumber()
  await hear(number, 'STOP')
  const [contact] = await list('contacts', `phone = "${number}"`)
  return { number, id: contact.id as string }
}
const proof = (number: string, more: object = {}) =>
  create('consents', {
    number,
    event: 'opt_in',
    source: 'console',
    shown: 'Offers',
    said: 'At the desk',
    ...more,
  })
const retry = (id: string) => ann.call('POST', `/api/sms/messages/${id}/retry`)
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Deletes a contact whose number has opted out. */
async function tryDeletingOptedOut() {
  const { number, id } = await stopped()
  const sent = await list('sms_messages', `from = "${number}"`)
  await remove('contacts', id)
  expect(await findRefusal(number)).toBe(OUT)
  expect(await list('sms_messages', `from = "${number}"`)).toEqual(sent)
}

async function tryDeletingContact() {
  const number = nextNumber()
  const { id } = await create('contacts', { phone: number })
  const message = await send(number)
  await remove('contacts', id)
  expect(await readMessage(message.id)).toMatchObject({ to: number, body: 'Hello' })
}

/** Deletes a group to which a campaign repeats and a hook texts. */
async function tryDeletingGroupOfRepeat() {
  const { id } = await create('contact_groups', { name: 'Gone' })
  await create('contacts', { phone: nextNumber(), groups: [id] })
  const repeat = { cron: '0 8 * * *', time_zone: 'Europe/Berlin' }
  await must(ann, 'POST', '/api/campaigns', { name: 'Again', body: 'Hi', group_ids: [id], repeat })
  await create('hooks', { name: 'Alarm', preset: 'text', groups: [id] })
  const uses = [
    [
      'campaigns',
      `groups ~ "${id}" && repeat != null && (status = 'repeating' || status = 'paused')`,
    ],
    ['hooks', `groups ~ "${id}"`],
  ] as const
  for (const [collection, filter] of uses) expect(await list(collection, filter)).toHaveLength(1)
  await remove('contact_groups', id)
  expect(await list('campaigns', `name = "Again"`)).toMatchObject([{ groups: [], recipients: [] }])
  expect(await list('hooks', `name = "Alarm"`)).toMatchObject([{ groups: [] }])
}

/** Deletes a label of a conversation, a contact, a view, an automatic answer and a hook. */
async function tryDeletingLabel() {
  const number = nextNumber()
  const label = (await create('labels', { name: `Label of ${number}` })).id
  await create('contacts', { phone: number })
  const { id } = await create('conversations', { number, labels: [label] })
  const names = { labels: [label], name: `For ${number}`, label }
  await create('inbox_views', names)
  await create('auto_answers', { ...names, match: 'first_word', value: number, body: 'Hello' })
  await create('hooks', { ...names, preset: 'text', recipients: [number] })
  const counted = `labels:each ?= "${label}"`
  for (const [collection, filter] of [
    ['conversations', counted],
    ['contacts', counted],
    ['inbox_views', `labels ~ "${label}"`],
    ['auto_answers', `label = "${label}"`],
    ['hooks', `label = "${label}"`],
  ] as const)
    expect(await list(collection, filter)).toHaveLength(1)
  await remove('labels', label)
  expect(await list('conversations', `id = "${id}"`)).toMatchObject([{ labels: [] }])
  expect(await list('contacts', `phone = "${number}"`)).toMatchObject([{ labels: [] }])
  for (const collection of ['auto_answers', 'hooks'])
    expect(await list(collection, `name = "${names.name}"`)).toMatchObject([{ label: '' }])
}

/** Adds a contact to a group and removes it, as the console does for several at once. */
async function tryChangingGroup() {
  const { id } = await create('contact_groups', { name: `Guests ${nextNumber()}` })
  const contact = await create('contacts', { phone: nextNumber() })
  const members = () => list('contacts', `groups.id ?= "${id}"`)
  await change('contacts', contact.id, { 'groups+': id })
  expect(await members()).toHaveLength(1)
  const body = { group_ids: [id], body: 'Hello' }
  expect(await must(ann, 'POST', '/api/campaigns/preview', body)).toMatchObject({
    recipients_count: 1,
  })
  await change('contacts', contact.id, { 'groups-': id })
  expect(await members()).toHaveLength(0)
  expect(await list('contacts', `id = "${contact.id}"`)).toHaveLength(1)
}

const group = await create('contact_groups', { name: 'Offers', requires_consent: true })

const SENTENCES: readonly Sentence[] = [
  [
    'Texts to the group then go to them, too. You can undo it for a minute.',
    'SMS an die Gruppe gehen dann auch an sie. Sie können es eine Minute lang rückgängig machen.',
    tryChangingGroup,
  ],
  [
    'They stay in your contacts. You can undo it for a minute.',
    'Die Personen bleiben in Ihren Kontakten. Sie können es eine Minute lang rückgängig machen.',
    tryChangingGroup,
  ],
  [
    '{contact} is deleted; the messages stay, and the number stays opted out.',
    '{contact} wird gelöscht; die Nachrichten bleiben, und die Nummer bleibt abgemeldet.',
    tryDeletingOptedOut,
  ],
  [
    '1 of them opted out, and the number stays opted out.',
    '1 davon hat sich abgemeldet, und die Nummer bleibt abgemeldet.',
    tryDeletingOptedOut,
  ],
  [
    '{count} of them opted out, and their numbers stay opted out.',
    '{count} davon haben sich abgemeldet, und ihre Nummern bleiben abgemeldet.',
    tryDeletingOptedOut,
  ],
  [
    '{contact} is deleted; the messages stay.',
    '{contact} wird gelöscht; die Nachrichten bleiben.',
    tryDeletingContact,
  ],
  [
    'Their messages stay. You can undo it for a minute.',
    'Die Nachrichten bleiben. Sie können es eine Minute lang rückgängig machen.',
    tryDeletingContact,
  ],
  [
    'They get texts again. Do this only when they have asked for it.',
    'Diese Personen bekommen wieder SMS. Tun Sie das nur, wenn sie darum gebeten haben.',
    async () => {
      const { number, id } = await stopped()
      await change('contacts', id, { opted_out: false })
      expect(await findRefusal(number)).toBe('')
    },
  ],
  [
    'This number has opted out: texts to it are not sent.',
    'Diese Nummer hat sich abgemeldet: SMS dorthin werden nicht gesendet.',
    async () => expect(await findRefusal((await stopped()).number)).toBe(OUT),
  ],
  [
    'This number has opted out. It stays so when you save it as a contact.',
    'Diese Nummer ist abgemeldet. Das bleibt so, wenn Sie sie als Kontakt speichern.',
    async () => {
      const { number, id } = await stopped()
      await remove('contacts', id)
      expect(await create('contacts', { phone: number, name: 'Zoë' })).toMatchObject({
        opted_out: true,
      })
      expect(await findRefusal(number)).toBe(OUT)
    },
  ],
  [
    'This number gets texts again when it has sent START, or when somebody unticks “Opted out”. Where proof of consent is required, unticking is not enough.',
    'Diese Nummer bekommt wieder SMS, wenn sie START gesendet hat oder jemand das Häkchen bei „Abgemeldet“ entfernt. Wo ein Nachweis der Einwilligung verlangt wird, reicht das entfernte Häkchen nicht.',
    async () => {
      const [starts, unticked] = [await stopped(), await stopped()]
      await hear(starts.number, 'START')
      await change('contacts', unticked.id, { opted_out: false })
      for (const { number } of [starts, unticked]) expect(await findRefusal(number)).toBe('')
      const asked = { requires_consent: true }
      expect(await findRefusal(unticked.number, asked)).toBe('No proof of consent')
      expect(await findRefusal(starts.number, asked)).toBe('')
    },
  ],
  [
    'This number gets texts again when it has sent START, or when somebody saves it as a contact and then unticks “Opted out”. Where proof of consent is required, unticking is not enough.',
    'Diese Nummer bekommt wieder SMS, wenn sie START gesendet hat oder jemand sie als Kontakt speichert und dann das Häkchen bei „Abgemeldet“ entfernt. Wo ein Nachweis der Einwilligung verlangt wird, reicht das entfernte Häkchen nicht.',
    async () => {
      const [starts, saved] = [await stopped(), await stopped()]
      for (const { id } of [starts, saved]) await remove('contacts', id)
      await hear(starts.number, 'START')
      const { id } = await create('contacts', { phone: saved.number, opted_out: false })
      expect(await findRefusal(saved.number)).toBe(OUT)
      await change('contacts', id, { opted_out: false })
      for (const { number } of [starts, saved]) expect(await findRefusal(number)).toBe('')
      expect(await findRefusal(saved.number, { requires_consent: true })).toBe(
        'No proof of consent',
      )
    },
  ],
  [
    'Sending it again is not possible. If the person wants texts again, write a new one.',
    'Noch einmal senden ist nicht möglich. Wenn die Person wieder SMS möchte, schreiben Sie eine neue.',
    async () => {
      const { number, id } = await stopped()
      const refused = await send(number)
      await change('contacts', id, { opted_out: false })
      expect((await retry(refused.id)).status).toBeGreaterThanOrEqual(400)
      expect(await findRefusal(number)).toBe('')
    },
  ],
  [
    'Record the consent in the contact first. Then write a new text.',
    'Tragen Sie zuerst die Einwilligung beim Kontakt ein. Schreiben Sie dann eine neue SMS.',
    async () => {
      const number = nextNumber()
      await create('contacts', { phone: number })
      const asked = { requires_consent: true }
      expect(await findRefusal(number, asked)).toBe('No proof of consent')
      await proof(number)
      expect(await findRefusal(number, asked)).toBe('')
    },
  ],
  [
    'This person was erased and gets no more texts.',
    'Diese Person wurde gelöscht und bekommt keine SMS mehr.',
    async () => {
      const number = nextNumber()
      await create('contacts', { phone: number })
      await must(ann, 'POST', '/api/person/erase', { number, reason: 'Asked' })
      await until('the erasure', async () => (await findRefusal(number)) !== '')
      expect(await findRefusal(number)).toBe('Recipient is on the stop list')
    },
  ],
  [
    'This person has opted out. Only a consent of a later day counts.',
    'Diese Person hat sich abgemeldet. Nur eine Einwilligung von einem späteren Tag zählt.',
    async () => {
      const number = nextNumber()
      const stop = { event: 'opt_out', source: 'import', given_at: dayBefore(3) }
      await proof(number, stop)
      expect(await findRefusal(number)).toBe(OUT)
      await proof(number, { given_at: dayBefore(4) })
      expect(await findRefusal(number)).toBe(OUT)
      const today = await stopped()
      await proof(today.number, { given_at: dayBefore(1) })
      expect(await findRefusal(today.number)).toBe(OUT)
    },
  ],
  [
    'Send only to people with proof of consent',
    'Nur an Personen mit nachgewiesener Einwilligung senden',
    async () => {
      const [has, has_not] = [nextNumber(), nextNumber()]
      for (const phone of [has, has_not]) await create('contacts', { phone, groups: [group.id] })
      await proof(has, { group: group.id })
      const { message_ids } = await must(ann, 'POST', '/api/sms/send', {
        group_ids: [group.id],
        body: 'Sale',
      })
      const sent = await Promise.all(message_ids.map(readMessage))
      expect(Object.fromEntries(sent.map(({ to, error_message }) => [to, error_message]))).toEqual({
        [has]: '',
        [has_not]: 'No proof of consent',
      })
    },
  ],
  [
    'One conversation loses it. The conversation stays.',
    'Eine Unterhaltung verliert es. Die Unterhaltung bleibt.',
    tryDeletingLabel,
  ],
  [
    '{count} conversations lose it. The conversations stay.',
    '{count} Unterhaltungen verlieren es. Die Unterhaltungen bleiben.',
    tryDeletingLabel,
  ],
  [
    'If you both send, the person gets two answers.',
    'Wenn Sie beide senden, bekommt die Person zwei Antworten.',
    async () => {
      const number = nextNumber()
      await Promise.all([send(number), send(number)])
      expect(await list('sms_messages', `to = "${number}" && error_message = ""`)).toHaveLength(2)
    },
  ],
  [
    '{count} contacts lose it and stay, too.',
    'Auch {count} Kontakte verlieren es und bleiben.',
    tryDeletingLabel,
  ],
  [
    'Its conversations stay.',
    'Die Unterhaltungen bleiben.',
    async () => {
      const { id } = await create('conversations', { number: nextNumber() })
      const view = await create('inbox_views', { name: 'All' })
      await remove('inbox_views', view.id)
      expect(await list('conversations', `id = "${id}"`)).toHaveLength(1)
    },
  ],
  [
    'The contacts in {name} stay.',
    'Die Kontakte in {name} bleiben.',
    async () => {
      const { id } = await create('contact_groups', { name: 'Old' })
      const contact = await create('contacts', { phone: nextNumber(), groups: [id] })
      await remove('contact_groups', id)
      expect(await list('contacts', `id = "${contact.id}"`)).toMatchObject([{ groups: [] }])
    },
  ],
  [
    'Campaigns that repeat and go to it no more: {names}.',
    'Kampagnen, die sich wiederholen und dann nicht mehr an sie gehen: {names}.',
    tryDeletingGroupOfRepeat,
  ],
  [
    'A deleted note cannot be restored.',
    'Eine gelöschte Notiz lässt sich nicht wiederherstellen.',
    async () => {
      const number = nextNumber()
      await hear(number, 'Hello')
      const [{ id: conversation }] = await list('conversations', `number = "${number}"`)
      const { id } = await create('conversation_notes', { conversation, text: 'Call back' })
      await remove('conversation_notes', id)
      expect(await list('conversation_notes', `conversation = "${conversation}"`)).toEqual([])
    },
  ],
  [
    'Texts from this number are kept under Blocked: nobody is notified, and no automatic answer is sent.',
    'SMS von dieser Nummer stehen dann unter „Gesperrt“: Niemand wird benachrichtigt, und es geht keine automatische Antwort hinaus.',
    async () => {
      const [blocked, other] = [nextNumber(), nextNumber()]
      await hear(blocked, 'Hello')
      const [{ id }] = await list('conversations', `number = "${blocked}"`)
      await change('conversations', id, { blocked: true, unread: 0 })
      const answer = await create('auto_answers', { match: 'any', body: 'Closed', enabled: true })
      await hear(blocked, 'Hello again')
      await hear(other, 'Hello')
      const answersTo = (to: string) => list('sms_messages', `to = "${to}" && body = "Closed"`)
      await until('the answer to another', async () => (await answersTo(other)).length > 0)
      expect(await answersTo(blocked)).toEqual([])
      expect(await list('conversations', `id = "${id}"`)).toMatchObject([
        { blocked: true, last_text: 'Hello again' },
      ])
      await remove('auto_answers', answer.id)
    },
  ],
  [
    'Nobody gets this answer any more.',
    'Niemand bekommt diese Antwort mehr.',
    async () => {
      const number = nextNumber()
      const first = { match: 'any', body: 'First', enabled: true, pause_hours: 0 }
      const { id } = await create('auto_answers', first)
      const second = await create('auto_answers', { ...first, body: 'Second' })
      await remove('auto_answers', id)
      await hear(number, 'Hello')
      await until(
        'an answer',
        async () => (await list('sms_messages', `to = "${number}"`)).length > 0,
      )
      expect(await list('sms_messages', `to = "${number}"`)).toMatchObject([{ body: 'Second' }])
      await remove('auto_answers', second.id)
    },
  ],
  [
    'STOP, START and words like them never get an automatic answer.',
    'STOP, START und ähnliche Wörter bekommen nie eine automatische Antwort.',
    async () => {
      const number = nextNumber()
      const any = { match: 'any', body: 'Closed', enabled: true, pause_hours: 0 }
      const { id } = await create('auto_answers', any)
      await hear(number, 'STOP')
      await hear(number, 'START')
      await hear(number, 'Hello')
      await until(
        'the answer',
        async () => (await list('sms_messages', `to = "${number}"`)).length > 0,
      )
      expect(await list('sms_messages', `to = "${number}"`)).toHaveLength(1)
      await remove('auto_answers', id)
    },
  ],
]

testSentences(SENTENCES)
