import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const HOUR_MS = 3_600_000
const NUMBERS = [1, 2, 3].map((i) => `+491511234567${i}`)

scenario('messages and the inbox show the time by which they are sorted', async (fixture) => {
  const { page, url } = fixture
  const phone = await pairPhone(url, await fixture.ann(), 'Desk phone')
  for (const [i, hours] of [5, 0, 2].entries())
    await phone.hearLate(NUMBERS[i]!, ['Hello'], new Date(Date.now() - hours * HOUR_MS - 1_000))
  await fixture.signIn()
  for (const path of ['/messages', '/conversations']) {
    await fixture.visit(path)
    await page.getByText('arrived 5 hr late').first().waitFor()
    await page.getByText('arrived 2 hr late').first().waitFor()
    const times = await page
      .locator('main time')
      .evaluateAll((all) => all.map((each) => each.dateTime))
    expect(times).toHaveLength(NUMBERS.length)
    expect(times.toSorted().toReversed()).toEqual(times)
  }
})
