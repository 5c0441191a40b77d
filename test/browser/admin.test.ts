import PocketBase from 'pocketbase'
import { scenario } from './support/browser-fixture.ts'
import { holdRequests } from './support/hold-requests.ts'
import { pairPhone } from './support/phone.ts'

const BEA = { email: 'bea@example.com', password: 'bea-password1' } as const
const TO = '+4915112345678'

scenario(
  'a superuser creates a user, sets a quota, and disables and enables the user',
  async (fixture) => {
    const { page, url } = fixture
    await fixture.signIn('root')
    await fixture.visit('/users')
    await page.getByText('No users yet').waitFor()
    await page.getByRole('button', { name: 'New user' }).click()
    await page.getByLabel('Email', { exact: true }).fill(BEA.email)
    await page.getByLabel('Name').fill('Bea')
    await page.getByLabel('Password').fill('short')
    await fixture.refused(/^POST \/api\/collections\/users\/records: 400/, async () => {
      await page.getByRole('button', { name: 'Create the user' }).click()
      await page.getByText('Use at least 8 characters').waitFor()
    })
    await page.getByLabel('Password').fill(BEA.password)
    await page.getByRole('button', { name: 'Create the user' }).click()
    await page.getByText('bea@example.com can sign in now').waitFor()

    await page.getByRole('button', { name: 'Change bea@example.com' }).click()
    await page.getByLabel('Messages a month').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: /^(Quota)?\s*2$/ }).waitFor()

    const bea = new PocketBase(url)
    await bea.collection('users').authWithPassword(BEA.email, BEA.password)
    await bea.collection('api_keys').create({ user: bea.authStore.record!.id, name: 'shop' })
    const hers = await fixture.another()
    const signIn = async () => {
      await hers.page.getByLabel('Email').fill(BEA.email)
      await hers.page.getByLabel('Password').fill(BEA.password)
      await hers.page.getByRole('button', { name: 'Sign in' }).click()
    }
    await hers.page.goto(`${url}/#/messages`)
    await signIn()
    await hers.page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change bea@example.com' }).click()
    await page.getByRole('button', { name: 'Disable…' }).click()
    await hers.refused(/: 40[14]$/, async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click()
      await page.getByText('bea@example.com is disabled').waitFor()
      // nobody touches her page
      await hers.page.getByText('Your session has ended. It was signed out elsewhere').waitFor()
    })
    await hers.look('locked-out')
    await hers.refused(/auth-with-password: 403$/, async () => {
      await signIn()
      await hers.page.getByText('You cannot sign in: this account is disabled').waitFor()
    })
    await hers.look('sign-in-disabled')
    await page.getByRole('cell', { name: 'Disabled' }).waitFor()
    const states = page.getByRole('group', { name: 'State' })
    await states.getByText('Active').click()
    await page.getByText('No user matches this search.').waitFor()
    await states.getByText('Disabled').click()
    await page.getByRole('cell', { name: 'Disabled' }).waitFor()
    await fixture.look('users-disabled')

    await page.getByRole('button', { name: 'Change bea@example.com' }).click()
    await page.getByRole('button', { name: 'Enable…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('API keys: 1').waitFor()
    await dialog.getByText('shop', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Keep all and enable' }).click()
    await page.getByText('bea@example.com can sign in again').waitFor()
    await signIn()
    await hers.page.getByRole('heading', { name: 'Messages', exact: true }).waitFor()
  },
)

scenario('the usage and health pages show sent, waiting and failed messages', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/usage')
  await page.getByText('No messages in this time').waitFor()
  await fixture.look('usage-empty')

  const phone = await pairPhone(url, ann, 'desk phone')
  for (const body of ['one', 'two', 'three'])
    await ann.send('/api/sms/send', { method: 'POST', body: { recipients: [TO], body } })
  const [first, second] = await phone.claim(2)
  await phone.report(first!, 'sent')
  await phone.report(second!, 'failed')

  await page.reload()
  await page.getByText('3 messages this month. There is no limit.').waitFor()
  await page.getByRole('img', { name: /^Messages a day/ }).waitFor()
  await page.getByText('As a table').click()
  const today = new Date().toISOString().slice(0, 10)
  await page.getByRole('row', { name: new RegExp(`${today}.*1.*1.*1.*0`, 's') }).waitFor()

  await fixture.signOut()
  await fixture.signIn('root')
  const release = await holdRequests(page, '**/api/collections/devices/records*')
  await fixture.visit('/health')
  await page.reload()
  await page.getByRole('heading', { name: 'Devices out of reach or failing' }).waitFor()
  expect(await page.getByText('There are no devices yet').count()).toBe(0)
  release()
  await page.getByText('1 of 1').waitFor()
  await page.getByText('none has failed five texts in a row').waitFor()
  await page.getByRole('cell', { name: 'ann@example.com' }).waitFor()
  await fixture.visit('/usage')
  await page.getByText('Of all users together.').waitFor()
})
