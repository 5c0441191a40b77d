import { readFile } from 'node:fs/promises'
import { chooseAction, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const PEOPLE = 60

scenario('selected contacts are changed together', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  const contacts = ann.collection('contacts')
  const group = await ann.collection('contact_groups').create({ user, name: 'Guests' })
  for (let i = 0; i < PEOPLE; i++)
    await contacts.create({ user, name: `Person ${10 + i}`, phone: `+49151${20_000_000 + i}` })
  await contacts.create({ user, name: '=Ünal', phone: '+4915130000000', data: { City: 'Kiel' } })
  const count = async (filter: string) => (await contacts.getList(1, 1, { filter })).totalItems
  await fixture.signIn()

  await fixture.visit(`/contacts?group=${group.id}`)
  await page.getByText('Nobody is in this group yet.').waitFor()
  await page.getByRole('button', { name: 'Add members' }).click()
  await page.getByRole('dialog').getByLabel('Name or number').fill('ünal')
  await page.getByLabel('=Ünal').check()
  await page.getByRole('dialog').getByLabel('Name or number').fill('0151 20000001')
  await page.getByLabel('Person 11').check()
  await page.getByRole('button', { name: 'Add 2' }).click()
  await page.getByText('2 contacts added').waitFor()
  await page.getByLabel('Choose Person 11', { exact: true }).waitFor()
  expect(await count(`groups.id ?= "${group.id}"`)).toBe(2)

  await page.getByLabel('Choose =Ünal').check()
  await page.getByText('1 contact chosen').waitFor()
  const download = page.waitForEvent('download')
  await chooseAction(fixture, 'Export as CSV')
  const csv = await readFile((await (await download).path())!, 'utf8')
  expect(csv.trimEnd().split('\r\n')).toEqual([
    '\ufeffName,Number,Groups,Opted out,City',
    "'=Ünal,+4915130000000,Guests,no,Kiel",
  ])

  await fixture.visit('/contacts')
  const second = page.getByLabel('Choose Person 12', { exact: true })
  await second.waitFor()
  const place = await second.boundingBox()
  const whole = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const lines = (await readFile((await (await whole).path())!, 'utf8')).trimEnd().split('\r\n')
  expect(lines.length).toBe(PEOPLE + 2)
  await page.getByText(`${PEOPLE + 1} contacts`, { exact: true }).waitFor()
  await page.getByLabel('Choose Person 10', { exact: true }).check()
  await page.getByText('1 contact chosen').waitFor()
  // nothing moves under the pointer
  expect(await second.boundingBox()).toEqual(place)
  await page.getByLabel('Choose Person 12', { exact: true }).check()
  await page.getByText('2 contacts chosen').waitFor()
  const bar = page.getByRole('region', { name: 'Chosen contacts' })
  const link = page.getByRole('link', { name: 'Send to the chosen' })
  const to = new URLSearchParams((await link.getAttribute('href'))!.replace(/.*\?/, '')).get('to')
  expect(to).toBe('+4915120000000,+4915120000002')
  await fixture.look('contacts-selection')
  const isPhone = fixture.screen === 'phone'
  const openRest = async () =>
    isPhone && page.getByRole('button', { name: 'Actions', exact: true }).click()
  await openRest()
  await bar.getByRole('button', { name: 'Groups', exact: true }).click()
  await fixture.look('contacts-selection-groups')
  await page.getByLabel('Group of the chosen').selectOption({ label: 'Guests' })
  await page.getByRole('button', { name: 'Add to the group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Add 2 contacts to Guests?').waitFor()
  await dialog.getByRole('button', { name: 'Add to the group' }).click()
  await page.getByText('2 contacts added to Guests').waitFor()
  expect(await count(`groups.id ?= "${group.id}"`)).toBe(4)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone').waitFor()
  expect(await count(`groups.id ?= "${group.id}"`)).toBe(2)

  await page.getByRole('searchbox').fill('Person')
  await page.getByLabel('Choose =Ünal').waitFor({ state: 'detached' })
  await page.getByLabel('Choose Person 10', { exact: true }).check()
  await openRest()
  await page.getByRole('button', { name: `Choose all ${PEOPLE}` }).click()
  await page.getByText(`${PEOPLE} contacts chosen`).waitFor()
  await page.getByLabel('Choose all contacts of the list').uncheck()
  await page.getByText(`${PEOPLE} contacts chosen`).waitFor({ state: 'detached' })
  await page.getByLabel('Choose all contacts of the list').check()
  await page.getByText(`${PEOPLE} contacts chosen`).waitFor()
  await chooseAction(fixture, 'Opt out')
  await dialog.getByText(`Opt ${PEOPLE} contacts out?`).waitFor()
  await dialog.getByRole('button', { name: 'Opt out' }).click()
  await page.getByText(`${PEOPLE} contacts opted out`).waitFor()
  expect(await count('opted_out = true')).toBe(PEOPLE)

  await page.getByLabel('Choose Person 10', { exact: true }).check()
  await openRest()
  await page.getByRole('button', { name: `Choose all ${PEOPLE}` }).click()
  await page.getByText(`${PEOPLE} contacts chosen`).waitFor()
  await chooseAction(fixture, 'Delete')
  await dialog.getByText(`Delete ${PEOPLE} contacts?`).waitFor()
  await dialog.getByText('60 of them opted out').waitFor()
  const before = await contacts.getFirstListItem('name = "Person 10"')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  const deleted = page.locator('.toast').filter({ hasText: `${PEOPLE} contacts deleted` })
  await deleted.waitFor()
  expect(await count('')).toBe(1)
  await deleted.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).waitFor()
  await expect.poll(() => count('')).toBe(PEOPLE + 1)
  const after = await contacts.getOne(before.id)
  for (const field of ['name', 'phone', 'groups', 'labels', 'data', 'opted_out'])
    expect(after[field]).toEqual(before[field])
})

