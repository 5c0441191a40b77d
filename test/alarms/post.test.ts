import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendAlarms } from '../../src/alarms/post.ts'
import { openAlarms, type Site, UNTIL_TOLD } from '../support/alarms.ts'

const DAY_MINUTES = 24 * 60

let site: Site
let owner: { id: string; email: string }
beforeAll(async () => {
  site = await openAlarms()
})
afterAll(() => site.close())
beforeEach(async () => {
  await site.clear()
  site.mail.refuses = false
  owner = await site.addOwner()
})

const count = async (where: string) => {
  const { rows } = await site.store.db.query(`select count(*) from device_alarm_mails where ${where}`)
  return Number(rows[0]![0])
}
const subjects = () => site.mail.mails.map(({ subject }) => subject)

/** A device is silent, and the mail about it written but not sent. */
async function queue(to = owner, name = 'desk phone'): Promise<string> {
  const device = await site.addDevice(to, name)
  for (let i = 0; i < UNTIL_TOLD; i++) {
    await site.pass(1)
    await site.look()
  }
  return device
}

test('a mail has a text and a page, in which a name is no HTML', async () => {
  await queue(owner, '<b>Büro</b> & "co"')
  await site.send()
  const [mail] = site.mail.mails
  expect(mail!.text).toContain('<b>Büro</b> & "co" has been silent since')
  expect(mail!.raw).toMatch(/Content-Type: text\/html/)
  const page = mail!.raw.slice(mail!.raw.indexOf('text/html')).replace(/=\n/g, '')
  expect(page).toContain('&lt;b&gt;B=C3=BCro&lt;/b&gt; &amp; &#34;co&#34; has been silent since')
  expect(page).not.toContain('<b>B')
})

describe('a mail server that takes nothing', () => {
  test('is asked again, less and less often, and takes it once', async () => {
    site.mail.refuses = true
    await queue()
    await site.send()
    const tries = async () => {
      const { rows } = await site.store.db.query('select tries from device_alarm_mails')
      return Number(rows[0]![0])
    }
    await site.send()
    expect(await tries()).toBe(1)
    for (const minutes of [1, 5, 15, 60]) {
      await site.pass(minutes)
      await site.send()
      await site.send()
    }
    expect(await tries()).toBe(5)
    site.mail.refuses = false
    await site.pass(60)
    await site.send()
    await site.pass(60)
    await site.send()
    expect(subjects()).toEqual(['desk phone is silent'])
  })

  test('for a day: then nobody wants to know', async () => {
    site.mail.refuses = true
    await queue()
    await site.send()
    await site.pass(DAY_MINUTES)
    site.mail.refuses = false
    await site.send()
    expect([await count('true'), subjects()]).toEqual([0, []])
  })

  test('hears of a return only after the silence', async () => {
    site.mail.refuses = true
    const device = await queue()
    await site.send()
    await site.live(10, [device])
    expect(await count('true')).toBe(2)
    site.mail.refuses = false
    await site.live(70, [device])
    expect(subjects()).toEqual(['desk phone is silent', 'desk phone is back'])
  })
})

test.each([
  ['whose owner is gone', 'delete from users where id = $1'],
  ['whose owner has another address that is not verified', 'update users set verified = false where id = $1'],
])('a mail %s is not sent', async (_, change) => {
  await queue()
  await site.store.db.query(change, [owner.id])
  await site.send()
  expect([subjects(), await count('sent_at is null')]).toEqual([[], 0])
})

test('a mail is for the address that its owner has by then', async () => {
  await queue()
  const email = `new.${owner.email}`
  await site.store.db.query('update users set email = $2 where id = $1', [owner.id, email])
  await site.send()
  expect(site.mail.mails.map(({ to }) => to)).toEqual([email])
})

test('nodes that send at the same time send each mail once', async () => {
  for (let i = 0; i < 8; i++) await site.addDevice(await site.addOwner(), `phone ${i}`)
  await queue(owner, 'phone 8')
  await Promise.all([site.send(), site.send(), site.send()])
  expect(subjects().toSorted()).toEqual(Array.from({ length: 9 }, (_, i) => `phone ${i} is silent`))
})

test('a server that stops begins no further mail', async () => {
  await queue()
  await sendAlarms(site.store.db, site.post, AbortSignal.abort())
  expect([subjects(), await count('sent_at is null')]).toEqual([[], 1])
})

test('what was sent is forgotten after an hour', async () => {
  await queue()
  await site.send()
  await site.pass(59)
  await site.send()
  expect(await count('true')).toBe(1)
  await site.pass(2)
  await site.send()
  expect(await count('true')).toBe(0)
})
