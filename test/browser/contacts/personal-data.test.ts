import { readFile } from 'node:fs/promises'
import type { Download } from 'playwright-core'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915120000000'
const BEN = '+4915120000001'

/** An account that has texted with Zoë, and told Ben about her. */
async function meetZoe(fixture: BrowserFixture) {
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  const phone = await pairPhone(fixture.url, ann, 'Shop')
  await ann
    .collection('contacts')
    .create({ user, name: 'Zoë Berg', phone: ZOE, data: { City: 'Kiel' } })
  const send = (to: string, body: string) =>
    ann.send('/api/sms/send', { method: 'POST', body: { recipients: [to], body } })
  await send(ZOE, 'Your order is ready')
  await send(BEN, `Call Zoë Berg: ${ZOE}`)
  for (const task of await phone.claim()) await phone.report(task, 'sent')
  await phone.hear(ZOE, 'I come on Monday')
  return ann
}

const textOf = async (download: Download) => readFile((await download.path())!, 'utf8')

scenario(
  'an admin exports and erases the data of a person, and the texts are gone',
  async (fixture) => {
    const { page } = fixture
    const ann = await meetZoe(fixture)
    await fixture.signIn()
    await fixture.visit('/contacts')
    await page.getByRole('link', { name: 'Zoë Berg', exact: true }).click()
    await page.getByRole('main').getByRole('link', { name: 'Personal data' }).click()
    await page.getByRole('heading', { name: 'What is stored' }).waitFor()
    await page
      .getByRole('row', { name: /^Messages/ })
      .first()
      .getByText('2')
      .waitFor()
    await fixture.look('personal-data')

    await page.getByRole('button', { name: 'Export the data' }).click()
    const saveJson = page.getByRole('button', { name: 'Save as JSON' })
    await saveJson.waitFor()
    await fixture.look('personal-data-export')
    const [json] = await Promise.all([page.waitForEvent('download'), saveJson.click()])
    const { places } = JSON.parse(await textOf(json))
    expect(places.sms_messages.map(({ body }: { body: string }) => body).sort()).toEqual([
      'I come on Monday',
      'Your order is ready',
    ])
    const savePage = page.getByRole('button', { name: 'Save the readable page' })
    const [readable] = await Promise.all([page.waitForEvent('download'), savePage.click()])
    expect(await textOf(readable)).toContain('I come on Monday')

    await fixture.visit('/personal-data')
    await page.getByRole('button', { name: 'Export the account' }).click()
    await page.getByText('Whole account').waitFor()
    const [all] = await Promise.all([page.waitForEvent('download'), saveJson.click()])
    expect(JSON.parse(await textOf(all)).places.sms_messages).toHaveLength(3)

    // found by a part of the name, with the keyboard
    await fixture.visit('/personal-data')
    await page.getByLabel('Number or contact').fill('berg')
    await page.getByRole('link', { name: /^Zoë Berg/ }).press('Enter')
    await page.getByRole('button', { name: 'Erase the data' }).click()
    const erase = page.getByRole('button', { name: 'Erase for good' })
    await erase.click()
    await page.getByText('Give a reason first.').waitFor()
    await page.getByText('These are not the last four digits.').waitFor()
    await fixture.look('personal-data-question')
    await page.getByLabel('Why is the data erased?').fill('Zoë Berg asked by mail')
    await page.getByLabel('Type the last four digits of the number to confirm').fill('0000')
    await erase.click()
    await page
      .getByText('The data is erased. The account sends the person no more texts.')
      .waitFor()
    await page.getByText('… asked by mail').waitFor()
    await fixture.look('personal-data-erased')

    const texts = await ann.collection('sms_messages').getFullList()
    expect(texts.map(({ body }) => body).sort()).toEqual(['', '', 'Call …: +…'])
    expect(JSON.stringify([texts, await ann.collection('contacts').getFullList()])).not.toMatch(
      /Zoë|5120000000/,
    )
    await fixture.visit('/personal-data')
    await page.getByRole('link', { name: 'Erasure of data' }).waitFor()
    await page.getByRole('cell', { name: 'Erased later' }).waitFor()
    await page.getByRole('cell', { name: 'Whole account' }).waitFor()
    await fixture.look('personal-data-requests')
  },
)

scenario('an agent sees neither the page of personal data nor a link to it', async (fixture) => {
  const { page } = fixture
  const ann = await meetZoe(fixture)
  const root = await fixture.root()
  const users = root.collection('users')
  const bob = {
    email: 'bob@example.com',
    password: 'bob-password1',
    passwordConfirm: 'bob-password1',
  }
  const { id: member } = await users.create({ ...bob, member_only: true })
  const account = ann.authStore.record!.id
  await root.collection('members').create({ account, member, role: 'agent' })
  await page.goto(`${fixture.url}/`)
  await page.getByLabel('Email').fill(bob.email)
  await page.getByLabel('Password').fill(bob.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Conversations' }).first().waitFor()
  const [contact] = await ann.collection('contacts').getFullList()
  await fixture.visit(`/contacts/${contact!.id}`)
  await page.getByRole('link', { name: 'Conversation', exact: true }).waitFor()
  expect(await page.getByText('Personal data').count()).toBe(0)
  await page.goto(`${fixture.url}/#/personal-data`)
  await page.getByRole('heading').first().waitFor()
  expect(await page.getByText('Find a person').count()).toBe(0)
})
