import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordModel } from 'pocketbase'
import sharp from 'sharp'
import { expect } from 'vitest'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { type Phone, pairPhone } from '../support/phone.ts'

const FOLDER = join(import.meta.dirname, '../../../docs/console')
const WIDTH = 960
const MAX_BYTES = 60_000
const PALETTE = { palette: true, colours: 64, effort: 10 } as const

const GROUPS = ['Regulars', 'Newsletter'] as const
const PEOPLE = [
  ['Anna Lopez', '+4915120000010', 'Cologne'],
  ['Ben Okafor', '+4915120000011', 'Bonn'],
  ['Chiara Rossi', '+4915120000012', 'Cologne'],
  ['David Kim', '+4915120000013', 'Aachen'],
  ['Elif Ünal', '+4915120000014', 'Bonn'],
  ['Farid Haddad', '+4915120000015', 'Cologne'],
  ['Greta Lindqvist', '+4915120000016', 'Düren'],
] as const
const [ANNA, BEN, CHIARA, DAVID] = PEOPLE.map(([, phone]) => phone)

// One scenario, as each picture shows what was done for the one before it.
scenario('the pictures of docs/console.md', async (fixture) => {
  const phone = await furnish(fixture)
  await fixture.signIn()
  await fixture.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await showSend(fixture)
  await showConversation(fixture)
  await showContacts(fixture)
  await showTemplate(fixture)
  await fixture.visit('/messages')
  await fixture.page.getByText('9 messages').waitFor()
  await take(fixture, 'messages')
  await fixture.visit(`/devices/${phone.id}`)
  await fixture.page.getByText('Perfect, I will come at five.').waitFor()
  await take(fixture, 'device')
})

/** A shop with contacts, a template, a phone, and texts in both directions. */
async function furnish({ ann, url }: BrowserFixture): Promise<Phone> {
  const user = await ann()
  const id = user.authStore.record!.id
  const groups: RecordModel[] = []
  for (const name of GROUPS) groups.push(await user.collection('contact_groups').create({ user: id, name }))
  for (const [at, [name, number, city]] of PEOPLE.entries())
    await user.collection('contacts').create({
      user: id,
      name,
      phone: number,
      data: { city },
      groups: groups.filter((_, group) => (at + group) % 3 !== 0).map((group) => group.id),
    })
  await user.collection('sms_templates').create({
    user: id,
    name: 'Parcel ready',
    body: 'Hello {{name|there}}, your parcel is ready in {{city}}.',
  })
  await user.collection('users').update(id, { country: 'DE', time_zone: 'Europe/Berlin' })
  const phone = await pairPhone(url, user, 'Desk phone')
  const send = (to: readonly (string | undefined)[], body: string) =>
    user.send('/api/sms/send', { method: 'POST', body: { recipients: to, body } })
  await send([ANNA, BEN, CHIARA, DAVID], 'We are open on Sunday from 12 to 5 pm.')
  for (const task of await phone.claim()) {
    await phone.report(task, 'sent')
    if (task.to === DAVID)
      await phone.report(task, 'failed', { error_message: 'The number is not in service' })
    else await phone.report(task, 'delivered')
  }
  await phone.hear(BEN!, 'Thanks! Is there parking?')
  await phone.hear(CHIARA!, 'Great, see you then')
  await phone.hear(ANNA!, 'Hi, is my parcel there?')
  await send([ANNA], 'Yes, since this morning. We are open until 7 pm.')
  for (const task of await phone.claim()) {
    await phone.report(task, 'sent')
    await phone.report(task, 'delivered')
  }
  await phone.hear(ANNA!, 'Perfect, I will come at five.')
  return phone
}

async function showSend(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await fixture.visit('/send')
  await page.getByRole('combobox', { name: 'To' }).fill(`${ANNA}, ${BEN},`)
  await page.keyboard.press('Enter')
  await page
    .getByLabel('Text', { exact: true })
    .last()
    .fill('Hello! We are open on Sunday from 12 to 5 pm. See you there?')
  await page.getByText('2 people').first().waitFor()
  await take(fixture, 'send')
}

async function showConversation(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await fixture.visit(`/conversations/${encodeURIComponent(ANNA!)}`)
  await page.getByLabel('Texts').getByText('I will come at five').waitFor()
  await page.getByLabel('Answer from Desk phone').fill('See you then!')
  await take(fixture, 'conversations')
}

async function showContacts(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await fixture.visit('/contacts')
  await page.getByText('Greta Lindqvist').first().waitFor()
  await take(fixture, 'contacts')
}

async function showTemplate(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  await fixture.visit('/templates')
  await page.getByRole('button', { name: 'Change Parcel ready' }).click()
  await page.getByText('Hello Anna Lopez, your parcel is ready in Cologne.').waitFor()
  await take(fixture, 'template')
  await page.keyboard.press('Escape')
}

/** Takes a picture of the page into docs, smaller and in few colours. */
async function take({ page }: BrowserFixture, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const { size } = await sharp(await page.screenshot())
    .resize({ width: WIDTH })
    .png(PALETTE)
    .toFile(join(FOLDER, `${name}.png`))
  expect(size).toBeLessThanOrEqual(MAX_BYTES)
}
