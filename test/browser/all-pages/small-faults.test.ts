import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { holdRequests } from '../support/hold-requests.ts'
import { openPanelMenu } from '../support/inbox-layout.ts'
import { pairPhone } from '../support/phone.ts'
import { makeTeam } from '../support/team.ts'

const ZOE = '+4915112345678'
const YARA = '+4915112345679'

/** The background's colour of an element, as a function of the page. */
const READ_COLOUR = new Function('each', 'return getComputedStyle(each).backgroundColor') as (
  each: unknown,
) => string
const readColour = (element: Locator) => element.evaluate(READ_COLOUR)
const boxOf = async (element: Locator) => (await element.boundingBox())!

/** Notes by how much the page's boxes moved, without a person's doing; `readShift` says it. */
const watchShifts = (page: Page) =>
  page.addInitScript(`
    window.shift = 0
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value
    }).observe({ type: 'layout-shift', buffered: true })`)
const readShift = (page: Page) => page.evaluate('window.shift') as Promise<number>

scenario(
  'nothing moves, is cut or looks like something else on the pages of a team at 1440 pixels',
  async (fixture) => {
    const { page, say } = fixture
    const phone = await makeTeam(fixture, true)
    await phone.hear(ZOE, 'Haben Sie offen?')
    await phone.hear(YARA, 'Und morgen?')
    await fixture.signIn()
    await watchShifts(page)
    await tryTeam(fixture)

    await fixture.visit('/conversations')
    const title = page.getByRole('heading', { name: say('Conversations'), exact: true })
    expect(await title.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    const rows = page.locator('.conversations-row')
    const [chosen, other] = [rows.and(page.locator('[aria-current]')), rows.first()]
    await other.hover()
    expect(await readColour(other)).not.toBe(await readColour(chosen))

    await fixture.visit('/devices/new/carrier')
    const choices = await page.locator('.carrier-choice > span').all()
    const gaps = await Promise.all(
      choices.map(async (choice) => {
        const [name, note] = [
          await boxOf(choice.locator('strong')),
          await boxOf(choice.locator('.note')),
        ]
        return note.y - name.y - name.height
      }),
    )
    expect(Math.max(...gaps)).toBeLessThan(8)
  },
  {},
  { locale: 'de-DE', widths: [1440] },
)

async function tryTeam(fixture: BrowserFixture): Promise<void> {
  const { page, say } = fixture
  const release = await holdRequests(page, '**/api/collections/members/records*')
  await page.goto(`${fixture.url}/#/team`)
  await page.reload()
  await page.getByRole('heading', { name: say('Team'), exact: true }).waitFor()
  await page.locator('main .spinner').waitFor()
  release()
  await page.getByRole('heading', { name: say('What was changed') }).waitFor()
  await page.locator('main .spinner').waitFor({ state: 'detached' })
  expect(await readShift(page)).toBeLessThan(0.1)
}

scenario(
  'a search says that it searches until the server has answered',
  async (fixture) => {
    const { page, say } = fixture
    await pairPhone(fixture.url, await fixture.ann(), 'Desk phone')
    await fixture.signIn()
    await fixture.visit('/conversations')
    const release = await holdRequests(page, '**/api/collections/contacts/records*')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('zzzz')
    await page.getByText(say('Searching')).waitFor()
    expect(await page.getByText(say('Nothing found')).count()).toBe(0)
    release()
    await page.getByText(say('Nothing found')).waitFor()
  },
  {},
  { widths: [1280] },
)

scenario(
  'the rail shows all entries above the button of the other pages on a screen of 768 pixels',
  async (fixture) => {
    const { page, say } = fixture
    await fixture.signIn()
    await page.setViewportSize({ width: 1024, height: 768 })
    await fixture.visit('/today')
    const rail = page.locator('.side-bar')
    const last = await boxOf(rail.getByRole('link', { name: say('Set up') }))
    const more = await boxOf(rail.getByRole('button', { name: say('More') }))
    expect(last.y + last.height).toBeLessThan(more.y)
  },
  {},
  { locale: 'de-DE', widths: [1024] },
)

scenario(
  'the account on a phone has a list of its cards to jump to',
  async (fixture) => {
    const { page, say } = fixture
    await fixture.signIn()
    await fixture.visit('/account')
    await page.getByRole('button', { name: say('Jump to') }).click()
    await fixture.look('account-jump')
    await page
      .locator('.menu-panel')
      .getByRole('button', { name: say('Quiet hours') })
      .click()
    const heading = page.getByRole('heading', { name: say('Quiet hours') })
    await expect.poll(async () => (await boxOf(heading)).y).toBeLessThan(400)
    expect(await heading.and(page.locator(':focus')).count()).toBe(1)
  },
  {},
  { locale: 'de-DE', widths: [390] },
)

scenario(
  'the panel of a conversation names the first text that has left, and saves and prints them all',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'Desk phone')
    for (const [body, status] of [
      ['Hello, first', 'failed'],
      ['Hello, second', 'sent'],
    ] as const) {
      await ann.send('/api/sms/send', { method: 'POST', body: { recipients: [ZOE], body } })
      const [task] = await phone.claim(1)
      await phone.report(task!, status)
    }
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    await page.getByText('Hello, second').first().waitFor()

    const saving = page.waitForEvent('download')
    await openPanelMenu(fixture)
    await page.getByRole('button', { name: 'Save as a text file' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toMatch(/^Conversation with .*\.txt$/)
    const text = readFileSync(await saved.path(), 'utf8')
    expect(text).toMatch(/ Ann \(.+\):\nHello, first\n\n.* Ann:\nHello, second\n$/s)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0)
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
    await page.locator('.conversations-texts').getByText('Hello, second').waitFor()
    await page.emulateMedia({ media: 'screen' })
  },
  {},
  { widths: [1280] },
)

