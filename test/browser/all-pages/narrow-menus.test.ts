import type { Locator } from 'playwright-core'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'
import { makeTeam } from '../support/team.ts'

const ZOE = '+4915112345678'
const NAMELESS = '+4915112345679'
const TABLET = { width: 1024, height: 800 }
const PHONE = { locale: 'de-DE', widths: [390] } as const

/** By how many pixels a panel must be scrolled to be seen whole. */
const hiddenIn = (panel: Locator) =>
  panel.evaluate((element) => [
    element.scrollWidth - element.clientWidth,
    element.scrollHeight - element.clientHeight,
  ])

const boxOf = async (element: Locator) => (await element.boundingBox())!

scenario(
  'the sheet with all pages shows each icon beside its words',
  async ({ page, say, signIn }) => {
    await signIn()
    await page.getByRole('button', { name: say('More'), exact: true }).click()
    const link = page.getByRole('dialog').getByRole('link', { name: say('Templates') })
    const [icon, words] = [await boxOf(link.locator('svg')), await boxOf(link.locator('span'))]
    expect(icon.x + icon.width).toBeLessThan(words.x)
    expect(Math.abs(icon.y + icon.height / 2 - words.y - words.height / 2)).toBeLessThan(4)
  },
  {},
  PHONE,
)

scenario(
  'menus of an inbox show all their entries, and a reminder moves no button of the conversation',
  async (fixture) => {
    const { page, say } = fixture
    const phone = await makeTeam(fixture, true)
    await phone.hear(ZOE, 'Haben Sie offen?')
    await fixture.signIn()
    await fixture.visit('/conversations')
    const panel = page.locator('.menu-panel')
    await page.getByRole('button', { name: new RegExp(`^${say('All#conversations')} `) }).click()
    await panel.getByText('Ben').waitFor()
    expect(await hiddenIn(panel)).toEqual([0, 0])
    await chooseByRow(fixture)

    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    const archive = page.getByRole('button', { name: say('Archive') })
    const place = await boxOf(archive)
    await page.getByRole('button', { name: say('Send later') }).click()
    expect(await hiddenIn(panel)).toEqual([0, 0])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: say('Follow up') }).click()
    expect(await hiddenIn(panel)).toEqual([0, 0])
    await page.keyboard.press('Escape')
    const size = page.viewportSize()!
    await page.setViewportSize(TABLET)
    await page.getByRole('button', { name: say('Follow up') }).click()
    const { x, width } = await boxOf(panel)
    expect(x + width).toBeLessThanOrEqual(TABLET.width)
    await page.keyboard.press('Escape')
    await page.setViewportSize(size)
    await page.getByRole('button', { name: say('Follow up') }).click()
    await panel.getByRole('button', { name: new RegExp(`^${say('Tomorrow')}`) }).click()
    await page.getByRole('button', { name: say('Remove the follow-up') }).waitFor()
    expect(await boxOf(archive)).toEqual(place)
  },
  {},
  PHONE,
)

async function chooseByRow({ page, say }: BrowserFixture): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: say('Choose several') }).click()
  const row = page.getByRole('link', { name: /Haben Sie offen/ })
  await row.click()
  await page.getByText(say('1 chosen')).waitFor()
  expect(await page.evaluate('location.hash')).toBe('#/conversations')
  await row.click()
  await page.getByText(say('{count} chosen', { count: 0 })).waitFor()
}

scenario(
  'a warning with a long button leaves the form as wide as the phone, and the next step opens at its top',
  async ({ page, say, signIn, visit, ann: makeAnn, url }) => {
    const ann = await makeAnn()
    await pairPhone(url, ann, 'Ladentelefon')
    const user = ann.authStore.record!.id
    await ann.collection('contacts').create({ user, phone: NAMELESS })
    await signIn()
    await visit(`/send?${new URLSearchParams({ to: NAMELESS, text: 'Hallo {{name}}' })}`)
    await page.getByRole('button', { name: /zusammen/ }).waitFor()
    expect(await hiddenIn(page.locator('html'))).toEqual([0, expect.anything()])

    await visit('/devices/new/carrier')
    await page.getByRole('button', { name: say('Continue') }).click()
    await page.getByLabel(say('Senders')).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
  },
  {},
  PHONE,
)

scenario(
  'the completions of a filter of three lines are below its last line',
  async ({ page, say, signIn, visit }) => {
    await signIn('root')
    await visit('/collections/sms_messages')
    const field = page.getByRole('textbox', { name: say('Filter') })
    await field.fill('status = "failed" && bo')
    const list = await boxOf(page.getByRole('option', { name: /^body/ }))
    const { y, height } = await boxOf(field)
    expect(list.y).toBeGreaterThanOrEqual(y + height)
  },
  {},
  PHONE,
)
