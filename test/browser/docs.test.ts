import { scenario } from './support/browser-fixture.ts'

/** Swagger UI has links within its buttons. */
const SWAGGERS_OWN = ['nested-interactive']

scenario('the API reference opens, can be searched and runs a request', async (fixture) => {
  const { page, url } = fixture
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: /^pocketsms/ }).waitFor()
  await fixture.look('docs', SWAGGERS_OWN)
  await page.getByPlaceholder('Filter by tag or path').fill('health')
  await page.getByRole('heading', { name: /^sending/ }).waitFor({ state: 'detached' })
  await page.locator('#operations-tag-server').click()
  await page.getByRole('button', { name: /^GET.*health/ }).click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('API is healthy.').last().waitFor()
  await fixture.look('docs-tried', SWAGGERS_OWN)
  // nothing is wider than the screen
  expect(
    await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
  ).toBeLessThanOrEqual(0)
})
