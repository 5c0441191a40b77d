import { addConsentEntry } from '../../../src/gateway/consent/consent-entries.ts'
import { joinNumber } from '../../../src/gateway/conversations/join-national-number.ts'
import {
  isJoinable,
  readNationalNumbers,
} from '../../../src/gateway/conversations/national-numbers.ts'
import { receiveTexts } from '../../../src/gateway/conversations/store-received-texts.ts'
import { repairNumbers } from '../../../src/main/doctor-numbers.ts'
import { makeRandomId } from '../../../src/platform/tools/random.ts'
import { assign, lookUp, makeDevice, makeUser, testStore } from '../../support/database/queue.ts'

// Texts, conversations and contacts that were stored under the national form of a number.

const WORDS = { out: ['STOP'], in: ['START'] }
const NATIONAL = '015120000010'
const PHONE = '+4915120000010'

const store = await testStore()
const rows = async (sql: string, ...params: unknown[]) => (await store.db.query(sql, params)).rows

async function makePhone(phone = '+4930123') {
  const device = await makeDevice(store, await makeUser(store), { phone: `'${phone}'` })
  return { ...device, phone }
}
type Phone = Awaited<ReturnType<typeof makePhone>>

const HOUR = (hour: number) => `2026-11-20 0${hour}:00:00.000Z`

/** A text as it was stored before senders were completed. */
async function storeText({ user, id: device }: Phone, from: string, body: string, hour: number) {
  const id = makeRandomId()
  await rows(
    `insert into sms_messages (id, "user", device, status, message_type, "from", "to", body, created, updated, delivered_at)
     values ($1, $2, $3, 'received', 'incoming', $4, '030 12345678', $5, $6, $6, $6)`,
    ...[id, user, device, from, body, HOUR(hour)],
  )
  return id
}

/** A conversation with its last text. `columns`: SQL values of other columns. */
async function storeConversation(
  phone: Phone,
  number: string,
  body: string,
  hour: number,
  columns = {},
) {
  const message = await storeText(phone, number, body, hour)
  const id = makeRandomId()
  const all: Record<string, string> = { unread: '1', unanswered: 'true', ...columns }
  await rows(
    `insert into conversations (id, "user", number, device, last_text, last_at, last_type, last_message, created, updated,
       ${Object.keys(all).join(', ')})
     values ($1, $2, $3, $4, $5, $6, 'incoming', $7, $6, $6, ${Object.values(all).join(', ')})`,
    ...[id, phone.user, number, phone.id, body, HOUR(hour), message],
  )
  return id
}

const storeContact = ({ user }: Phone, phone: string, name: string, isOut = false) =>
  rows(
    `insert into contacts (id, "user", phone, name, opted_out, created, updated)
     values (pb_new_id(), $1, $2, $3, $4, pb_text(now()), pb_text(now()))`,
    ...[user, phone, name, isOut],
  )

const conversationsOf = ({ user }: Phone) =>
  rows(
    'select id, number, last_text, unread, blocked from conversations where "user" = $1 order by number',
    user,
  )
const sendersOf = ({ user }: Phone) =>
  rows(
    'select "from", "to", count(*)::int from sms_messages where "user" = $1 and message_type = $2 group by 1, 2 order by 1',
    user,
    'incoming',
  )
const contactsOf = ({ user }: Phone) =>
  rows('select phone, name, opted_out from contacts where "user" = $1 order by phone', user)

async function found({ user }: Phone) {
  const all = []
  for await (const page of readNationalNumbers(store.db, user)) all.push(...page)
  return all
}
async function join(phone: Phone) {
  for (const one of await found(phone)) await joinNumber(store, phone.user, one, WORDS)
}

/** What the command prints about an account. */
async function repair(apply: boolean, { user }: Phone) {
  const lines: string[] = []
  await repairNumbers(store, {
    apply,
    words: WORDS,
    say: (line) => lines.push(line),
    progress: () => {},
  })
  const start = lines.findIndex((line) => line.startsWith(`Account ${user}`))
  return start < 0 ? [] : lines.slice(start, start + 2)
}