scenario(
  'a screen shows twelve people with their last texts, each with one menu',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const phone = await pairPhone(url, ann, 'Desk phone')
    for (let i = 0; i < 20; i++)
      await ann
        .collection('contacts')
        .create({ user, name: `Person ${10 + i}`, phone: `+49151${20_000_000 + i}` })
    await phone.hear('+4915120000003', 'Can I come tomorrow?')
    await fixture.signIn()
    await page.setViewportSize({ width: page.viewportSize()!.width, height: 844 })
    await fixture.visit('/contacts')
    const row = page.getByRole('row').filter({ hasText: 'Person 13' })
    await row.getByText('Can I come tomorrow?').waitFor()
    await phone.hear('+4915120000003', 'Never mind')
    await row.getByText('Never mind').waitFor()
    const last = await page.getByRole('row').filter({ hasText: 'Person 21' }).boundingBox()
    const bar = await page
      .locator('.bottom-bar:visible')
      .boundingBox({ timeout: 100 })
      .catch(() => null)
    expect(last!.y + last!.height).toBeLessThanOrEqual(bar?.y ?? 844)
    expect(Math.round(last!.height)).toBe(fixture.screen === 'phone' ? 44 : 40)
    await fixture.look('contacts-rows')

    await page.getByRole('button', { name: 'Actions of Person 13' }).click()
    await fixture.look('contacts-menu')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete', exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Actions of Person 29' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByText('Person 29 is deleted; the messages stay.').waitFor()
  },
  {},
  { widths: [1280, 390] },
)

scenario('contacts are sorted by each column, and the address keeps the order', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  const group = await ann.collection('contact_groups').create({ user, name: 'Guests' })
  const people = [
    { name: 'Zoe', phone: '+4915120000001', groups: [group.id] },
    { name: 'Özil', phone: '+4915120000003', opted_out: true },
    { name: 'olaf', phone: '+4915120000002' },
  ]
  for (const person of people) await ann.collection('contacts').create({ user, ...person })
  await fixture.signIn()
  await fixture.visit('/contacts')
  const names = () => page.locator('tbody td.first a').allTextContents()
  await expect.poll(names).toEqual(['olaf', 'Özil', 'Zoe'])
  const isPhone = fixture.screen === 'phone'
  const sortBy = async (column: string, choice: string) => {
    if (!isPhone) return page.getByRole('button', { name: column, exact: true }).click()
    await page.getByRole('button', { name: 'Order and columns' }).click()
    await page.getByLabel('Order', { exact: true }).selectOption(choice)
    await page.keyboard.press('Escape')
  }

  await sortBy('Name', '-name')
  await expect.poll(names).toEqual(['Zoe', 'Özil', 'olaf'])
  await sortBy('Number', 'phone')
  await expect.poll(names).toEqual(['Zoe', 'olaf', 'Özil'])
  await page.reload()
  await expect.poll(names).toEqual(['Zoe', 'olaf', 'Özil'])
  if (isPhone) return
  await sortBy('Groups', '')
  await expect.poll(async () => (await names())[0]).toBe('Zoe')
  await page.getByRole('columnheader', { name: 'Groups' }).waitFor()
  expect(await page.getByRole('columnheader', { name: 'Groups' }).getAttribute('aria-sort')).toBe(
    'ascending',
  )
})
