import type { Device } from '../../../src/gateway/base/device-record.ts'
import { saveHealth } from '../../../src/gateway/lines/phone-health.ts'
import { recordOutage } from '../../../src/gateway/messages/queue/message-leases.ts'
import { ALARM_MINUTES, MINUTES_UNTIL_MAIL, openAlarmFixture } from '../../support/alarm-fixture.ts'
import { assign } from '../../support/database/queue.ts'

/** Until those that are back are gathered and the account's pace allows it. */
const UNTIL_BACK_TOLD = 6

let owner: { id: string; email: string }

const fixture = await openAlarmFixture()

beforeEach(async () => {
  await fixture.clear()
  owner = await fixture.addOwner()
})

const subjects = async (minutes: number, alive: readonly string[] = []) =>
  (await fixture.live(minutes, alive)).map(({ subject }) => subject)

describe('a device that goes silent', () => {
  test('a device that goes silent is reported once, and once more when it returns', async () => {
    const phone = await fixture.addDevice(owner, 'desk phone')
    const other = await fixture.addDevice(owner, 'spare phone')
    expect(await subjects(ALARM_MINUTES, [other])).toEqual([])
    const [mail, ...more] = await fixture.live(20, [other])
    expect([mail!.to, mail!.subject, more]).toEqual([owner.email, 'desk phone is silent', []])
    expect(mail!.text).toMatch(
      /desk phone has been silent since \d+ \w+ \d{4}, \d\d:\d\d UTC\. No messages wait/,
    )
    expect(await subjects(20, [phone, other])).toEqual(['desk phone is back'])
  })

  test('a device that goes silent is reported with its waiting messages and those moved to other devices', async () => {
    const phone = await fixture.addDevice(owner, 'desk phone')
    const other = await fixture.addDevice(owner, 'spare phone')
    await assign(fixture.store, { id: phone, user: owner.id }, 3)
    const moved = await assign(fixture.store, { id: phone, user: owner.id }, 2)
    await fixture.live(2, [other])
    const note = (device: string, detail: string) =>
      fixture.store.db.query(
        `insert into sms_events (id, "user", message, status, device, detail, created)
         select pb_new_id(), $1, id, 'assigned', $2, $3, pb_text(now()) from unnest($4::text[]) id`,
        [owner.id, device, detail, moved],
      )
    await note(phone, '')
    await note(other, 'The device went offline')
    await fixture.store.db.query('update sms_dispatch set device = $1 where message = any($2)', [
      other,
      moved,
    ])
    const [mail] = await fixture.live(MINUTES_UNTIL_MAIL, [other])
    expect(mail!.text).toContain('3 messages wait for it, 2 were handed to other devices.')
  })

  test('a device that goes silent and its failing line are reported once a day', async () => {
    const phone = await fixture.addDevice(owner, 'desk phone')
    const { db } = fixture.store
    await db.query(`update lines set failing_since = pb_text(now()) where device = $1`, [phone])
    await db.query('insert into line_use (line) select id from lines where device = $1', [phone])
    const [mail, ...more] = await fixture.live(10, [phone])
    expect([mail!.to, mail!.subject, more]).toEqual([owner.email, 'desk phone is failing', []])
    expect(mail!.text).toContain('at least 5 texts in a row were not sent')
    await db.query(`update line_use set failing_told_at = now() - interval '25 hours'`)
    expect(await subjects(2, [phone])).toEqual(['desk phone is failing'])
  })

  test('a device that goes silent and its low battery are reported once until it is recharged', async () => {
    const phone = await fixture.addDevice(owner, 'desk phone')
    const { db } = fixture.store
    const said = async (battery: number, charging: boolean) => {
      await saveHealth(fixture.store, { id: phone } as Device, { battery, charging })
      return subjects(2, [phone])
    }
    expect(await said(14, true)).toEqual([])
    expect(await said(15, false)).toEqual([])
    expect(await said(14, false)).toEqual(['desk phone is low on battery'])
    expect(fixture.mail.mails.at(-1)!.text).toContain('14 % of battery left and is not charging')
    await db.query(`update device_batteries set low_told_at = now() - interval '2 hours'`)
    expect(await said(12, false)).toEqual([])
    expect(await said(90, true)).toEqual([])
    expect(await said(12, false)).toEqual(['desk phone is low on battery'])
  })

  test.each<[what: string, columns: Record<string, string>, set?: string]>([
    ['is switched off', { enabled: 'false' }],
    ['was never seen', { last_seen: `''` }],
    [
      'is woken by push and has no messages',
      { push: `'{"endpoint":"https://push.example.org/x"}'` },
    ],
  ])('a device that goes silent is not reported if it %s', async (_, columns) => {
    await fixture.addDevice(owner, 'desk phone', columns)
    expect(await subjects(20)).toEqual([])
  })

  test('a device that goes silent and does not react to pushes is reported', async () => {
    const push = `'{"endpoint":"https://push.example.org/x"}'`
    const phone = await fixture.addDevice(owner, 'desk phone', { push })
    await fixture.live(MINUTES_UNTIL_MAIL)
    await assign(fixture.store, { id: phone, user: owner.id }, 1, { wakes: '4' })
    expect(await subjects(MINUTES_UNTIL_MAIL)).toEqual([])
    await fixture.store.db.query('update sms_dispatch set wakes = 5')
    expect(await subjects(3)).toEqual(['desk phone is silent'])
  })

  test("a device that goes silent is reported only once its owner's address is verified", async () => {
    const stranger = await fixture.addOwner(false)
    await fixture.addDevice(stranger, 'desk phone')
    expect(await subjects(20)).toEqual([])
    await fixture.store.db.query('update users set verified = true where id = $1', [stranger.id])
    expect(await subjects(3)).toEqual(['desk phone is silent'])
  })

  test.each([
    ['is switched off', 'update devices set enabled = false'],
    ['moves to another user', `update devices set "user" = 'nobody000000000'`],
    ['is deleted', 'delete from devices'],
  ])('a device that goes silent is not reported as back after it %s', async (_, change) => {
    const phone = await fixture.addDevice(owner, 'desk phone')
    await fixture.live(MINUTES_UNTIL_MAIL)
    await fixture.store.db.query(change)
    expect(await subjects(UNTIL_BACK_TOLD, [phone])).toEqual([])
    expect((await fixture.store.db.query('select from device_silences')).rows).toEqual([])
  })

  test('a device that goes silent and was last seen in the year 0 is reported', async () => {
    await fixture.addDevice(owner, 'desk phone', { last_seen: `'0000-01-01 00:00:00.000Z'` })
    await fixture.store.db.query(`update device_watch set looked_at = now() - interval '1 minute'`)
    await fixture.look()
    await fixture.store.db.query(`update device_watch set looked_at = now() - interval '1 minute'`)
    await fixture.store.db.query(
      `update device_silences set changed_at = now() - interval '1 minute'`,
    )
    await fixture.look()
    await fixture.send()
    expect(fixture.mail.mails.map(({ text }) => text)).toEqual([
      expect.stringContaining('silent since 1 Jan 1, 00:00 UTC'),
    ])
  })
})

