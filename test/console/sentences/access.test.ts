import { request } from '../../support/server/request.ts'
import { client, must, PASSWORD, signIn } from '../../support/server/server-with-devices.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { until } from '../../support/until.ts'
import {
  nextNumber,
  openSentenceServer,
  openShop,
  type Sentence,
  testSentences,
} from './sentence-fixture.ts'

// Sentences about who and which programs may do what: keys, hooks, webhooks, teams, users.

const on = await openSentenceServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { server, ann, create, change, remove, list, send } = on
const { superuser, url } = server

/** Deletes the service of the public pages while a code of a visitor waits. */
async function tryDeletingPageService() {
  const page = { name: nextNumber(), join_page: true, page_confirm: 'code' }
  const { id } = await create('contact_groups', page)
  const { text } = await request(url, 'GET', `/join/${id}`)
  const version = /name="version" value="(\w+)"/.exec(text)![1]!
  const ask = () =>
    request(
      url,
      'POST',
      `/join/${id}`,
      new URLSearchParams({ country: '', number: nextNumber(), agree: 'yes', version }),
    )
  expect((await ask()).status).toBe(200)
  const services = () => list('verify_services', `name = "join page"`)
  const [service] = await services()
  expect(await list('verifications', `service = "${service!.id}"`)).toHaveLength(1)
  await change('verify_services', service!.id, { templates: { en: 'Own text: {{code}}' } })
  await remove('verify_services', service!.id)
  expect(await list('verifications', `service = "${service!.id}"`)).toEqual([])
  expect((await ask()).status).toBe(200)
  expect(await services()).toMatchObject([{ templates: null }])
}

const sendBy = (key: string) =>
  request(
    url,
    'POST',
    '/api/sms/send',
    { recipients: [nextNumber()], body: 'Hello' },
    { 'x-api-key': key },
  )
const callHook = (secret: string) =>
  request(url, 'POST', `/api/hooks/${secret}`, 'The backup failed')
const makeHook = () =>
  create('hooks', { name: 'Alarm', preset: 'text', recipients: [nextNumber()], enabled: true })

/** A member of Ann's team, and a client that acts for her account. */
async function join() {
  const person = await server.makeUser()
  const { id } = await must(superuser, 'POST', '/api/collections/members/records', {
    account: ann.id,
    member: person.id,
    role: 'agent',
  })
  const { token } = await must(person, 'POST', '/api/account/act-for', { account: ann.id })
  return { id, person, member: client(url, id, token) }
}

async function tryEndOfMembership(by: 'owner' | 'member') {
  const { id, person, member } = await join()
  const body = { recipients: [nextNumber()], body: 'Hello' }
  const { message_ids } = await must(member, 'POST', '/api/sms/send', body)
  const path = `/api/collections/members/records/${id}`
  await must(by === 'owner' ? ann : person, 'DELETE', path)
  expect((await member.call('POST', '/api/sms/send', body)).status).toBe(401)
  expect((await person.call('POST', '/api/account/act-for', { account: ann.id })).status).toBe(404)
  const [message] = await list('sms_messages', `id = "${message_ids[0]}"`)
  expect(message.sent_by).toBe(id)
  expect(await list('senders', `id = "${id}"`)).toHaveLength(1)
}

const receiver = await startReceiver()
const makeWebhook = () => create('webhooks', { url: receiver.url, events: ['message.failed'] })
/** Makes an event, and waits until another webhook has got it. */
async function makeEvent() {
  const other = await startReceiver()
  const { id } = await create('webhooks', { url: other.url, events: ['message.failed'] })
  const text = await send(nextNumber(), { scheduled_at: '2099-11-20T08:00:00.000Z' })
  await must(ann, 'POST', `/api/sms/messages/${text.id}/cancel`)
  await until('the event', () => other.told.length > 0)
  await remove('webhooks', id)
}

