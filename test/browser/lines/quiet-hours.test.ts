import { scenario } from '../support/browser-fixture.ts'

scenario('quiet hours are set and removed on the account page', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/account')
  const save = page.getByRole('button', { name: 'Save quiet hours' })
  const [from, until] = [page.getByLabel('Quiet from'), page.getByLabel('Quiet until')]
  await page.getByLabel('Saturday').check()
  await save.click()
  await page.getByText('Set the times for these days, too').waitFor()
  await from.fill('22:00')
  await save.click()
  await page.getByText('Set both times, or none.').waitFor()
  await until.fill('22:00')
  await save.click()
  await page.getByText('The two times are the same.').waitFor()
  await fixture.look('quiet-hours')
  await until.fill('08:00')
  await page.evaluate("location.hash = '/groups'")
  await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  await save.click()
  await page.getByText('Quiet hours saved').waitFor()
  const settings = ann.collection('user_settings')
  expect(await settings.getFullList()).toMatchObject([
    { quiet_from: '22:00', quiet_to: '08:00', quiet_days: ['sat'] },
  ])
  await page.reload()
  await expect.poll(() => from.inputValue()).toBe('22:00')
  expect(await page.getByLabel('Saturday').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('There are no quiet hours now').waitFor()
  expect(await settings.getFullList()).toMatchObject([
    { quiet_from: '', quiet_to: '', quiet_days: [] },
  ])
})
