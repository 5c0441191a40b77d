import { startMailServer } from '../support/services/mail-server.ts'
import { ROOT, scenario } from './support/browser-fixture.ts'

scenario('a superuser names the server, sets up mail and sends a test mail', async (fixture) => {
  const { page } = fixture
  const mail = await startMailServer()
  try {
    await fixture.signIn('root')
    await fixture.visit('/settings')
    await page.getByText('mails are written to the server’s log').waitFor()

    await page.getByLabel('Name of this service').fill('Parcel texts')
    await page.getByLabel('Address', { exact: true }).fill('nowhere')
    await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
      await page.getByRole('button', { name: 'Save name and address' }).click()
      await page.getByText('Write an address such as https://example.com.').waitFor()
    })
    await page.getByLabel('Address', { exact: true }).fill('https://sms.example.com')
    await page.getByRole('button', { name: 'Save name and address' }).click()
    await page.getByText('Name and address saved').waitFor()

    await page.getByLabel('Sender’s name').fill('Parcel service')
    await page.getByLabel('Sender’s address').fill('texts@example.com')
    await page.getByLabel('Send mails through an SMTP server').check()
    await page.getByLabel('SMTP server', { exact: true }).fill('127.0.0.1')
    await page.getByLabel('Port').fill('0')
    await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
      await page.getByRole('button', { name: 'Save mail settings' }).click()
      await page.getByText('Fill this in.').waitFor()
    })
    await fixture.look('settings-mail')
    await page.getByLabel('Port').fill(String(mail.port))
    await page.getByRole('button', { name: 'Save mail settings' }).click()
    await page.getByText('Mail settings saved').waitFor()

    const test = async () => {
      await page.getByRole('button', { name: 'Send a test mail' }).click()
      await page.getByText('The test mail goes out by the saved settings.').waitFor()
      await page.getByLabel('Which mail').selectOption('A forgotten password')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    }
    mail.refuses = true
    await fixture.refused(/^POST \/api\/settings\/test\/email: 400/, async () => {
      await test()
      await page.getByText('Failed to send the test email.').waitFor()
    })
    await page.getByRole('button', { name: 'Cancel' }).click()
    mail.refuses = false
    await test()
    await page.getByText(`The SMTP server took the mail to ${ROOT.email}`).waitFor()
    const received = await mail.next()
    expect(received.to).toContain(ROOT.email)
    expect(received.text).toContain('https://sms.example.com')
    expect(received.subject).toContain('Parcel texts')
  } finally {
    await mail.stop()
  }
})

scenario('a superuser limits requests and sets a trusted proxy', async (fixture) => {
  const { page } = fixture
  const root = await fixture.root()
  await fixture.signIn('root')
  await fixture.visit('/settings')
  await page.getByText('300 in 10 seconds').waitFor()
  await page.getByLabel('Limit how often one address may ask').check()
  await page.getByLabel('Addresses without limits').fill('10.0.0.0/8\nnowhere')
  await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Invalid IP or CIDR subnet.').waitFor()
  })
  await page.getByLabel('Addresses without limits').fill('10.0.0.0/8\n127.0.0.1')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('Limits saved').waitFor()

  await page.getByText('127.0.0.1', { exact: true }).waitFor()
  await page.getByLabel('Trusted headers').fill('X-Real-IP, CF-Connecting-IP')
  await page.getByLabel('If a header has several addresses').selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Save proxy' }).click()
  await page.getByText('Proxy saved').waitFor()
  await fixture.look('settings-limits')

  expect(await root.send('/api/settings', {})).toMatchObject({
    rateLimits: { enabled: true, excludedIPs: ['10.0.0.0/8', '127.0.0.1'] },
    trustedProxy: { headers: ['X-Real-IP', 'CF-Connecting-IP'], useLeftmostIP: true },
  })
  await page.reload()
  await page.getByLabel('Trusted headers').waitFor()
  expect(await page.getByLabel('Trusted headers').inputValue()).toBe('X-Real-IP, CF-Connecting-IP')
})

