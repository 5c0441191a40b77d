import { type Desk, form, popup, press, same, succeeded, visit, write } from './desk.ts'

/** The logs: a request that failed is found by a filter and shown; how long they are kept is changed. */
export async function logs(desk: Desk): Promise<void> {
  const { page } = desk
  await fetch(`${desk.url}/api/nowhere?token=secret`)
  await visit(desk, '/logs')
  await desk.shot('logs')
  await search(desk, 'data.status = 404 && data.url ~ "nowhere"')
  const row = page.locator('.logs-table tr.handle')
  same(await row.count(), 1, 'logs of a request')
  await row.click()
  await form(desk).locator('.log-view-table', { hasText: '/api/nowhere?token=…' }).waitFor()
  await desk.shot('log')
  await press(form(desk), 'Close')
  await page.getByLabel('Logs settings').click()
  await popup(desk).locator('[name="logs.maxDays"]').fill('7')
  await press(popup(desk), 'Save changes')
  await succeeded(desk, 'Successfully saved logs settings')
}

async function search(desk: Desk, filter: string): Promise<void> {
  await write(desk, desk.page.locator('.page .searchbar .editor-content'), filter)
  await desk.page.keyboard.press('Enter')
  await desk.settled()
}
