import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'

scenario(
  'without a connection visited lists are still shown, and the warning hides no control',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    await ann.collection('contacts').create({ user, name: 'Zoë', phone: ZOE })
    const phone = await pairPhone(url, ann, 'Desk phone')
    await phone.hear(ZOE, 'Are you open?')
    await fixture.signIn()
    const seen = [
      ['/messages', 'Are you open?'],
      ['/contacts', 'Zoë'],
      ['/conversations', 'Are you open?'],
    ] as const
    for (const [path, text] of seen) {
      await fixture.visit(path)
      await page.getByText(text).first().waitFor()
    }
    await fixture.visit('/templates')
    await page.context().setOffline(true)
    const warning = page.getByText('No connection.')
    await warning.waitFor()
    const bottom = await warning.boundingBox().then((box) => box!.y + box!.height)
    for (const [path, text] of seen) {
      await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
      await page.getByText(text).first().waitFor()
      const tops = await page
        .locator('main :is(h1, input, button, a)')
        .evaluateAll((all) =>
          all.map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 1),
        )
      expect(Math.min(...tops.map(({ top }) => top))).toBeGreaterThanOrEqual(bottom)
    }
    await page.context().setOffline(false)
    await warning.waitFor({ state: 'hidden' })
  },
)