describe('a conversation under a national number', () => {
  test('a conversation under a national number becomes the conversation of an E.164 number without a conversation', async () => {
    const phone = await makePhone()
    const id = await storeConversation(phone, NATIONAL, 'Hello', 1)
    await join(phone)
    expect(await conversationsOf(phone)).toEqual([[id, PHONE, 'Hello', 1, false]])
    expect(await sendersOf(phone)).toEqual([[PHONE, '+493012345678', 1]])
  })

  test.each([
    ['older', 1, 'In E.164'],
    ['newer', 3, 'National'],
  ])(
    'a conversation under a national number joins the conversation of the E.164 number, which then has the last text "$2", if it is %s',
    async (_, hour, last) => {
      const phone = await makePhone()
      const kept = await storeConversation(phone, PHONE, 'In E.164', 2)
      await storeConversation(phone, NATIONAL, 'National', hour, { blocked: 'false', unread: '2' })
      await join(phone)
      expect(await conversationsOf(phone)).toEqual([[kept, PHONE, last, 3, false]])
    },
  )

  test('a conversation under a national number passes on its notes, drafts, assignee and block', async () => {
    const phone = await makePhone()
    const kept = await storeConversation(phone, PHONE, 'In E.164', 2)
    const old = await storeConversation(phone, NATIONAL, 'National', 1, {
      blocked: 'true',
      assignee: `'someone'`,
    })
    const add = (table: string, conversation: string, author: string, text: string) =>
      rows(
        `insert into ${table} (id, "user", conversation, author, text) values (pb_new_id(), $1, $2, $3, $4)`,
        ...[phone.user, conversation, author, text],
      )
    await add('conversation_notes', old, 'ann', 'Call back')
    await add('conversation_drafts', old, 'ann', 'Dear')
    await add('conversation_drafts', old, 'bob', 'Hi')
    await add('conversation_drafts', kept, 'ann', 'Good day')
    await join(phone)
    const texts = (table: string) =>
      rows(`select author, text from ${table} where conversation = $1 order by 1`, kept)
    expect(await texts('conversation_notes')).toEqual([['ann', 'Call back']])
    expect(await texts('conversation_drafts')).toEqual([
      ['ann', 'Good day\nDear'],
      ['bob', 'Hi'],
    ])
    expect(await conversationsOf(phone)).toEqual([[kept, PHONE, 'In E.164', 0, true]])
    expect(await rows('select assignee from conversations where id = $1', kept)).toEqual([
      ['someone'],
    ])
  })

  test('a conversation under a national number is left unchanged while its country is unknown, and joined once the account has a country', async () => {
    const phone = await makePhone('')
    await storeConversation(phone, NATIONAL, 'Hello', 1)
    await join(phone)
    expect((await conversationsOf(phone))[0]![1]).toBe(NATIONAL)
    await rows(
      `insert into user_settings (id, "user", country) values (pb_new_id(), $1, 'DE')`,
      phone.user,
    )
    await join(phone)
    expect((await conversationsOf(phone))[0]![1]).toBe(PHONE)
  })

  test('a conversation under a national number is split if devices in two countries received its texts', async () => {
    const german = await makePhone()
    const dutch = {
      ...(await makeDevice(store, german.user, { phone: `'+31201234567'` })),
      phone: '',
    }
    await storeText(dutch, '0301234567', 'From Utrecht', 1)
    const id = await storeConversation(german, '0301234567', 'From Berlin', 2)
    await join(german)
    expect(await conversationsOf(german)).toEqual([
      [expect.any(String), '+31301234567', 'From Utrecht', 0, false],
      [id, '+49301234567', 'From Berlin', 1, false],
    ])
  })

  test('a conversation under a national number is joined by the next run if a run crashed after moving the texts', async () => {
    const phone = await makePhone()
    const id = await storeConversation(phone, NATIONAL, 'Hello', 1)
    await rows('update sms_messages set "from" = $2 where "user" = $1', phone.user, PHONE)
    await join(phone)
    expect(await conversationsOf(phone)).toEqual([[id, PHONE, 'Hello', 1, false]])
  })

  test('a conversation under a national number is left unchanged if its number is a name or a short code', async () => {
    const phone = await makePhone()
    for (const name of ['BANK', '22333', 'o2']) await storeConversation(phone, name, 'Hello', 1)
    await join(phone)
    expect((await conversationsOf(phone)).map(([, number]) => number)).toEqual([
      '22333',
      'BANK',
      'o2',
    ])
  })
})

