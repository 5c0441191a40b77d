import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { startReceiver } from '../../../support/services/receiver.ts'
import { mms, mmsPoster } from '../../../support/smsgate/mms.ts'
import { joinPhone } from '../../../support/smsgate/smsgate-fixture.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// Links to files end with the account: while it is disabled, and once it is deleted.

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { makeShop, sendForm, claim, findMessage } = openMmsServer(server)
const TO = '+4915112345678'
type Shop = Awaited<ReturnType<typeof makeShop>>

const setDisabled = async ({ user }: Shop, disabled: boolean) => {
  const path = '/api/collections/user_settings/records'
  const { items } = await must(server.superuser, 'GET', `${path}?filter=user="${user.id}"`)
  return items[0]
    ? must(server.superuser, 'PATCH', `${path}/${items[0].id}`, { disabled })
    : must(server.superuser, 'POST', path, { user: user.id, disabled })
}
const statusOf = async (link: string, method = 'GET') => {
  const { pathname, search } = new URL(link)
  return (await fetch(server.url + pathname + search, { method })).status
}

/** Kinds of links to a file that need no sign-in. */
const LINKS = {
  'of a text': async ({ user, line }: Shop) => {
    await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'off' })
    const { body } = await sendForm(user, { recipients: TO, body: 'Look', mms: 'or_link' }, [SMALL])
    return (await findMessage(user, body.message_ids[0])).body.replace('Look ', '') as string
  },
  'of a claimed MMS': async ({ user, phone }: Shop) => {
    await sendForm(user, { recipients: TO, body: 'Look' }, [SMALL])
    return (await claim(phone))[0].attachments[0].url as string
  },
  'of a webhook': async ({ user }: Shop) => {
    const receiver = await startReceiver()
    const hook = { user: user.id, url: receiver.url, events: ['message.received'] }
    await must(user, 'POST', '/api/collections/webhooks/records', hook)
    const mobile = await joinPhone({ mobileUrl: `${server.url}/api/mobile/v1` }, user)
    await (await mmsPoster(mobile))(mms([['a.jpg', SMALL]]))
    await expect.poll(() => receiver.told.length, { timeout: 8_000 }).toBe(1)
    return JSON.parse(String(receiver.told[0]!.body)).files[0].url as string
  },
}

test.each(Object.entries(LINKS))(
  'a link %s is void while its account is disabled',
  async (_, make) => {
    const shop = await makeShop()
    const link = await make(shop)
    expect(await statusOf(link)).toBe(200)
    await setDisabled(shop, true)
    expect(await statusOf(link)).toBe(404)
    expect(await statusOf(link, 'HEAD')).toBe(404)
    await setDisabled(shop, false)
    expect(await statusOf(link)).toBe(200)
    await must(server.superuser, 'DELETE', `/api/collections/users/records/${shop.user.id}`)
    expect(await statusOf(link)).toBe(404)
  },
)
