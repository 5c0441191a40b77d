import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'

/** Every picture of the help was loaded. */
const LOADED = `[...document.querySelectorAll('.help-text img')].every((image) => image.naturalWidth > 0)`

async function expectWholeHelp({ page, look }: BrowserFixture, name: string): Promise<void> {
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor()
  for (const picture of await page.locator('.help-text img').all())
    await picture.scrollIntoViewIfNeeded()
  await expect.poll(() => page.evaluate(LOADED)).toBe(true)
  expect(await page.locator('.help-text img').count()).toBe(6)
  await page.getByRole('link', { name: 'Templates' }).last().click()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Templates')
  await look(name)
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0)
}

scenario('the help opens from the sign-in page and from every page', async (fixture) => {
  const { page, url } = fixture
  await page.goto(`${url}/`)
  expect(await page.getByRole('link', { name: 'API docs' }).getAttribute('href')).toBe('/docs')
  await page.getByRole('link', { name: 'Help' }).click()
  await expectWholeHelp(fixture, 'help-public')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  await fixture.signIn()
  await fixture.visit('/groups')
  await page.getByRole('link', { name: 'How this page works' }).click()
  await expect
    .poll(() => page.evaluate('document.activeElement.textContent'))
    .toBe('Contacts and groups')
  if (fixture.screen === 'phone') await page.getByRole('button', { name: 'More' }).click()
  expect(await page.getByRole('link', { name: 'API docs' }).last().getAttribute('href')).toBe(
    '/docs',
  )
  await page.getByRole('link', { name: 'Help' }).last().click()
  await expectWholeHelp(fixture, 'help')
})
