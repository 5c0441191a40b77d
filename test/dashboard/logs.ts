import {
  type DashboardFixture,
  form,
  popup,
  press,
  same,
  succeeded,
  visit,
  write,
} from './dashboard-fixture.ts'

/** The logs: a request that failed is found by a filter and shown; how long they are kept is changed. */
export async function logs(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await fetch(`${fixture.url}/api/nowhere?token=secret`)
  await visit(fixture, '/logs')
  await fixture.shot('logs')
  await search(fixture, 'data.status = 404 && data.url ~ "nowhere"')
  const row = page.locator('.logs-table tr.handle')
  same(await row.count(), 1, 'logs of a request')
  await row.click()
  await form(fixture).locator('.log-view-table', { hasText: '/api/nowhere?token=…' }).waitFor()
  await fixture.shot('log')
  await press(form(fixture), 'Close')
  await page.getByLabel('Logs settings').click()
  await popup(fixture).locator('[name="logs.maxDays"]').fill('7')
  await press(popup(fixture), 'Save changes')
  await succeeded(fixture, 'Successfully saved logs settings')
}

async function search(fixture: DashboardFixture, filter: string): Promise<void> {
  await write(fixture, fixture.page.locator('.page .searchbar .editor-content'), filter)
  await fixture.page.keyboard.press('Enter')
  await fixture.settled()
}