const SENTENCES: readonly Sentence[] = [
  [
    'You can undo this for a few seconds. Then programs that send with this key are refused.',
    'Sie können dies einige Sekunden lang rückgängig machen. Danach werden Programme, die mit diesem Schlüssel senden, abgelehnt.',
    async () => {
      const { id, key } = await create('api_keys', { name: 'Shop' })
      expect((await sendBy(key)).status).toBe(200)
      await remove('api_keys', id)
      expect((await sendBy(key)).status).toBe(401)
    },
  ],
  [
    'Programs that call {name} are refused from now on.',
    'Programme, die {name} aufrufen, werden ab jetzt abgelehnt.',
    async () => {
      const { id, secret } = await makeHook()
      expect((await callHook(secret)).status).toBeLessThan(300)
      await remove('hooks', id)
      expect((await callHook(secret)).status).toBe(404)
    },
  ],
  [
    'The old address stops working at once: enter the new one in the program that calls.',
    'Die alte Adresse gilt sofort nicht mehr: Tragen Sie die neue in dem Programm ein, das sie aufruft.',
    async () => {
      const { id, secret } = await makeHook()
      const rotated = await change('hooks', id, { secret: '' })
      expect((await callHook(secret)).status).toBe(404)
      expect((await callHook(rotated.secret)).status).toBeLessThan(300)
    },
  ],
  [
    '{url} gets no more requests, and the log of its deliveries is deleted.',
    '{url} erhält keine Anfragen mehr, und das Protokoll der Zustellungen wird gelöscht.',
    async () => {
      const { id } = await makeWebhook()
      await makeEvent()
      await until('the request', () => receiver.told.length === 1)
      await remove('webhooks', id)
      await makeEvent()
      expect(receiver.told).toHaveLength(1)
      expect(await list('webhook_deliveries', `webhook = "${id}"`)).toEqual([])
    },
  ],
  [
    'It is switched off. Events in the meantime are not sent later.',
    'Er ist ausgeschaltet. Ereignisse in der Zwischenzeit werden nicht nachträglich gesendet.',
    async () => {
      const { id } = await makeWebhook()
      const before = receiver.told.length
      await change('webhooks', id, { enabled: false })
      await makeEvent()
      await change('webhooks', id, { enabled: true })
      await makeEvent()
      await until('the second event', () => receiver.told.length > before)
      expect(receiver.told).toHaveLength(before + 1)
      await remove('webhooks', id)
    },
  ],
  [
    'For 24 hours requests are signed with the old one, too: time to change your program.',
    '24 Stunden lang werden Anfragen auch noch mit dem alten signiert: Zeit, Ihr Programm umzustellen.',
    async () => {
      const { id } = await makeWebhook()
      const before = receiver.told.length
      await must(ann, 'POST', `/api/webhooks/${id}/rotate`)
      await makeEvent()
      await until('the request', () => receiver.told.length > before)
      const signatures = receiver.told.at(-1)!.headers['webhook-signature']!.split(' ')
      expect(signatures).toHaveLength(2)
      await remove('webhooks', id)
    },
  ],
  [
    'Access ends at once. What {name} sent and wrote stays, with the name.',
    'Der Zugriff endet sofort. Was {name} gesendet und geschrieben hat, bleibt mit dem Namen erhalten.',
    () => tryEndOfMembership('owner'),
  ],
  [
    'You no longer see this account, until somebody invites you again.',
    'Sie sehen dieses Konto nicht mehr, bis Sie wieder jemand einlädt.',
    () => tryEndOfMembership('member'),
  ],
  [
    'The link stops working. You can invite the person again.',
    'Der Link gilt dann nicht mehr. Sie können die Person wieder einladen.',
    async () => {
      const invite = () => must(ann, 'POST', '/api/account/invitations', { role: 'agent' })
      const { id, link } = await invite()
      const show = (of: string) =>
        ann.call('POST', '/api/account/invitations/show', { secret: of.split('/').at(-1) })
      expect((await show(link)).status).toBe(200)
      await remove('member_invitations', id)
      expect((await show(link)).status).toBeGreaterThanOrEqual(400)
      expect((await show((await invite()).link)).status).toBe(200)
    },
  ],
  [
    'The codes of {name} are deleted, too. Programs that name the service are refused.',
    'Auch die Codes von {name} werden gelöscht. Programme, die den Dienst nennen, werden abgelehnt.',
    async () => {
      const { id } = await create('verify_services', { name: 'Shop' })
      const begin = () => ann.call('POST', '/api/verify', { to: nextNumber(), service: id })
      const begun = await begin()
      expect(begun.status, JSON.stringify(begun.body)).toBeLessThan(300)
      await remove('verify_services', id)
      expect((await begin()).status).toBeGreaterThanOrEqual(400)
      expect(await list('verifications', `service = "${id}"`)).toEqual([])
    },
  ],
  [
    'Codes that visitors of public pages have not entered yet stop working. The next visitor of a page creates the service again, with the built-in texts.',
    'Codes, die Besucher öffentlicher Seiten noch nicht eingegeben haben, gelten nicht mehr. Der nächste Besucher einer Seite legt den Dienst wieder an, mit den eingebauten Texten.',
    tryDeletingPageService,
  ],
  [
    'All sessions end at once. Nobody can sign in as this user, API keys are refused, and devices get no messages. Nothing is deleted: campaigns are paused, messages wait. Before you enable the user you choose whether keys, devices and the like go on.',
    'Alle Sitzungen enden sofort. Niemand kann sich als dieser Benutzer anmelden, API-Schlüssel werden abgelehnt, und Geräte bekommen keine Nachrichten. Nichts wird gelöscht: Kampagnen werden angehalten, Nachrichten warten. Bevor Sie den Benutzer entsperren, entscheiden Sie, ob Schlüssel, Geräte und Ähnliches weiterlaufen.',
    async () => {
      const shop = await openShop(server)
      const { key } = await shop.create('api_keys', { name: 'Shop' })
      const text = await shop.send(nextNumber())
      const campaign = await must(shop.ann, 'POST', '/api/campaigns', {
        recipients: [nextNumber()],
        body: 'Sale',
        scheduled_at: '2099-11-20T08:00:00.000Z',
      })
      const settings = '/api/collections/user_settings/records'
      await must(superuser, 'POST', settings, { user: shop.ann.id, disabled: true })
      expect((await shop.ann.call('GET', '/api/account/me')).status).toBe(401)
      const { email } = await must(
        superuser,
        'GET',
        `/api/collections/users/records/${shop.ann.id}`,
      )
      await expect(signIn(url, 'users', email, PASSWORD)).rejects.toThrow()
      expect((await sendBy(key)).status).toBe(401)
      expect((await shop.phone.call('POST', '/api/devices/claim', {})).status).toBe(403)
      const read = (collection: string, id: string) =>
        must(superuser, 'GET', `/api/collections/${collection}/records/${id}`)
      await until(
        'the pause',
        async () => (await read('campaigns', campaign.id)).status === 'paused',
      )
      expect((await read('sms_messages', text.id)).error_message).toBe('')
      await must(superuser, 'POST', `/api/users/${shop.ann.id}/enable`, { access: 'keep' })
      expect((await sendBy(key)).status).toBe(200)
    },
  ],
  [
    'All messages, contacts, devices and keys of this user are deleted, too. Deleted users cannot be restored.',
    'Auch alle Nachrichten, Kontakte, Geräte und Schlüssel dieses Benutzers werden gelöscht. Gelöschte Benutzer lassen sich nicht wiederherstellen.',
    async () => {
      const shop = await openShop(server)
      await shop.create('api_keys', { name: 'Shop' })
      await shop.create('contacts', { phone: nextNumber() })
      await shop.send(nextNumber())
      await must(superuser, 'DELETE', `/api/collections/users/records/${shop.ann.id}`)
      for (const table of ['sms_messages', 'contacts', 'devices', 'api_keys'])
        expect(await server.query(`select from ${table} where "user" = $1`, [shop.ann.id])).toEqual(
          [],
        )
    },
  ],
]

testSentences(SENTENCES)
