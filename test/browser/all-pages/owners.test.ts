import { ANN, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

scenario('superusers see the owner of each device and message', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk phone')
  await phone.hear('+4915112345678', 'Are you open?')
  const message = await ann.collection('sms_messages').getFirstListItem('')
  await fixture.signIn('root')
  const owner = page.getByRole('main').getByRole('link', { name: ANN.email })
  for (const path of ['/devices', `/devices/${phone.id}`, `/messages/${message.id}`]) {
    await fixture.visit(path)
    await owner.waitFor()
  }
  await fixture.visit('/messages')
  // beside the owner there is room for the number
  const number = page.getByRole('cell', { name: '+49 1511 2345678' }).locator('.phone-number')
  const { x, width } = (await number.boundingBox())!
  const cell = (await page.getByRole('cell', { name: '+49 1511 2345678' }).boundingBox())!
  expect(x + width).toBeLessThanOrEqual(cell.x + cell.width)
  await fixture.visit('/devices')
  await owner.waitFor()
  await owner.click()
  await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
  await page.getByRole('button', { name: `Change ${ANN.email}` }).waitFor()
})

scenario('a refused field is explained once, in plain words', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('contacts').create({ user, name: 'Zoë', phone: '+4915112345678' })
  await fixture.signIn()
  await fixture.visit('/contacts')
  await page.getByRole('button', { name: /^Add a contact/ }).click()
  await page.getByLabel('Number', { exact: true }).fill('0151 12345678')
  await fixture.refused(/^POST \/api\/collections\/contacts\/records: 400/, async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Is already in use.', { exact: true }).waitFor()
  })
  await page.getByText('already in use').nth(1).waitFor({ state: 'detached' })
  await fixture.look('field-told')
})
