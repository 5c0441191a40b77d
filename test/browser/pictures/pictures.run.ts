import { mkdirSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import PocketBase from 'pocketbase'
import sharp from 'sharp'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'
import { EXAMPLES, type Example, PEOPLE } from './examples.ts'
import { furnish } from './furnish.ts'

const FOLDER = join(import.meta.dirname, '../../../docs/console')
/** The pictures that a browser shows before it installs the console. The manifest has their sizes. */
const PUBLIC = join(import.meta.dirname, '../../../console/public')
const WIDTH = 960
const MAX_BYTES = 60_000
const PALETTE = { palette: true, quality: 40, dither: 0, effort: 10 } as const

const [ANNA, BEN] = PEOPLE.map(([, phone]) => phone)

// One scenario, as each picture shows what was done for the one before it.
for (const example of EXAMPLES)
  scenario(
    `the pictures of docs/${example.page}`,
    async (fixture) => {
      const { page, say } = fixture
      const take = (name: string) => takePicture(fixture, join(example.folder, name))
      const phone = await furnish(fixture, example)
      await fixture.signIn()
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await showSend(fixture, example)
      await take('send')
      await showConversation(fixture, example)
      await take('conversations')
      await fixture.visit('/contacts')
      await page.getByRole('cell', { name: example.groups[0]! }).first().waitFor()
      await take('contacts')
      await showTemplate(fixture, example)
      await take('template')
      await page.keyboard.press('Escape')
      await fixture.visit('/messages')
      await page.getByText(say('{count} messages', { count: 9 })).waitFor()
      await take('messages')
      await fixture.visit(`/devices/${phone.id}`)
      await page.getByText(example.incoming.last).waitFor()
      await page.getByText(say('Online'), { exact: true }).first().waitFor()
      await take('device')
      if (example.isOfReadme) {
        await takeForReadme(fixture, example)
        await copyFile(join(FOLDER, 'conversations.png'), join(PUBLIC, 'screenshot-wide.png'))
        await copyFile(join(FOLDER, 'phone.png'), join(PUBLIC, 'screenshot-narrow.png'))
      }
    },
    {},
    { locale: example.locale },
  )

scenario('the pictures of docs/team.md', async (fixture) => {
  const { page, visit } = fixture
  const example = EXAMPLES[0]!
  const phone = await furnish(fixture, example)
  await furnishTeam(fixture)
  await fixture.signIn()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await visit('/team')
  await page.getByText('Ben Carter').first().waitFor()
  await takePicture(fixture, 'team')
  await phone.hear(ANNA!, 'Is there parking?')
  const thread = `/conversations/${encodeURIComponent(ANNA!)}`
  await visit(thread)
  await page.getByText('Can you bring the parcel').first().waitFor()
  await waitForUnread(fixture)
  await takePicture(fixture, 'team-conversation')
  await makePhone(fixture)
  await visit(thread)
  await page.getByText('Can you bring the parcel').first().waitFor()
  await takePicture(fixture, 'team-phone', 390)
})

scenario('the picture of docs/hooks.md', async (fixture) => {
  const { page, url } = fixture
  const user = await fixture.ann()
  await pairPhone(url, user, 'Desk phone')
  const hook = await user.collection('hooks').create({
    user: user.authStore.record!.id,
    name: 'Prometheus',
    preset: 'alertmanager',
    recipients: [ANNA],
  })
  const alert = {
    status: 'firing',
    labels: { alertname: 'DiskFull', instance: 'db-1' },
    startsAt: '2026-11-23',
  }
  const body = JSON.stringify({
    alerts: [{ ...alert, fingerprint: '5ef77f1f', annotations: { summary: '97 % full' } }],
  })
  expect((await fetch(`${url}/api/hooks/${hook.secret}`, { method: 'POST', body })).status).toBe(
    200,
  )
  await fixture.signIn()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await fixture.visit(`/hooks/${hook.id}`)
  await page.getByRole('button', { name: 'Use as example' }).waitFor()
  await page.locator('.bubble').waitFor()
  await page
    .getByRole('heading', { name: 'Example' })
    .evaluate((heading) => heading.scrollIntoView())
  await takePicture(fixture, 'hook')
})

scenario('the picture of docs/recipes/verify.md', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'Desk phone')
  const user = ann.authStore.record!.id
  const settings = await ann.collection('user_settings').getFirstListItem('')
  await ann
    .collection('user_settings')
    .update(settings.id, { code_approval_floor: 40, code_stopped: '+7' })
  const { id: service } = await ann.collection('verify_services').create({
    user,
    name: 'Web shop',
    templates: { en: 'Your code is {{code}}.', de: 'Ihr Code ist {{code}}.' },
  })
  const numbers = [
    '+4915112345678',
    '+4915112345679',
    '+436641234567',
    '+41791234567',
    '+4915112345670',
  ]
  for (const to of numbers) {
    await ann.send('/api/verify', { method: 'POST', body: { to, service } })
    const [task] = await phone.claim()
    await phone.report(task!, 'sent')
    const code = /\d{6}/.exec(task!.body)![0]
    if (to !== numbers[2])
      await ann.send('/api/verify/check', { method: 'POST', body: { to, service, code } })
  }
  await fixture.signIn()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await fixture.visit('/verify')
  await page.getByText('Allow +7 again').waitFor()
  await page.getByRole('table', { name: 'Last codes' }).waitFor()
  await takePicture(fixture, 'verify')
})