scenario(
  'a superuser sees names in the audit log, and a short placeholder in the template of a webhook',
  async (fixture) => {
    const { page, say } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const { id } = await ann.collection('hooks').create({ user, name: 'Alerts', preset: 'sentry' })
    await fixture.signIn()
    await fixture.visit(`/hooks/${id}`)
    const template = page.getByLabel(say('Template'))
    expect((await template.getAttribute('placeholder'))!.length).toBeLessThan(60)
    await page.getByRole('button', { name: /^Begin with the template for/ }).click()
    expect(await template.inputValue()).toContain('Sentry')
    await page.getByRole('button', { name: say('Save'), exact: true }).click()
    await page.getByText(say('Incoming webhook saved')).waitFor()
    await fixture.signOut()
    await fixture.signIn('root')
    await fixture.visit('/audit')
    await page.getByRole('link', { name: 'Ann', exact: true }).first().waitFor()
  },
  {},
  { widths: [1280] },
)

scenario(
  'an owner with a team begins with the figures of today',
  async (fixture) => {
    const { page, say } = fixture
    const phone = await makeTeam(fixture, true)
    await phone.hear(ZOE, 'Haben Sie offen?')
    await fixture.signIn()
    await page.getByRole('heading', { name: say('Today'), exact: true }).waitFor()
    const readTile = (title: string) =>
      page
        .locator('.tile')
        .filter({ hasText: say(title) })
        .locator('strong')
        .textContent()
    await expect.poll(() => readTile('Received today')).toBe('1')
    await expect.poll(() => readTile('Lines online')).toMatch(/^1 /)
    await page.getByText(say('As a table')).click()
    await page.getByRole('heading', { name: say('Answers of 7 days') }).waitFor()
    await fixture.look('today')
    expect(
      await page.evaluate(
        'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
      ),
    ).toBe(true)
  },
  {},
  { locale: 'de-DE', widths: [1440, 390] },
)
