import { MINUTES_UNTIL_MAIL, openAlarmFixture } from '../../support/alarm-fixture.ts'

const DAY_MINUTES = 24 * 60

let owner: { id: string; email: string }

const fixture = await openAlarmFixture()

beforeEach(async () => {
  await fixture.clear()
  fixture.mail.refuses = false
  owner = await fixture.addOwner()
})

const count = async (where: string) => {
  const { rows } = await fixture.store.db.query(`select count(*) from _jobs where ${where}`)
  return Number(rows[0]![0])
}
const subjects = () => fixture.mail.mails.map(({ subject }) => subject)

/** A device is silent, and the mail about it written but not sent. */
async function queue(to = owner, name = 'desk phone'): Promise<string> {
  const device = await fixture.addDevice(to, name)
  for (let i = 0; i < MINUTES_UNTIL_MAIL; i++) {
    await fixture.pass(1)
    await fixture.look()
  }
  return device
}

test('an alarm mail has a text and an HTML part in which device names are escaped', async () => {
  await queue(owner, '<b>Büro</b> & "co"')
  await fixture.send()
  const [mail] = fixture.mail.mails
  expect(mail!.text).toContain('<b>Büro</b> & "co" has been silent since')
  expect(mail!.raw).toMatch(/Content-Type: text\/html/)
  const page = mail!.raw.slice(mail!.raw.indexOf('text/html')).replace(/=\n/g, '')
  expect(page).toContain('&lt;b&gt;B=C3=BCro&lt;/b&gt; &amp; &#34;co&#34; has been silent since')
  expect(page).not.toContain('<b>B')
})

describe('an alarm refused by the mail server', () => {
  test('an alarm refused by the mail server is dropped after a day', async () => {
    fixture.mail.refuses = true
    await queue()
    await fixture.send()
    await fixture.pass(DAY_MINUTES)
    fixture.mail.refuses = false
    await fixture.send()
    expect([await count('true'), subjects()]).toEqual([0, []])
  })

  test('an alarm refused by the mail server is sent later, the silence before the return', async () => {
    fixture.mail.refuses = true
    const device = await queue()
    await fixture.send()
    await fixture.live(10, [device])
    expect(await count('true')).toBe(2)
    fixture.mail.refuses = false
    await fixture.live(70, [device])
    expect(subjects()).toEqual(['desk phone is silent', 'desk phone is back'])
  })
})

test.each([
  ['whose owner was deleted', 'delete from users where id = $1'],
  ['whose owner has a new, unverified address', 'update users set verified = false where id = $1'],
])('a mail %s is not sent', async (_, change) => {
  await queue()
  await fixture.store.db.query(change, [owner.id])
  await fixture.send()
  expect([subjects(), await count('true')]).toEqual([[], 0])
})

test('a mail goes to the address that its owner has when it is sent', async () => {
  await queue()
  const email = `new.${owner.email}`
  await fixture.store.db.query('update users set email = $2 where id = $1', [owner.id, email])
  await fixture.send()
  expect(fixture.mail.mails.map(({ to }) => to)).toEqual([email])
})
