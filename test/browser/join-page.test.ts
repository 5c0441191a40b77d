import { SCREENS } from './support/browser.ts'
import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const NUMBER = '+4915112345678'

scenario(
  'a visitor without scripts joins by a page, and leaves by the link of a text',
  async (fixture) => {
    const { url, page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const phone = await pairPhone(url, ann, 'Desk phone')
    const { id } = await ann.collection('contact_groups').create({
      user,
      name: 'News',
      join_page: true,
      page_confirm: 'code',
      page_text: `Two texts a month.\nPrivacy: https://example.com/privacy-${'of-a-long-name-'.repeat(8)}`,
    })
    const lastText = async () => {
      const [task] = await phone.claim()
      await phone.report(task!, 'sent')
      return task!.body
    }

    const context = await page
      .context()
      .browser()!
      .newContext({ ...SCREENS.phone, locale: 'de-DE', javaScriptEnabled: false })
    const visit = await context.newPage()
    await visit.goto(`${url}/join/${id}`)
    await visit.getByRole('heading', { name: 'SMS von News' }).waitFor()
    const box = visit.getByRole('checkbox')
    expect(await box.isChecked()).toBe(false)
    await visit.getByLabel('Land').selectOption('DE')
    await visit.getByLabel('Handynummer').fill('0151 12345678')
    await box.check()
    await visit.getByRole('button', { name: 'SMS erhalten' }).click()
    await visit.getByLabel('Code aus der SMS').waitFor()
    const code = /\d{6}/.exec(await lastText())![0]
    await visit.getByLabel('Code aus der SMS').fill(code === '111111' ? '222222' : '111111')
    await visit.getByRole('button', { name: 'Bestätigen' }).click()
    await visit.getByRole('alert').getByText('Der Code ist falsch').waitFor()
    await visit.getByLabel('Code aus der SMS').fill(code)
    await visit.getByRole('button', { name: 'Bestätigen' }).click()
    await visit.getByRole('heading', { name: 'Sie erhalten nun die SMS' }).waitFor()

    await ann.send('/api/sms/send', {
      method: 'POST',
      body: { recipients: [NUMBER], body: '{{stop_link}}', variables: {} },
    })
    const { pathname } = new URL(await lastText())
    for (const [name, path] of Object.entries({ join: `/join/${id}`, leave: pathname })) {
      await page.goto(url + path)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await fixture.inspect(`${name}-page`)
    }
    await visit.goto(url + pathname)
    await visit.getByRole('button', { name: 'Keine SMS mehr erhalten' }).click()
    await visit.getByRole('heading', { name: 'Sie sind abgemeldet' }).waitFor()
    const contact = await ann
      .collection('contacts')
      .getFirstListItem(ann.filter('phone = {:NUMBER}', { NUMBER }))
    expect(contact.opted_out).toBe(true)
  },
)
