import { scenario } from './support/browser-fixture.ts'

const OTHERS = Array.from({ length: 33 }, (_, i) => `anna ${i + 10}`)

scenario(
  'a list has the order of the language, also where it grows',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    for (const name of ['Ünal', 'Zoe', ...OTHERS])
      await ann.collection('sms_templates').create({ user, name, body: 'Hello' })
    for (const name of ['Ünal', 'Zoe', 'anna'])
      await ann.collection('contact_groups').create({ user, name })
    await fixture.signIn()
    const names = () => page.locator('tbody td.first').allTextContents()

    await fixture.visit('/templates')
    await expect.poll(async () => (await names()).slice(0, 2)).toEqual(['anna 10', 'anna 11'])
    await page.locator('tbody tr').last().scrollIntoViewIfNeeded()
    await expect.poll(names).toEqual([...OTHERS, 'Ünal', 'Zoe'])

    await fixture.visit('/groups')
    await expect.poll(names).toEqual(['anna', 'Ünal', 'Zoe'])
  },
  {},
  { widths: [1280] },
)
