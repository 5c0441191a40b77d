import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { furnish, STRANGER } from '../support/furnished.ts'
import { findLayoutFaults } from '../support/layout.ts'

const USER = [
  ...['/conversations', `/conversations/${encodeURIComponent(STRANGER)}`, '/send', '/send/list', '/messages'],
  ...['/campaigns', '/answers', '/contacts', '/groups', '/templates', '/devices', '/keys', '/verify'],
  ...['/hooks', '/webhooks', '/team', '/usage', '/account', '/help'],
]
const SUPERUSER = [
  ...['/health', '/users', '/messages', '/devices', '/keys', '/webhooks', '/usage', '/account', '/settings'],
  ...['/backups', '/audit', '/logs'],
]
const SENTENCE =
  'no page is wider than the window, cuts a text, or has a button too small for a finger, at nine widths'

async function play(fixture: BrowserFixture) {
  const ids = await furnish(fixture)
  await fixture.signIn()
  const own = [
    `/send?batch=${ids.batch}`,
    ...[`/messages/${ids.failed}`, `/messages/${ids.scheduled}`, `/campaigns/${ids.failedCampaign}`],
    ...[`/devices/${ids.device}`, `/hooks/${ids.hook}`, `/webhooks/${ids.webhook}`],
  ]
  const faults = await findLayoutFaults(fixture, [...USER, ...own])
  await fixture.page.setViewportSize({ width: 1440, height: 900 })
  await fixture.page.getByRole('button', { name: fixture.say('Sign out'), exact: true }).click()
  await fixture.page.getByRole('heading', { name: fixture.say('Sign in') }).waitFor()
  await fixture.signIn('root')
  faults.push(...(await findLayoutFaults(fixture, SUPERUSER)))
  expect(faults).toEqual([])
}

scenario(
  'pages are as whole from right to left, and their navigation is at the right',
  async (fixture) => {
    await furnish(fixture)
    await fixture.signIn()
    expect(await findLayoutFaults(fixture, USER, 'rtl')).toEqual([])
    if (fixture.screen === 'phone') return
    await fixture.page.setViewportSize({ width: 1440, height: 900 })
    const { x } = (await fixture.page.getByRole('navigation').first().boundingBox())!
    expect(x).toBeGreaterThan(720)
  },
  {},
  { ms: 600_000 },
)
scenario(`${SENTENCE}`, play, {}, { ms: 600_000 })
scenario(`${SENTENCE}, in German`, play, {}, { locale: 'de-DE', ms: 600_000 })
