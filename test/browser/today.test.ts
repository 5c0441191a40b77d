import { type BrowserFixture, scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'
import { makeTeam, signInAsBen } from './support/team.ts'

const ZOE = '+4915112345678'
const YARA = '+4915112345679'
/** Who gets the text that leaves: one to Zoe would be an answer to her. */
const XENIA = '+4915112345670'
const SOON_MS = 60_000

/** One of each kind of work: who waits, a failed text, what reads like an opt-out, what leaves. */
async function makeWork(
  { ann, url }: BrowserFixture,
  phone: Awaited<ReturnType<typeof pairPhone>>,
) {
  const user = await ann()
  const send = (body: object) => user.send('/api/sms/send', { method: 'POST', body })
  await send({ recipients: [ZOE, YARA], body: 'We have moved' })
  for (const task of await phone.claim()) {
    await phone.report(task, 'sent')
    if (task.to === ZOE) await phone.report(task, 'failed', { error_message: 'Number not in use' })
  }
  await phone.hear(YARA, 'Please do not text me any more')
  await phone.hear(ZOE, 'Are you open?')
  const at = new Date(Date.now() + SOON_MS).toISOString()
  await send({ recipients: [XENIA], body: 'See you soon', scheduled_at: at })
  return url
}

scenario(
  'Today lists the work of the day, and each row leads to what it counts',
  async (fixture) => {
    const { page } = fixture
    const phone = await pairPhone(fixture.url, await fixture.ann(), 'desk phone')
    await makeWork(fixture, phone)
    await fixture.signIn()
    const readCard = async (title: string) => {
      await fixture.visit('/today')
      return page.locator('.card').filter({ has: page.getByRole('heading', { name: title }) })
    }
    const waiting = await readCard('Waiting for an answer')
    await waiting.getByText('Are you open?').waitFor()
    const optOuts = page.getByText('do not text me')
    await optOuts.waitFor()
    expect(await optOuts.count()).toBe(1)
    await fixture.look('today')
    const optOut = await readCard('Reads like an opt-out')
    await optOut.getByRole('link').click()
    await page.getByText('Reads like an opt-out: opt out?').waitFor()
    const leaving = await readCard('Due today')
    await leaving.getByText('See you soon').click()
    await page.getByRole('log').getByText('See you soon').waitFor()
    const failed = await readCard('Failed today')
    await failed.getByText('1 text').waitFor()
    // no advice is known for this reason
    expect(await failed.getByRole('link').textContent()).toBe('Number not in use1 text')
    await failed.getByText('Number not in use').click()
    await page.getByText('1 message').first().waitFor()
    await page.getByRole('table').getByText('We have moved').waitFor()
  },
)

scenario('an account in which nothing waits says so', async (fixture) => {
  await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/today')
  await fixture.page.getByText('Nothing waits for you').waitFor()
})

scenario('an agent sees the rows of Today, without devices and figures', async (fixture) => {
  const { page, url } = fixture
  const phone = await makeTeam(fixture, true)
  await makeWork(fixture, phone)
  await signInAsBen(fixture, url)
  await page.getByText('Are you open?').waitFor()
  await fixture.visit('/today')
  await page.getByRole('heading', { name: 'Waiting for an answer' }).waitFor()
  expect(await page.getByText('Devices online').count()).toBe(0)
})
