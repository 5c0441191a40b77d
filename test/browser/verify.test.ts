import { execFileSync } from 'node:child_process'
import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

scenario(
  "the page's example sends and checks a code, and a service is created",
  async (fixture) => {
    const { page, screen } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(fixture.url, ann, 'Desk phone')
    const { key } = await ann
      .collection('api_keys')
      .create({ user: ann.authStore.record!.id, name: 'app' })
    await fixture.signIn()
    await fixture.visit('/verify')
    await page.getByText('No codes yet').waitFor()
    const [start, check] = (await page.locator('.code-block code').innerText()).split('\n')
    const run = (line: string) =>
      JSON.parse(
        execFileSync('bash', ['-c', line.replace('curl', 'curl -s')], {
          env: { ...process.env, KEY: key },
        }).toString(),
      )
    expect(run(start!).status).toBe('pending')
    const [task] = await phone.claim()
    const code = /\d{6}/.exec(task!.body)![0]
    await phone.report(task!, 'sent')
    await fixture.visit('/verify')
    const last = page.getByRole('table', { name: 'Last codes' })
    await last.getByText('Pending').waitFor()
    expect(run(check!.replace('"123456"', JSON.stringify(code))).status).toBe('approved')
    await last.getByText('Approved').waitFor()
    await page
      .getByRole('table', { name: /Approved by country/ })
      .getByText('100%')
      .waitFor()
    expect(await page.locator('main').innerText()).not.toContain(code)

    await page.getByRole('button', { name: 'Change the limits' }).click()
    const limits = page.getByRole('dialog', { name: 'Limits of codes' })
    await limits.getByLabel('Sends only to').fill('+49, -491')
    await limits.getByLabel('Stopped countries').fill('+882')
    await limits.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Sends to: +49, -491.').waitFor()
    await page.getByRole('button', { name: 'Allow +882 again' }).click()
    await page.getByText('+882 gets codes again').waitFor()
    await page.getByRole('cell', { name: '+882' }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'New service' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await page.keyboard.type('Shop')
    await dialog.getByLabel('Texts', { exact: true }).fill('de: Ihr Code: {{code}}\nen: Hello')
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await dialog.getByText('The text of en has no {{code}}.').waitFor()
    await dialog
      .getByLabel('Texts', { exact: true })
      .fill('de: Ihr Code: {{code}}\nen: Code: {{code}}')
    await dialog.getByText('Ihr Code: 123456').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Shop.*de, en.*6 digits, 10 min/ }).waitFor()
    if (screen === 'phone') await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await fixture.look('verify')
  },
)
