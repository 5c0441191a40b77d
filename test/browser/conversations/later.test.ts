import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'

scenario(
  'times to send an answer later are in order, with dates, and an empty time is refused in words',
  async (fixture) => {
    const { page, url } = fixture
    const phone = await pairPhone(url, await fixture.ann(), 'Desk phone')
    await phone.hear(ZOE, 'Are you open?')
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    // a Friday: the next one is in a week
    await page.clock.setFixedTime(new Date(2026, 10, 27, 15, 0))
    await page.getByLabel('Answer from').fill('Yes')
    await page.getByRole('button', { name: 'Send later' }).click()
    const panel = page.locator('.when-menu')
    expect(await panel.getByRole('button').allTextContents()).toEqual([
      expect.stringMatching(/^In an hour Fri, Nov 27/),
      expect.stringMatching(/^Tomorrow Sat, Nov 28/),
      expect.stringMatching(/^Next Monday Mon, Nov 30/),
      expect.stringMatching(/^In a week Fri, Dec 4/),
      'Send at this time',
    ])
    const [label, field, send] = await Promise.all(
      [
        panel.getByText('Another time'),
        panel.getByLabel('Another time'),
        panel.getByRole('button', { name: 'Send at this time' }),
      ].map(async (each) => (await each.boundingBox())!),
    )
    expect(label!.width).toBeGreaterThan(50)
    expect(label!.y).toBeLessThan(field!.y)
    expect(field!.y).toBeLessThan(send!.y)
    await panel.getByRole('button', { name: 'Send at this time' }).click()
    await panel.getByText('Choose a day and a time.').waitFor()
    await fixture.look('send-later')
  },
  {},
  { widths: [1440, 390] },
)
