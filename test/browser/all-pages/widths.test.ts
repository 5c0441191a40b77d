import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { type Furnished, furnish } from '../support/furnished.ts'
import { findLayoutFaults } from '../support/layout.ts'
import { pagePaths } from '../support/page-paths.ts'
import { LONG_WORDS, RIGHT_TO_LEFT, speakPseudo } from '../support/pseudo-language.ts'

const MAX_MS = 1_200_000
const SENTENCE =
  'no page is wider than the window, cuts a text, or has a button too small for a finger, at nine widths'

/** All pages of a user, and the same pages in other states. */
const pathsOfUser = (ids: Furnished): string[] => [
  ...pagePaths('user', ids),
  ...[`/send?batch=${ids.batch}`, `/messages/${ids.scheduled}`, `/messages/${ids.unknown}`],
  ...[
    `/campaigns/${ids.failedCampaign}`,
    `/contacts?group=${ids.group}`,
    '/messages?words=nothing',
  ],
  ...['/messages?filter=segments%20%3E%200', '/messages?state=failed', '/messages?state=scheduled'],
]

async function play(fixture: BrowserFixture) {
  const ids = await furnish(fixture)
  await fixture.signIn()
  const faults = await findLayoutFaults(fixture, pathsOfUser(ids))
  await fixture.page.setViewportSize({ width: 1440, height: 900 })
  await fixture.page.getByRole('button', { name: fixture.say('Sign out'), exact: true }).click()
  await fixture.page.getByRole('heading', { name: fixture.say('Sign in') }).waitFor()
  await fixture.signIn('root')
  faults.push(...(await findLayoutFaults(fixture, pagePaths('superuser', ids))))
  expect(faults).toEqual([])
}

scenario(`${SENTENCE}, in English`, play, {}, { ms: MAX_MS })
scenario(`${SENTENCE}, in German`, play, {}, { locale: 'de-DE', ms: MAX_MS })
scenario(`${SENTENCE}, in French`, play, {}, { locale: 'fr-FR', ms: MAX_MS })
scenario(
  `${SENTENCE}, in a language from right to left`,
  async (fixture) => {
    const { page, screen, say } = fixture
    const ids = await furnish(fixture)
    await fixture.signIn()
    await speakPseudo(fixture, RIGHT_TO_LEFT)
    await fixture.visit('/contacts')
    expect(await page.locator('main h1').textContent()).toMatch(/^[א-ת]{7,}$/)
    expect(await page.getByText(say('Contacts'), { exact: true }).count()).toBe(0)
    expect(await findLayoutFaults(fixture, pathsOfUser(ids))).toEqual([])
    if (screen === 'phone') return
    await page.setViewportSize({ width: 1440, height: 900 })
    const { x } = (await page.getByRole('navigation').first().boundingBox())!
    expect(x).toBeGreaterThan(720)
  },
  {},
  { locale: 'de-DE', ms: MAX_MS },
)
scenario(
  `${SENTENCE}, in a language of long words`,
  async (fixture) => {
    const ids = await furnish(fixture)
    await fixture.signIn()
    await speakPseudo(fixture, LONG_WORDS)
    await fixture.visit('/contacts')
    expect(await fixture.page.locator('main h1').textContent()).toBe('Coontaacts')
    expect(await findLayoutFaults(fixture, pathsOfUser(ids))).toEqual([])
  },
  {},
  // fingers need the largest buttons, and so leave the least room
  { locale: 'de-DE', ms: MAX_MS, widths: [360] },
)