scenario('a superuser changes the rate limit rules', async (fixture) => {
  const { page } = fixture
  const root = await fixture.root()
  const rules = async () => {
    const { rateLimits } = await root.send('/api/settings', {})
    return (
      rateLimits.rules as {
        label: string
        audience: string
        maxRequests: number
        duration: number
      }[]
    ).map(
      ({ label, audience, maxRequests, duration }) =>
        `${label}${audience} ${maxRequests}/${duration}`,
    )
  }
  const save = () => page.getByRole('button', { name: 'Save the rule' }).click()
  await fixture.signIn('root')
  await fixture.visit('/settings')
  await page.getByText('2 in 3 seconds').waitFor()

  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('What').selectOption('Something else…')
  await page.getByLabel('Path or action').fill('POST /api/sms/send !')
  await page.getByLabel('By whom').selectOption('Who is signed in')
  await page.getByLabel('Requests').fill('0')
  await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
    await save()
    await page.getByText('This is not possible here.').waitFor()
    await page.getByText('At least 1.').waitFor()
  })
  await page.getByLabel('Path or action').fill('POST /api/sms/send')
  await page.getByLabel('Requests').fill('30')
  await save()
  await page.getByText('Rule added').waitFor()
  await page.getByText('30 in 60 seconds').waitFor()

  await page.getByRole('button', { name: 'Change Signing in' }).click()
  expect(await page.getByLabel('What').inputValue()).toBe('*:auth')
  await page.getByLabel('By whom').selectOption('Guests')
  await page.getByLabel('Requests').fill('1000')
  await page.getByLabel('In seconds').fill('1')
  await save()
  await page.getByText('1,000 in a second').waitFor()

  // one that is there already
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('What').selectOption('Batches of requests')
  await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
    await save()
    await page.getByText('conflicts with another rule').waitFor()
  })
  await page.getByRole('button', { name: 'Cancel' }).click()
  await fixture.look('settings-rules')

  expect(await rules()).toEqual([
    '*:auth@guest 1000/1',
    '*:create 20/5',
    '/api/batch 3/1',
    '/api/ 300/10',
    'POST /api/sms/send@auth 30/60',
  ])
  await page.getByLabel('Limit how often one address may ask').check()
  await page.getByRole('button', { name: 'Save limits' }).click()
  await page.getByText('Limits saved').waitFor()
  const remove = async (name: string) => {
    await page.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByRole('button', { name: 'Delete the rule' }).click()
  }
  for (const name of ['Signing in', 'New records', 'Batches', 'POST /api/sms/send']) {
    await remove(name)
    await page.getByRole('button', { name: `Delete ${name}` }).waitFor({ state: 'detached' })
  }
  await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
    await remove('All requests')
    await page.getByText('The last rule stays while limits are on').waitFor()
  })
  expect(await rules()).toEqual(['/api/ 300/10'])
})

scenario(
  "a superuser restricts superusers' addresses and is warned before a lock-out",
  async (fixture) => {
    const { page } = fixture
    await fixture.signIn('root')
    await fixture.visit('/settings')
    const field = page.getByLabel('Addresses of superusers')
    const save = () => page.getByRole('button', { name: 'Save addresses' }).click()
    await page.getByText('Empty: from anywhere. Your own address is 127.0.0.1.').waitFor()
    await field.fill('nowhere')
    await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
      await save()
      await page.getByRole('button', { name: 'Save anyway' }).click()
      await page.getByText('Invalid IP or CIDR subnet.').waitFor()
    })
    await field.fill('192.0.2.7')
    await save()
    await page.getByText('you are locked out at once').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await field.fill('127.0.0.1\n192.0.2.0/24')
    await save()
    await page.getByText('Addresses saved').waitFor()
    const { superuserIPs } = await (await fixture.root()).send('/api/settings', {})
    expect(superuserIPs).toEqual(['127.0.0.1', '192.0.2.0/24'])
  },
)

scenario('a superuser lists all keys and webhooks and ends them', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('api_keys').create({ user, name: 'web shop' })
  const url = 'https://shop.example.com/hooks'
  const hook = await ann
    .collection('webhooks')
    .create({ user, url, events: ['message.sent', 'message.failed'] })
  await fixture.signIn('root')

  await fixture.visit('/webhooks')
  await page.getByRole('cell', { name: 'ann@example.com' }).waitFor()
  await page.getByRole('link', { name: url }).click()
  await page.getByText('Sent, Failed', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('It is switched off').waitFor()
  expect((await ann.collection('webhooks').getOne(hook.id)).enabled).toBe(false)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete the webhook' }).click()
  await page.getByText('No outgoing webhooks yet').waitFor()

  await fixture.visit('/keys')
  await page.getByRole('cell', { name: 'ann@example.com' }).waitFor()
  expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Revoke web shop' }).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText('No keys yet').waitFor()
  expect((await ann.collection('api_keys').getFullList()).length).toBe(0)
})
