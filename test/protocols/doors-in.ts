import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { sendCsv } from '../../src/programs/bulk/send-csv.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { basic, request } from '../support/server/request.ts'
import { must } from '../support/server/server-with-devices.ts'
import { makeKey, startTwilioFixture } from '../support/twilio/twilio-fixture.ts'
import { DOOR_SENDS, type DoorSend, nameOfSend, sendByDoor } from './door-sends.ts'

// Every way in which a recipient's number comes to the server. A way takes a text, and answers with the
// number that was stored, or '' after a refusal. The names begin with the group of the API.

const RECORDS = '/api/collections'

/** An account with a phone, a key and a hook of each kind. */
export async function startWaysIn() {
  const smtpPort = await freePort()
  const { gateway } = await startTwilioFixture({ SMTP_PORT: String(smtpPort), MAX_WAITING: '0' })
  const { url, query } = gateway
  const user = await gateway.makeUser()
  const phone = await gateway.pair(user)
  const { key, account_sid, auth_token } = await makeKey(user, { scopes: ['all:any'] })
  const settings = await must(gateway.superuser, 'POST', `${RECORDS}/user_settings/records`, {
    user: user.id,
  })
  const group = { user: user.id, name: 'Nobody' }
  await must(user, 'POST', `${RECORDS}/contact_groups/records`, group)
  const hookOf = async (values: object) =>
    (await must(user, 'POST', `${RECORDS}/hooks/records`, {
      user: user.id,
      name: 'Hook',
      preset: 'text',
      rate: 1_000,
      ...values,
    })) as { secret: string; id: string }
  const [alerts, codes] = [
    await hookOf({ recipients_from: 'to', once_minutes: 0 }),
    await hookOf({ recipients_from: 'to', kind: 'codes', rate: 1_000 }),
  ]
  const [{ sid: service }] = [
    (
      await request(
        `${url}`,
        'POST',
        '/v2/Services',
        new URLSearchParams({ FriendlyName: 'Ann' }),
        basic(account_sid, auth_token),
      )
    ).body,
  ]
  const template = await must(user, 'POST', `${RECORDS}/sms_templates/records`, {
    user: user.id,
    name: 'Hi',
    body: 'Hi',
  })
  const { email } = user as unknown as { email: string }

  /** The recipient of the newest message; '' if the work stored none. */
  const sent = async (work: () => Promise<unknown>): Promise<string> => {
    await query('delete from sms_messages')
    await work()
    const rows = await query('select "to" from sms_messages')
    await query('delete from sms_messages')
    await query('delete from sms_dispatch')
    if (rows.length > 1) return rows.map(([to]) => to).join(' and ')
    return String(rows[0]?.[0] ?? '')
  }
  const api = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'x-api-key': key },
  ) => request(url, method, path, body, headers)
  const twilio = (path: string, form: Record<string, string>) =>
    api('POST', path, new URLSearchParams(form), basic(account_sid, auth_token))
  const byDoor = (send: DoorSend) => (to: string) =>
    sent(() => sendByDoor(url, send, { to, text: 'Hi', key, user: email }))
  const record = async (collection: string, field: string, to: string, more: object = {}) => {
    const made = await user.call('POST', `${RECORDS}/${collection}/records`, {
      user: user.id,
      [field]: to,
      ...more,
    })
    if (made.status !== 200) return ''
    await must(user, 'DELETE', `${RECORDS}/${collection}/records/${made.body.id}`)
    return String(made.body[field])
  }
  // one connection: to open one for each mail takes ten times as long
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ignoreTLS: true,
    auth: { user: email, pass: key },
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
  })
  afterAll(() => transport.close())
  const mail = async (to: string) => {
    await transport
      .sendMail({
        from: 'cron@example.com',
        envelope: { from: 'cron@example.com', to: [`"${to}"@sms.example.com`] },
        text: 'Hi',
      })
      .catch(() => {})
  }
  const folder = temporaryFolder()
  const bulk = async (to: string, country: string) => {
    const csv = join(folder, 'list.csv')
    // the command sends a file once in 24 hours, whatever its country
    writeFileSync(csv, `phone,country\n"${to.replaceAll('"', '""')}",${country}`)
    const options = {
      csv,
      template: template.id,
      url,
      key,
      phoneColumn: 'phone',
      country,
      dryRun: false,
      results: join(folder, `${Math.random()}`),
    }
    await sendCsv(options, () => {}).catch(() => {})
  }
  const mcp = (name: string, args: object) =>
    api(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      {
        'x-api-key': key,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
    )
  const clearCodes = async () => {
    for (const table of ['verifications', '_verify_codes', 'auth_tries', 'sms_messages'])
      await query(`delete from ${table}`)
  }

  const ways: Readonly<Record<string, (to: string, country: string) => Promise<string>>> = {
    twilio: (To) =>
      sent(() => twilio(`/2010-04-01/Accounts/${account_sid}/Messages.json`, { To, Body: 'Hi' })),
    'twilio verify': async (To) => {
      await clearCodes()
      return (
        (await twilio(`/v2/Services/${service}/Verifications`, { To, Channel: 'sms' })).body.to ??
        ''
      )
    },
    smsgate_clients: (to) =>
      sent(() =>
        api(
          'POST',
          '/api/3rdparty/v1/messages',
          { phoneNumbers: [to], textMessage: { text: 'Hi' } },
          basic(email, key),
        ),
      ),
    mcp: (to) => sent(() => mcp('send_message', { recipients: [to], body: 'Hi' })),
    ...Object.fromEntries(DOOR_SENDS.map((send) => [nameOfSend(send), byDoor(send)])),
    vendel: (to) =>
      sent(() => api('POST', '/vendel/api/sms/send', { recipients: [to], body: 'Hi' })),
    'hooks alerts': (to) =>
      sent(() =>
        api('POST', `/api/hooks/${alerts.secret}`, { text: `Hi ${Math.random()}`, to: [to] }),
      ),
    'hooks codes': async (to) => {
      await clearCodes()
      return sent(() => api('POST', `/api/hooks/${codes.secret}`, { text: 'Code 4711', to: [to] }))
    },
    'hooks record': async (to) => {
      const path = `${RECORDS}/hooks/records/${alerts.id}`
      const { status, body } = await user.call('PATCH', path, { recipients: [to] })
      await user.call('PATCH', path, { recipients: [] })
      return status === 200 ? body.recipients[0] : ''
    },
    verify: async (to) => {
      await clearCodes()
      return (await api('POST', '/api/verify', { to })).body.to ?? ''
    },
    mail: (to) => sent(() => mail(to)),
    bulk: (to, country) => sent(() => bulk(to, country)),
    conversations: (to) => record('conversations', 'number', to),
    devices: async (to) => {
      for (const table of ['device_pairings', 'auth_tries']) await query(`delete from ${table}`)
      const { code } = await must(user, 'POST', '/api/devices/pairing', { name: 'Other' })
      const { status, body } = await api('POST', '/api/devices/pair', {
        code,
        platform: 'android',
        phone: to,
      })
      if (status !== 200) return ''
      await must(user, 'DELETE', `${RECORDS}/devices/records/${body.record.id}`)
      return body.record.phone
    },
  }
  /** Says the country of the account, and other settings of it. */
  const live = (country: string, others: object = {}) =>
    must(user, 'PATCH', `${RECORDS}/user_settings/records/${settings.id}`, { country, ...others })
  return { gateway, user, phone, ways, live, api }
}
