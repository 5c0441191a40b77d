import { scenario } from '../support/browser-fixture.ts'
import { BEN, chooseAccount, makeTeam, signInAsBen } from '../support/team.ts'

const ZOE = '+4915112345678'

scenario(
  'a window sends only the token of the account that it shows',
  async (fixture) => {
    const { page, url } = fixture
    const phone = await makeTeam(fixture, false)
    await phone.hear(ZOE, 'Are you open?')
    const root = await fixture.root()
    const { id: ben } = await root.collection('users').getFirstListItem(`email = "${BEN.email}"`)
    await root
      .collection('contacts')
      .create({ user: ben, name: 'A friend', phone: '+4915100000001' })
    await signInAsBen(fixture, url)
    await page.getByText('Are you open?').waitFor()
    await chooseAccount(fixture, 'Ben (your own account)')
    await page.getByText('Your account is ready.').waitFor()
    await page.goto(`${url}/#/contacts`)
    await page.getByRole('link', { name: 'A friend', exact: true }).waitFor()

    const second = await page.context().newPage()
    const asked: string[] = []
    second.on('request', (request) => {
      const token = request.headers().authorization
      if (token)
        asked.push(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).id)
    })
    await second.goto(`${url}/#/contacts`)
    await second.getByRole('link', { name: 'A friend', exact: true }).waitFor()

    // a write of the second window is on its way while the first changes the account
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    await second.route(/collections\/contacts\/records$/, async (route) => {
      if (route.request().method() === 'POST') await held
      await route.continue()
    })
    await second.getByRole('button', { name: 'Add a contact' }).first().click()
    const dialog = second.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Eva')
    await dialog.getByRole('textbox', { name: 'Number' }).fill('+49 151 20000019')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await chooseAccount(fixture, 'Ann (Agent)')
    await page.goto(`${url}/#/conversations`)
    await page.getByText('Are you open?').waitFor()
    release()
    await second.getByText('Contact saved').waitFor()
    await second.getByText('Eva').first().waitFor()
    await second.goto(`${url}/#/messages`)
    await second.getByText('No messages yet').waitFor()
    await second.reload()
    await second.getByText('No messages yet').waitFor()
    expect(new Set(asked)).toEqual(new Set([ben]))
    const eva = await root.collection('contacts').getFirstListItem('name = "Eva"')
    expect(eva.user).toBe(ben)

    // a window opened by hand shows the account chosen last; a sign-out ends all of them
    await page.reload()
    await page.getByText('Are you open?').waitFor()
    await second.evaluate(`localStorage.clear()`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  },
  {},
  { widths: [1440] },
)
