import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'

scenario('E archives while Caps Lock is on, too', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk phone')
  await phone.hear(ZOE, 'Hello')
  await fixture.signIn()
  await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
  await page.getByLabel('Texts').getByText('Hello').waitFor()
  await page.getByRole('button', { name: 'Archive' }).waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('E') // a capital letter without Shift, as Caps Lock makes it
  await expect
    .poll(() => ann.collection('conversations').getFirstListItem('').then((each) => each.archived))
    .toBe(true)
})