describe('a STOP under a national number', () => {
  test('a STOP under a national number opts the E.164 number out and cancels messages waiting for it', async () => {
    const phone = await makePhone()
    const ids = await assign(store, phone, 1)
    await storeConversation(phone, '030 100000', 'stop', 1)
    await rows('update sms_messages set "to" = $2 where id = $1', ids[0], '+4930100000')
    await join(phone)
    expect(await contactsOf(phone)).toEqual([['+4930100000', '', true]])
    expect(await lookUp(store, ids)).toMatchObject([
      { status: 'failed', error: 'Recipient has opted out' },
    ])
  })

  test.each([NATIONAL, PHONE])(
    'a STOP under a national number does not count if the number sent START later, stored under %s',
    async (number) => {
      const phone = await makePhone()
      await storeContact(phone, PHONE, 'Zoe')
      await storeText(phone, NATIONAL, 'STOP', 1)
      await storeText(phone, number, 'START', 2)
      await join(phone)
      expect(await contactsOf(phone)).toEqual([[PHONE, 'Zoe', false]])
    },
  )

  test('a STOP under a national number does not count if another device received a later START', async () => {
    const phone = await makePhone()
    const other = { ...(await makeDevice(store, phone.user)), phone: '' }
    await storeText(phone, NATIONAL, 'START', 2)
    await storeText(other, NATIONAL, 'STOP', 1)
    await storeText(other, NATIONAL, 'Later', 3)
    await join(phone)
    expect(await contactsOf(phone)).toEqual([])
  })

  test('a STOP under a national number counts after an earlier START', async () => {
    const phone = await makePhone()
    await storeText(phone, PHONE, 'START', 1)
    await storeText(phone, NATIONAL, 'STOP', 2)
    await join(phone)
    expect(await contactsOf(phone)).toEqual([[PHONE, '', true]])
  })
})

describe('a contact with a national number', () => {
  test('a contact with a national number gets the E.164 number', async () => {
    const phone = await makePhone('')
    await storeContact(phone, '+49015120000010', 'Zoe', true)
    await join(phone)
    expect(await contactsOf(phone)).toEqual([[PHONE, 'Zoe', true]])
  })

  test('a contact with a national number stays out of the groups that the person has left', async () => {
    const phone = await makePhone('')
    const [former, left] = ['+49015120000010', 'groupthatisleft']
    await rows(
      `insert into contact_groups (id, "user", name) values ($2, $1, 'News')`,
      phone.user,
      left,
    )
    await storeContact(phone, former, 'Zoe')
    const { user } = phone
    await addConsentEntry(store.db, {
      user,
      number: former,
      group: left,
      event: 'opt_out',
      source: 'api',
    })
    await join(phone)
    const states = await rows(
      `select state from consent_states where number = $1 and "group" = $2`,
      PHONE,
      left,
    )
    expect(states).toEqual([['stopped']])
  })

  test('a contact with a national number stays beside a contact with the E.164 number, which gets its opt-out', async () => {
    const phone = await makePhone()
    await storeContact(phone, NATIONAL, 'Zoe', true)
    await storeContact(phone, PHONE, 'Zoe M.')
    await rows(
      `insert into user_settings (id, "user", country) values (pb_new_id(), $1, 'DE')`,
      phone.user,
    )
    await join(phone)
    expect(await contactsOf(phone)).toEqual([
      [PHONE, 'Zoe M.', true],
      [NATIONAL, 'Zoe', true],
    ])
    expect((await found(phone)).map(({ contact }) => contact)).toEqual(['kept'])
    expect((await found(phone)).filter(isJoinable)).toEqual([])
  })
})