/** Ben answers and notes, Cleo reads, and somebody is invited. */
async function furnishTeam({ ann, url }: BrowserFixture): Promise<void> {
  const owner = await ann()
  const invite = (role: string) =>
    owner.send<{ link: string }>('/api/account/invitations', { method: 'POST', body: { role } })
  const join = async (name: string, role: string) => {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
    const secret = (await invite(role)).link.replace(/^.*\//, '')
    const password = 'a-long-password'
    const body = { secret, name, email, password, passwordConfirm: password }
    await owner.send('/api/account/invitations/accept', {
      method: 'POST',
      body,
      headers: { authorization: '' },
    })
    const person = new PocketBase(url)
    await person.collection('users').authWithPassword(email, password)
    const account = owner.authStore.record!.id
    const acting = await person.send('/api/account/act-for', { method: 'POST', body: { account } })
    person.authStore.save(acting.token, acting.record)
    return person
  }
  const ben = await join('Ben Carter', 'agent')
  await join('Cleo Martin', 'viewer')
  await invite('agent')
  const found = await ben
    .collection('conversations')
    .getFirstListItem(ben.filter('number = {:n}', { n: ANNA }))
  const { items } = await ben
    .collection('senders')
    .getList(1, 1, { filter: 'kind = "member" && name ~ "Ben"' })
  await ben.collection('conversations').update(found.id, { assignee: items[0]!.id })
  const body = { recipients: [ANNA], body: 'See you at five!' }
  await ben.send('/api/sms/send', { method: 'POST', body })
  await ben.collection('conversation_notes').create({
    user: owner.authStore.record!.id,
    conversation: found.id,
    text: 'Can you bring the parcel to the counter?',
  })
}

async function showSend({ page, say, visit }: BrowserFixture, { written }: Example): Promise<void> {
  await visit('/send')
  await page.getByRole('combobox', { name: say('To'), exact: true }).fill(`${ANNA}, ${BEN},`)
  await page.keyboard.press('Enter')
  await page.getByLabel(say('Text'), { exact: true }).last().fill(written)
  await page.locator('.bubble').first().waitFor()
}

async function showConversation(fixture: BrowserFixture, example: Example): Promise<void> {
  const { page, say, visit } = fixture
  await visit(`/conversations/${encodeURIComponent(ANNA!)}`)
  await page.getByLabel(say('Texts')).getByText(example.incoming.last).waitFor()
  await page.getByLabel(say('Answer from {name}', { name: example.phone })).fill(example.answer)
  await waitForUnread(fixture)
}

/** Waits until the navigation counts two unread conversations: the third is open. */
const waitForUnread = ({ page }: BrowserFixture): Promise<void> =>
  page.getByRole('navigation').locator('.count', { hasText: '2' }).first().waitFor()

async function showTemplate(
  { page, say, visit }: BrowserFixture,
  { template }: Example,
): Promise<void> {
  await visit('/templates')
  await page.getByRole('button', { name: say('Change {name}', { name: template.name }) }).click()
  await page.getByText(template.filled).waitFor()
}

/** README's picture: a conversation on a phone. */
async function takeForReadme(fixture: BrowserFixture, example: Example): Promise<void> {
  const { page, say, visit } = fixture
  await makePhone(fixture)
  await visit(`/conversations/${encodeURIComponent(ANNA!)}`)
  await page.getByLabel(say('Texts')).getByText(example.incoming.last).waitFor()
  await takePicture(fixture, 'phone', 390)
}

/** Makes the window as small as a phone's, with a finger in place of mouse and keyboard. */
async function makePhone({ page }: BrowserFixture): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await page.setViewportSize({ width: 390, height: 760 })
}

/** Takes a picture of the page into docs, `width` wide, and in the few colours that the states need. */
async function takePicture({ page }: BrowserFixture, name: string, width = WIDTH): Promise<void> {
  const file = join(FOLDER, `${name}.png`)
  mkdirSync(dirname(file), { recursive: true })
  await page.locator('.spinner').first().waitFor({ state: 'detached' })
  const { size } = await sharp(await page.screenshot())
    .resize({ width })
    .png(PALETTE)
    .toFile(file)
  expect(size).toBeLessThanOrEqual(MAX_BYTES)
}
