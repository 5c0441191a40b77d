import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ZOE = '+4915112345678'
const STRANGER = '+4915112345679'
const ZONE = 'Asia/Tokyo'

scenario(
  'scheduled texts and campaigns are listed by the days of the account’s time zone, and link to their pages',
  async (fixture) => {
    const { page, url, say } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    await pairPhone(url, ann, 'desk phone')
    const [settings] = await ann.collection('user_settings').getFullList()
    await ann.collection('user_settings').update(settings!.id, { time_zone: ZONE })
    await fixture.signIn()
    await fixture.visit('/scheduled')
    await page.getByText(say('Nothing is scheduled')).waitFor()

    await ann.collection('contacts').create({ user, name: 'Zoë', phone: ZOE })
    const day = (later: number, utc: string) => {
      const at = new Date(`${new Date().toLocaleDateString('en-CA', { timeZone: ZONE })}T${utc}Z`)
      at.setUTCDate(at.getUTCDate() + later)
      return at.toISOString()
    }
    const send = (path: string, body: object) => ann.send(path, { method: 'POST', body })
    // 15:30 in London is half past midnight of the next day in Tokyo
    await send('/api/sms/send', {
      recipients: [ZOE],
      body: 'Past midnight',
      scheduled_at: day(1, '15:30:00'),
    })
    await send('/api/sms/send', {
      recipients: [ZOE],
      body: 'Your table',
      scheduled_at: day(1, '14:30:00'),
    })
    await send('/api/sms/send', {
      recipients: [STRANGER],
      body: 'See you',
      scheduled_at: day(1, '01:00:00'),
    })
    await send('/api/campaigns', {
      name: 'Sale',
      body: 'All is cheap',
      recipients: [ZOE, STRANGER],
      scheduled_at: day(1, '09:00:00'),
    })
    await page.reload()
    await page.getByText('Past midnight').waitFor()
    await page.getByText(say('Times are in {zone}.', { zone: ZONE })).waitFor()
    const sections = page.locator('main section')
    expect(await sections.count()).toBe(2)
    const [tomorrow, next] = [sections.nth(0), sections.nth(1)]
    expect(await tomorrow.getByRole('heading').textContent()).toMatch(
      new RegExp(`^${say('Tomorrow')}, \\p{L}+`, 'u'),
    )
    expect(await next.getByRole('heading').textContent()).not.toContain(say('Tomorrow'))
    expect(await tomorrow.getByRole('link').allTextContents()).toEqual([
      expect.stringMatching(/^10:00.* · \+49/),
      expect.stringMatching(/^(18:00|6:00.PM) · Sale · 2 /),
      expect.stringMatching(/^(23:30|11:30.PM) · Zoë$/),
    ])
    await fixture.look('scheduled')
    const isWithin = () =>
      page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
    expect(await isWithin()).toBe(true)

    await tomorrow.getByRole('link', { name: /Zoë/ }).click()
    await page.locator('.conversations-thread').getByText('Your table').waitFor()
    await page.goBack()
    await tomorrow.getByRole('link', { name: /Sale/ }).click()
    await page.getByRole('heading', { name: 'Sale' }).waitFor()

    // a send is one row, whose time changes and which is canceled as a whole
    const { batch_id } = await send('/api/sms/send', {
      recipients: [ZOE, STRANGER],
      body: 'For both',
      scheduled_at: day(1, '02:00:00'),
    })
    await page.goBack()
    const row = tomorrow.getByRole('row').filter({ hasText: 'For both' })
    await row.getByText(say('{count} people', { count: 2 })).waitFor()
    // the row opens to its texts in its place
    const people = row.getByRole('button', { name: say('{count} people', { count: 2 }) })
    await people.click()
    const texts = page.getByRole('list', { name: say('Texts'), exact: true })
    await expect
      .poll(() => texts.getByRole('link').allTextContents())
      .toEqual(['Zoë', expect.stringMatching(/2345679$/)])
    expect(await people.getAttribute('aria-expanded')).toBe('true')
    await fixture.look('scheduled-open')
    expect(await isWithin()).toBe(true)
    await people.click()
    await texts.waitFor({ state: 'detached' })
    await row.getByRole('button', { name: say('Change the time') }).click()
    const [later] = [day(3, '02:00:00')]
    await page.getByRole('dialog').locator('[type="datetime-local"]').fill(later.slice(0, 16))
    await page.getByRole('button', { name: say('Save'), exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await fixture.visit(`/scheduled?view=month&day=${later.slice(0, 10)}`)
    await page.locator('.scheduled-month a').first().waitFor()
    await fixture.look('scheduled-month')
    expect(await isWithin()).toBe(true)
    const cell = page.locator('.scheduled-month a').first()
    const isPhone = page.viewportSize()!.width < 720
    expect(await cell.locator('.entries').isVisible()).toBe(isPhone)
    expect(await cell.getByText(say('{count} texts', { count: 2 })).count()).toBe(1)
    // a repeating campaign is also on the days of its later runs
    await send('/api/campaigns', {
      name: 'Specials',
      body: 'New today',
      recipients: [ZOE],
      repeat: { cron: '0 9 * * 1', time_zone: ZONE },
    })
    await fixture.visit(`/scheduled?view=month&day=${day(40, '00:00:00').slice(0, 8)}15`)
    const runs = page.locator('.scheduled-month li:not(.outside) a.later')
    await expect.poll(() => runs.count()).toBeGreaterThan(3)
    await fixture.look('scheduled-repetitions')
    await runs.first().click()
    await page
      .getByRole('link', { name: new RegExp(`Specials .+ · ${say('repetition')}$`) })
      .waitFor()
    await page.getByText(say('All'), { exact: true }).click()
    const moved = page.getByRole('row').filter({ hasText: 'For both' })
    await moved.getByRole('button', { name: say('Cancel the {count} texts', { count: 2 }) }).click()
    await page.getByRole('button', { name: say('Cancel them') }).click()
    await moved.waitFor({ state: 'detached' })
    const { counts } = await ann.send(`/api/sms/batches/${batch_id}`, {})
    expect(counts).toMatchObject({ pending: 0, failed: 2 })
  },
  {},
  { widths: [1440, 390] },
)
