import { execFileSync } from 'node:child_process'
import type PocketBase from 'pocketbase'
import { ANN, type BrowserFixture, ROOT, scenario } from './support/browser-fixture.ts'

const PHONES = ['+4915112345671', '+4915112345672'] as const

async function makeContacts(ann: PocketBase): Promise<void> {
  const user = ann.authStore.record!.id
  await ann.collection('contacts').create({ user, name: 'Zoe', phone: PHONES[0] })
  await ann.collection('contacts').create({ user, name: 'Yves', phone: PHONES[1] })
}

const field = ({ page }: BrowserFixture, name: string) =>
  page.getByRole('textbox', { name, exact: true })

scenario(
  'a superuser searches the records of any collection in PocketBase’s language',
  async (fixture) => {
    const { page } = fixture
    await makeContacts(await fixture.ann())
    await fixture.signIn('root')
    await fixture.visit('/collections')
    await page.getByRole('link', { name: '_superusers' }).waitFor()
    await fixture.look('collections')
    await page.getByLabel('Name', { exact: true }).fill('contacts')
    await page.getByRole('link', { name: 'contacts', exact: true }).click()
    await page.getByText('2 records').waitFor()
    await fixture.look('collection')

    const filter = field(fixture, 'Filter')
    await filter.pressSequentially('na')
    await page.getByRole('option', { name: /^name/ }).waitFor()
    await filter.press('Tab')
    await filter.pressSequentially(' = "Zoe" && user.ema')
    await filter.press('ArrowDown')
    await filter.press('Enter')
    expect(await filter.inputValue()).toBe('name = "Zoe" && user.email')
    await filter.press('Enter')
    await page.getByText('The filter is not complete.').waitFor()
    await filter.fill(`name = "Zoe" && user.email = "${ANN.email}"`)
    await filter.press('Enter')
    await page.getByText('One record').waitFor()

    await filter.fill('state = "given"')
    await filter.press('Enter')
    await page.getByText('contacts has no field state.').waitFor()
    await field(fixture, 'Expand').fill('users')
    await field(fixture, 'Expand').press('Enter')
    await page.getByText('users is no relation of contacts.').waitFor()
    await fixture.look('collection-faults')

    await field(fixture, 'Expand').fill('user')
    await field(fixture, 'Expand').press('Enter')
    await page.getByRole('link', { name: 'Ann', exact: true }).waitFor()
    await filter.fill('')
    await filter.press('Enter')
    await page.getByText('2 records').waitFor()
    await field(fixture, 'Sort').fill('-name')
    await field(fixture, 'Sort').press('Enter')
    await page.waitForURL(/sort=-name/)
    await page.getByRole('row').nth(1).getByText('Zoe').waitFor()

    const token = (await fixture.root()).authStore.token
    await page.getByText('The request as code').click()
    const code = page.locator('.code-block code')
    const found = JSON.parse(run('bash', ['-c', await code.innerText()], token))
    expect(found.items.map(({ name }: { name: string }) => name)).toEqual(['Zoe', 'Yves'])
    await page.getByText('JavaScript', { exact: true }).click()
    const script = ['--input-type=module', '-e', await code.innerText()]
    expect(run(process.execPath, script, token)).toContain(PHONES[0])
  },
)

const run = (command: string, args: readonly string[], token: string) =>
  execFileSync(command, args, { env: { ...process.env, TOKEN: token }, encoding: 'utf8' })

scenario(
  'a superuser makes, changes and deletes a record as a form and as JSON',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    await makeContacts(ann)
    await fixture.signIn('root')
    await fixture.visit('/collections/contacts')
    await page.getByRole('button', { name: 'New record' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('user', { exact: true }).fill(ann.authStore.record!.id)
    await dialog.getByLabel('name', { exact: true }).fill('Xena')
    await fixture.refused(/^POST \/api\/collections\/contacts\/records: 400/, async () => {
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.locator('.field').filter({ hasText: 'phone' }).getByRole('alert').waitFor()
    })
    await dialog.getByLabel('phone', { exact: true }).fill('+4915112345673')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 records').waitFor()

    const { id } = await ann.collection('contacts').getFirstListItem('name = "Xena"')
    await page.getByRole('link', { name: id }).click()
    await dialog.getByText('JSON', { exact: true }).click()
    const json = dialog.getByRole('textbox', { name: 'JSON' })
    await json.fill('{"name": ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('This is no JSON').waitFor()
    await fixture.look('record-json')
    await json.fill('{"name": "Xenia", "data": {"room": 101}}')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const changed = await ann.collection('contacts').getOne(id)
    expect(changed).toMatchObject({ name: 'Xenia', data: { room: 101 }, phone: '+4915112345673' })

    await page.getByRole('link', { name: id }).click()
    await fixture.look('record-form')
    await dialog.getByRole('button', { name: 'Delete…' }).click()
    await page
      .getByRole('dialog')
      .last()
      .getByRole('button', { name: 'Delete', exact: true })
      .click()
    await page.getByText('Record deleted').waitFor()
    await page.getByText('2 records').waitFor()
  },
)

scenario('a superuser reads the schema of system collections and views', async (fixture) => {
  const { page } = fixture
  await makeContacts(await fixture.ann())
  const root = await fixture.root()
  await root.collections.create({
    type: 'view',
    name: 'names',
    viewQuery: 'select id, name from contacts',
  })
  await fixture.signIn('root')
  await fixture.visit('/collections/contacts?view=schema')
  await page.getByText('user = @request.auth.id').first().waitFor()
  await page
    .getByText(/create (unique )?index/i)
    .first()
    .waitFor()
  await fixture.look('collection-schema')
  await page.getByRole('link', { name: 'users', exact: true }).click()
  await page.getByText('One record').waitFor()

  await fixture.visit('/collections/_superusers')
  await page.locator('main').getByText(ROOT.email).first().waitFor()
  await fixture.visit('/collections/names')
  await page.getByText('2 records').waitFor()
  expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0)
  await fixture.visit('/collections/consent_states')
  await page.getByText('The collection is empty.').waitFor()
  expect(await page.getByRole('button', { name: 'New record' }).count()).toBe(0)
  await fixture.visit('/collections/names')
  await page.getByRole('row').nth(1).getByRole('link').click()
  await page.getByRole('dialog').getByText('"collectionName": "names"').waitFor()
})

scenario('a superuser sees the account of a user, and the audit log has it', async (fixture) => {
  const { page } = fixture
  await makeContacts(await fixture.ann())
  await fixture.signIn('root')
  await fixture.visit('/users')
  await page.getByRole('button', { name: `See the account of ${ANN.email}` }).click()
  await page.getByText(`You see the account of ${ANN.email}`).waitFor()
  await fixture.visit('/contacts')
  await page.getByText('Zoe').first().waitFor()
  expect(await page.getByRole('button', { name: 'Add a contact' }).count()).toBe(0)
  await fixture.look('account-of-a-user')
  await page.reload()
  await page.getByText('Zoe').first().waitFor()
  await page.getByRole('button', { name: 'Leave the account' }).click()
  await page.getByRole('heading', { name: 'Health' }).waitFor()
  await fixture.visit('/audit')
  await page.getByText('Signed in as a user').first().waitFor()
  expect(await page.getByText('Signed in as a user').count()).toBe(1)
})