describe('many silent devices', () => {
  test('many silent devices of one account are listed in one mail, and in one when they return', async () => {
    const phones: string[] = []
    for (let i = 0; i < 50; i++) phones.push(await fixture.addDevice(owner, `phone ${i}.`))
    // their last signs of life were not at the same moment
    await fixture.change(phones.slice(0, 20), `last_seen = pb_text(now() - interval '40 seconds')`)
    const [mail, ...more] = await fixture.live(MINUTES_UNTIL_MAIL + 10)
    expect([mail!.subject, more]).toEqual(['50 devices are silent', []])
    for (let i = 0; i < 50; i++) expect(mail!.text).toContain(`phone ${i}. has been silent`)
    const first = await subjects(1, phones.slice(0, 20))
    expect([first, await subjects(UNTIL_BACK_TOLD, phones)]).toEqual([[], ['50 devices are back']])
  })

  test('many silent devices are reported to each account in its own mail', async () => {
    const neighbour = await fixture.addOwner()
    await fixture.addDevice(owner, 'mine')
    await fixture.addDevice(neighbour, 'yours')
    const mails = await fixture.live(MINUTES_UNTIL_MAIL)
    expect(mails.map(({ to, subject }) => [to, subject]).toSorted()).toEqual(
      [
        [owner.email, 'mine is silent'],
        [neighbour.email, 'yours is silent'],
      ].toSorted(),
    )
  })
})

describe('a device that is silent again and again', () => {
  test('a device that is silent again and again is reported at most once an hour, together with its return', async () => {
    const phone = await fixture.addDevice(owner, 'desk phone')
    const told: string[] = []
    for (let i = 0; i < 8; i++) {
      told.push(...(await subjects(MINUTES_UNTIL_MAIL)))
      told.push(...(await subjects(3, [phone])))
    }
    // eight silences in two hours and a bit
    const pair = ['desk phone is silent', 'desk phone is back']
    expect(told).toEqual([...pair, ...pair])
  })

  test('a device that is silent again and again of an account with many is reported at most every five minutes', async () => {
    const phones: string[] = []
    for (let i = 0; i < 20; i++) phones.push(await fixture.addDevice(owner, `phone ${i}`))
    // one after the other, a minute apart
    const mails = []
    for (let i = 0; i < 20; i++) mails.push(...(await fixture.live(1, phones.slice(i))))
    mails.push(...(await fixture.live(MINUTES_UNTIL_MAIL)))
    expect(mails.length).toBeLessThanOrEqual(Math.ceil((20 + MINUTES_UNTIL_MAIL) / 5))
    const { rows } = await fixture.store.db.query(
      `select count(*) from device_silences where state = 'told'`,
    )
    expect(Number(rows[0]![0])).toBe(20)
  })
})

test.each<[what: string, away: () => Promise<unknown>]>([
  ['the server was away', () => fixture.pass(60)],
  [
    'the database was away',
    async () => {
      await fixture.live(1)
      await fixture.pass(2)
      await recordOutage(fixture.store.db)
      await fixture.pass(ALARM_MINUTES - 2)
      await recordOutage(fixture.store.db)
    },
  ],
])(
  'after a time when devices could not reach the server (%s), devices that return in time are not reported',
  async (_, away) => {
    const phones: string[] = []
    for (let i = 0; i < 5; i++) phones.push(await fixture.addDevice(owner, `phone ${i}`))
    await fixture.live(5, phones)
    await away()
    // one does not come
    expect(await subjects(2)).toEqual([])
    const back = phones.slice(1)
    expect(await subjects(ALARM_MINUTES - 3, back)).toEqual([])
    expect(await subjects(5, back)).toEqual(['phone 0 is silent'])
  },
)

test('several nodes check once a minute in all and report once', async () => {
  await fixture.addDevice(owner, 'desk phone')
  for (let i = 0; i < MINUTES_UNTIL_MAIL + 5; i++) {
    await fixture.pass(1)
    await Promise.all([fixture.look(), fixture.look(), fixture.look()])
    await Promise.all([fixture.send(), fixture.send()])
  }
  expect(fixture.mail.mails.map(({ subject }) => subject)).toEqual(['desk phone is silent'])
  const lookedAt = () => fixture.store.db.query('select looked_at::text from device_watch')
  const before = (await lookedAt()).rows
  await fixture.look()
  expect((await lookedAt()).rows).toEqual(before)
})