describe('a number in a second form of E.164', () => {
  const FORM = '+5215512345678'
  const MEXICAN = '+525512345678'
  const failed = (error: string) => ({ status: 'failed', error, to: MEXICAN })

  async function sendTo(phone: Phone) {
    const ids = await assign(store, phone, 2)
    await rows('update sms_messages set "to" = $2 where id = any($1)', ids, FORM)
    const look = async () =>
      (
        await rows('select status, error_message, "to" from sms_messages where id = any($1)', ids)
      ).map(([status, error, to]) => ({ status, error, to }))
    return { ids, look }
  }

  test('a number in a second form of E.164 gives the texts that were sent to it to the present form', async () => {
    const phone = await makePhone('')
    const { look } = await sendTo(phone)
    expect((await repair(false, phone))[1]).toBe(`  ${FORM} -> ${MEXICAN}: 2 texts`)
    await join(phone)
    expect(await look()).toEqual(Array(2).fill({ status: 'assigned', error: '', to: MEXICAN }))
    expect(await found(phone)).toEqual([])
  })

  test('a number in a second form of E.164 gives its opt-out to the present form, even if its contact is gone', async () => {
    const phone = await makePhone('')
    const { look } = await sendTo(phone)
    await storeContact(phone, FORM, 'Zoe', true)
    await rows('delete from contacts where "user" = $1', phone.user)
    await join(phone)
    expect(await look()).toEqual(Array(2).fill(failed('Recipient has opted out')))
    expect(await contactsOf(phone)).toEqual([[MEXICAN, '', true]])
  })

  test('a number in a second form of E.164 keeps an erased person on the stop list', async () => {
    const phone = await makePhone('')
    await sendTo(phone)
    await rows(
      'insert into _stop_list ("user", hash) values ($1, person_hash($1, $2))',
      phone.user,
      FORM,
    )
    await join(phone)
    expect(await rows('select person_stopped($1, array[$2])', phone.user, MEXICAN)).toEqual([
      [[MEXICAN]],
    ])
  })
})

describe('the command', () => {
  test('the command without --apply lists the numbers that it would join, and joins no conversation', async () => {
    const phone = await makePhone()
    await storeConversation(phone, NATIONAL, 'Hello', 1)
    const before = await conversationsOf(phone)
    expect(await repair(false, phone)).toEqual([
      `Account ${phone.user}: 1 number, with 1 text, 1 conversation, 0 contacts`,
      `  ${NATIONAL} -> ${PHONE}: 1 text`,
    ])
    expect(await conversationsOf(phone)).toEqual(before)
  })

  test('the command finds no conversation after it was applied', async () => {
    const phone = await makePhone()
    await storeConversation(phone, NATIONAL, 'Hello', 1)
    expect(await repair(true, phone)).toHaveLength(2)
    expect(await repair(true, phone)).toEqual([])
  })

  test('the command escapes control characters in a sender', async () => {
    const phone = await makePhone()
    await storeText(phone, '\u202a0151 20000010\u202c', 'Hello', 1)
    expect((await repair(false, phone))[1]).toBe(
      `  \\u{202a}0151 20000010\\u{202c} -> ${PHONE}: 1 text`,
    )
  })

  test('the command joins each number once while two runs and a receiving server work at once', async () => {
    const phone = await makePhone()
    const numbers = Array.from({ length: 30 }, (_, i) => `01512000${1000 + i}`)
    for (const number of numbers) {
      await storeConversation(phone, number, 'Hello', 1)
      await storeText(phone, number, 'STOP', 2)
    }
    const receive = async () => {
      for (const number of numbers)
        await receiveTexts(
          store,
          phone,
          [{ from: number, body: 'Again', receivedAt: Date.now(), sim: 0 }],
          WORDS,
        )
    }
    await Promise.all([join(phone), join(phone), receive()])
    const conversations = await conversationsOf(phone)
    expect(conversations.map(([, number]) => number)).toEqual(
      numbers.map((number) => `+49${number.slice(1)}`),
    )
    expect(new Set(conversations.map(([, , last]) => last))).toEqual(new Set(['Again']))
    expect((await contactsOf(phone)).every(([, , isOut]) => isOut)).toBe(true)
    expect(await contactsOf(phone)).toHaveLength(30)
    expect(
      (await sendersOf(phone)).map(([, , count]) => count).every((count) => Number(count) > 0),
    ).toBe(true)
  })

  test('the command moves more texts than fit into one transaction', async () => {
    const phone = await makePhone()
    await storeConversation(phone, NATIONAL, 'Hello', 1)
    await rows(
      `insert into sms_messages (id, "user", device, status, message_type, "from", body, created, updated, delivered_at)
       select pb_new_id(), $1, $2, 'received', 'incoming', $3, 'x', $4, $4, $4 from generate_series(1, 1200)`,
      ...[phone.user, phone.id, NATIONAL, HOUR(1)],
    )
    await join(phone)
    expect((await sendersOf(phone)).map(([from]) => from)).toEqual([PHONE, PHONE])
  })
})
