import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

scenario(
  'a reminder shows its next texts before it is switched on, and on its page',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    await pairPhone(url, ann, 'desk phone')
    await fixture.signIn()
    await fixture.visit('/campaigns')
    await page.getByRole('link', { name: 'Set up a reminder' }).click()
    await page.getByText('No date field yet').waitFor()
    await fixture.look('reminder-no-dates')
    await ann.collection('contact_fields').create({ user, name: 'Birthday', type: 'date' })
    for (const [name, day] of [
      ['Anna', '1980-03-28'],
      ['Ben', '1996-02-29'],
      ['', '1970-05-01'],
    ])
      await ann.collection('contacts').create({
        user,
        name,
        phone: `+4915120000${day!.slice(2, 4)}${day!.slice(8)}`,
        data: { Birthday: day },
      })
    await page.reload()
    await page.getByLabel('Date', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('Write a text first.').waitFor()
    await page.getByLabel('Days before').fill('0')
    await page.getByLabel('Each year, as for birthdays').check()
    await page.getByLabel('Text', { exact: true }).fill('All the best, ')
    await page.getByLabel('Text', { exact: true }).press('End')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.getByText('All the best, Anna').waitFor()
    await page.getByText('Nothing in “name”').waitFor()
    await fixture.look('reminder-form')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('on the day at 18:00, each year each person gets the text.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByText('All the best, Ben').waitFor()
    await fixture.look('reminder-page')
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Days before').fill('2')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Birthday: 2 days before at 18:00, each year').waitFor()
  },
)
